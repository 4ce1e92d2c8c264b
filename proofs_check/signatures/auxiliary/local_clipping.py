"""Local clipping: a bound on what one gradient does to the model, where noise has a heavy tail."""

from __future__ import annotations

from functools import cache
from typing import Any

from algorithms.catalogue import row
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Law, Quadratic
from algorithms.run import run
from algorithms.transforms.norm_clipping import ClipNorm
from proofs_check.instruments.signature import Seen, Side, Signature, at_end
from theory.stepsizes import ConstantStep

_N, _D, _STEPS, _LAST, _REPLICAS, _STEP = 4, 20, 200, 40, 64, ConstantStep(0.2)
_GRID = (0.05, 0.1, 0.2)


@cache
def _problem() -> Quadratic:
    return Quadratic.strongly_convex(_N, _D, sigma2=4.0, law=Law.RARE)


def measure(side: Side) -> Seen:
    """Mean f - f* over the last steps; plain SGD at the best stepsize of a grid."""
    match side:
        case Side.METHOD:
            return _end(row("local-clipping").tune(_problem(), _STEPS, _STEP).method)
        case Side.BASELINE:
            runs = (_end(BSP(ConstantStep(gamma))) for gamma in _GRID)
            return min(runs, key=lambda seen: float(seen.values.mean()))
        case Side.FAULT:
            return _end(BSP(_STEP, transform=ClipNorm(200.0)))


def _end(method: Method[Any]) -> Seen:
    trace = run(method, _problem(), steps=_STEPS, replicas=_REPLICAS, points=_STEPS + 1)
    return at_end(trace, last=_LAST)


SIGNATURE = Signature(
    row="local-clipping",
    problem=f"one quadratic for all workers, d = {_D}, noise in one gradient of 100, of norm 20",
    effect="clipping keeps rare long gradients from the model: a small part of the error that "
    "plain SGD keeps at its best stepsize",
    quantity=f"mean f - f* over the last {_LAST} of {_STEPS} steps [f]",
    method="gradients clipped at the norm that one in ten exceeds at x_0",
    baseline="BSP-SGD",
    fault="a threshold that no gradient exceeds",
    at_most=0.4,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Lin, Han, Mao, Wang, Dally 2018, arXiv:1712.01887, Section 3.3",
    told=f"n = {_N}, gamma = {_STEP.gamma:g}, the baseline's best of {_GRID}, {_REPLICAS} replicas "
    "of seed 0",
    scales=("linear", "log"),
)
