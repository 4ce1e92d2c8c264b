"""Compressed increments of local SGD: PQASGD and Qsparse-local-SGD."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from algorithms.compressors.composed import QuantisedTopK
from algorithms.compressors.top_k import TopK
from algorithms.memories.base import Memory
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.local_updates.common_hessian import (
    FALLING,
    REPLICAS,
    SEED,
    same_means,
)
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize

COVERS = ("pqasgd", "qsparse-local-sgd")

Compress = Callable[[Stepsize, int, Any, Memory[Any]], Method[Any]]


def sending(step: Stepsize, period: int, operator: Any, memory: Memory[Any]) -> LocalSGD:
    """Local SGD that sends compressed increments."""
    return LocalSGD(step, period, compressor=operator, memory=memory)


def increments(build: Compress = sending) -> tuple[Verdict, ...]:
    """Increments by an operator that keeps all are models; with H = 1 they are BSP's steps."""
    verdicts = [
        same_means(
            row, f"an operator that keeps all, H={period}: local SGD to rounding",
            build(FALLING, period, TopK(1.0), ErrorFeedback()), LocalSGD(FALLING, period),
        )
        for row, period in (("pqasgd", 1), ("pqasgd", 6), ("qsparse-local-sgd", 6))
    ]  # fmt: skip
    for operator in (TopK(2), QuantisedTopK(3, 2)):
        verdicts.append(
            same_means(
                "qsparse-local-sgd", f"H = 1: BSP with error feedback, {operator.name}",
                build(FALLING, 1, operator, ErrorFeedback()),
                BSP(FALLING, operator, ErrorFeedback()),
            )
        )  # fmt: skip
    return (*verdicts, _virtual(build))


def _virtual(build: Compress) -> Verdict:
    """With H = 6, after a meeting: what all know less the mean of what is kept has lost nothing."""
    flat = torch.zeros((5, 12), dtype=torch.float64)
    problem = Quadratic.from_arrays(flat, flat, sigma2=2.0)
    method = build(FALLING, 6, TopK(2), ErrorFeedback())
    *_, last = path(method, problem, 36, seed=SEED, replicas=REPLICAS)
    kept = last.state.memory.mean(-2)
    virtual = last.state.anchor[..., 0, :] - kept
    right = models(BSP(FALLING), problem, 36, seed=SEED, replicas=REPLICAS)[-1]
    return identity(
        "qsparse-local-sgd", "anchor - mean residual = BSP's model where gradients are pure noise",
        virtual.numpy(), right.numpy(), check="nothing is lost", problem="pure noise",
        provenance=f"seed {SEED}, {REPLICAS} replicas, 36 steps, H = 6, top-2 of 12",
    )  # fmt: skip


CLOSED_FORMS = (increments,)
