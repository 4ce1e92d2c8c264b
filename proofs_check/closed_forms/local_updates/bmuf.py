r"""BMUF, block by block.

A block multiplies the distance to the minimiser by q = (1 - \gamma a)^H, so (W, \Delta) go on by a
2 x 2 matrix: \Delta^+ = \eta \Delta + \zeta (q - 1) W_g, W^+ = W + \Delta^+.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.optimizers.outer import BlockMomentum, Outer
from proofs_check.closed_forms.local_updates.common_hessian import (
    FALLING,
    GAMMA,
    STEPS,
    A,
    quiet,
    same_means,
)
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

Filter = Callable[[float, float, bool], Outer[Any]]


def _blocks(eta: float, zeta: float, nesterov: bool, q: float) -> Floats:
    """W_g after 0, 1, ... blocks from 1, in the paper's words."""
    w = start = 1.0
    delta, told = 0.0, [1.0]
    for _ in range(STEPS // 5):
        mean = q * start
        delta = eta * delta + zeta * (mean - start)
        w += delta
        start = w + eta * delta if nesterov else w
        told.append(start)
    return np.array(told)


def filtered_blocks(build: Filter = BlockMomentum) -> tuple[Verdict, ...]:
    """BMUF, classic and Nesterov, block by block; with eta = 0, zeta = 1 it is local SGD."""
    problem, step = quiet(), ConstantStep(GAMMA)
    centre, x0 = (problem.c / problem.a).mean(0), problem.x0
    verdicts = []
    for eta, zeta, nesterov in ((0.75, 1.0, False), (0.75, 1.0, True), (0.5, 1.4, True)):
        method = LocalSGD(step, 5, outer=build(eta, zeta, nesterov))
        measured = (models(method, problem, STEPS)[::5, 0] - centre) / (x0 - centre)
        kind = "Nesterov" if nesterov else "classic"
        expected = _blocks(eta, zeta, nesterov, (1 - GAMMA * A) ** 5)
        verdicts.append(
            identity(
                "bmuf", f"W_g by the 2 x 2 recursion, {kind}, eta={eta:g}, zeta={zeta:g}",
                measured.numpy(), expected[:, None], check="closed form, blocks",
                problem="quadratic", provenance=f"{STEPS // 5} blocks of 5 steps, no noise",
            )
        )  # fmt: skip
    return (*verdicts, *(_unfiltered(build, nesterov) for nesterov in (False, True)))


def _unfiltered(build: Filter, nesterov: bool) -> Verdict:
    filtered = LocalSGD(FALLING, 6, outer=build(0.0, 1.0, nesterov))
    return same_means(
        "bmuf", "eta = 0, zeta = 1: local SGD, bit for bit", filtered, LocalSGD(FALLING, 6), 0.0
    )


CLOSED_FORMS = (filtered_blocks,)
