"""Block coordinate descent: a block's own curvature is small, so its step is long."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.least_squares import LeastSquares
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.instruments.mean_estimation_setting import normal_rows
from theory.stepsizes import ConstantStep

_N, _D, _SAMPLES, _BLOCKS, _STEPS, _TARGET = 4, 16, 16, 4, 400, 1e-7
_MULTIPLES = (1.0, 1.5)


@cache
def _problem() -> LeastSquares:
    """Samples whose 16 features share a common part, targets without error."""
    shared = normal_rows(_N * _SAMPLES, 1, "common")
    features = (shared + normal_rows(_N * _SAMPLES, _D, "own")) / _SAMPLES**0.5
    dealt = features.reshape(_N, _SAMPLES, _D)
    truth = torch.ones(_D, dtype=torch.float64)
    return LeastSquares.of(list(dealt), [part @ truth for part in dealt])


def _curvatures() -> tuple[float, float]:
    """The largest curvature of f, and of f within a block."""
    features = _problem().features
    hessian = (features.transpose(-1, -2) @ features).mean(0)
    size = _D // _BLOCKS
    blocks = [hessian[b : b + size, b : b + size] for b in range(0, _D, size)]
    return _top(hessian), max(_top(block) for block in blocks)


def _top(matrix: torch.Tensor) -> float:
    return float(torch.linalg.eigvalsh(matrix)[-1])


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target, at the best multiple of 1/L."""
    whole, block = _curvatures()
    L = whole if side is Arm.BASELINE else block
    runs = (_bits(side, ConstantStep(multiple / L)) for multiple in _MULTIPLES)
    return min(runs, key=lambda seen: float(seen.values.mean()))


def _bits(side: Arm, step: ConstantStep) -> Measurement:
    steps = _STEPS if side is Arm.METHOD else _STEPS // _BLOCKS
    method: Method[Any] = BSP(step)
    if side is Arm.METHOD:
        method = row("bcd").tune(_problem(), steps, step).method
    trace = run(method, _problem(), steps=steps, points=steps + 1)
    return to_reach(trace, _TARGET * float(trace.suboptimality[0, 0]), "sent_bits")


SIGNATURE = EffectCheck(
    row="bcd",
    problem=f"least squares, d = {_D}, features that share a common part, without noise",
    effect="blocks in turn, each by a step of its own curvature, take about half the bits "
    "of full gradients, whose step all blocks together bound",
    quantity=f"bits a worker sends until f - f* <= {_TARGET:g} f_0 [bit]",
    method=f"{_BLOCKS} blocks in turn",
    baseline="BSP with full gradients",
    fault="all blocks at once, by a block's step",
    at_most=0.6,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Beck, Tetruashvili 2013 (SIAM J. Optim. 23), Section 3: steps 1/L_i of the blocks; "
    "Mahajan, Keerthi, Sundararajan 2014, arXiv:1405.4544",
    told=f"n = {_N}, steps of {_MULTIPLES} over the curvature of a block or of f, each side its "
    "cheapest; nothing is drawn",
)
