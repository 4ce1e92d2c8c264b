r"""Asynchronous Qsparse-local-SGD: nothing is lost, and meeting at once it is the synchronous form.

\tilde x_t = \bar{\bar x} - \frac1n \sum_i (e_i + a_i - x_i) moves by the mean of the steps alone:
where gradients are pure noise it is BSP's model at every step, whoever meets when.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from algorithms.compressors.composed import QuantisedTopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.local_updates.qsparse_async import AsyncQsparse
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.stepsizes import InverseTimeStep, Stepsize

Build = Callable[[Stepsize, int, float], Any]

_STEP, _SEED, _REPLICAS, _STEPS = InverseTimeStep(6.0, 12.0), 201, 3, 36
_OPERATOR = QuantisedTopK(3, 2)
_TOLD = f"seed {_SEED}, {_REPLICAS} replicas, {_STEPS} steps, n=5, {_OPERATOR.name}, equal draws"


def staggered(step: Stepsize, period: int, stagger: float) -> AsyncQsparse:
    """The method on the operator of this file."""
    return AsyncQsparse(step, period, _OPERATOR, ErrorFeedback(), stagger)


def async_qsparse(build: Build = staggered) -> tuple[Verdict, ...]:
    """Nothing is lost under pure noise; with all workers meeting at once it is the synchronous
    form."""
    flat = torch.zeros((5, 12), dtype=torch.float64)
    noise = Quadratic.from_arrays(flat, flat, sigma2=2.0, name="pure noise")
    virtual = []
    for _, s, _ in path(build(_STEP, 6, 1.0), noise, _STEPS, seed=_SEED, replicas=_REPLICAS):
        virtual.append((s.server - s.memory - s.anchor + s.x).mean(-2))
    uneven = Quadratic.strongly_convex(5, 12, L=2.0, mu=0.1, sigma2=3.0, zeta2=9.0, R2=4.0)
    sync = LocalSGD(_STEP, 6, compressor=_OPERATOR, memory=ErrorFeedback())
    at_once, together = (
        models(m, uneven, _STEPS, seed=_SEED, replicas=_REPLICAS)
        for m in (build(_STEP, 6, 0.0), sync)
    )
    right = models(BSP(_STEP), noise, _STEPS, seed=_SEED, replicas=_REPLICAS)
    return (
        identity(
            "qsparse-local-sgd", "asynchronous: the virtual iterate is BSP's model at every step",
            torch.stack(virtual).numpy(), right.numpy(), check="nothing is lost",
            problem=noise.name, provenance=_TOLD,
        ),
        identity(
            "qsparse-local-sgd", "asynchronous, all meeting at once: the synchronous form",
            at_once.numpy(), together.numpy(), check="identity of two methods",
            problem=uneven.name, provenance=_TOLD,
        ),
    )  # fmt: skip


CLOSED_FORMS = (async_qsparse,)
