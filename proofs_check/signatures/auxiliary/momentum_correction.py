"""Momentum correction: sparse gradients keep the speed of momentum."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from algorithms.catalogue import row
from algorithms.compressors.top_k import TopK
from algorithms.engine.run import run
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.mutants.auxiliary import AccumulatedMomentum
from theory.stepsizes import ConstantStep

_N, _D, _MU, _STEPS, _LAST = 4, 64, 0.003, 300, 20
_GRID = {
    Arm.METHOD: (0.1, 0.2),
    Arm.BASELINE: (0.5, 1.0),
    Arm.FAULT: (0.01, 0.05, 0.2),
}


@cache
def _problem() -> Quadratic:
    return Quadratic.strongly_convex(_N, _D, mu=_MU, sigma2=0.0)


def measure(side: Arm) -> Measurement:
    """Mean f - f* over the last steps, each side at its best stepsize."""
    runs = (_end(side, ConstantStep(gamma)) for gamma in _GRID[side])
    return min(runs, key=lambda seen: float(seen.values.mean()))


def _end(side: Arm, step: ConstantStep) -> Measurement:
    own = row("momentum-correction").tune(_problem(), _STEPS, step).method
    assert isinstance(own, BSP)
    method = {
        Arm.METHOD: own,
        Arm.BASELINE: BSP(step, TopK(0.1), ErrorFeedback()),
        Arm.FAULT: replace(own, memory=AccumulatedMomentum(0.9)),
    }[side]
    trace = run(method, _problem(), steps=_STEPS, points=_STEPS + 1)
    return at_end(trace, last=_LAST)


SIGNATURE = EffectCheck(
    row="momentum-correction",
    problem=f"one quadratic for all workers, d = {_D}, condition number {1 / _MU:.0f}, no noise",
    effect="accumulating velocities, not gradients, gives sparse messages the speed of momentum "
    "where the problem is ill-conditioned",
    quantity=f"mean f - f* over the last {_LAST} of {_STEPS} steps [f]",
    method="top-k with momentum correction, m = 0.9",
    baseline="top-k with error feedback, without momentum",
    fault="momentum of what has accumulated, not of the gradient",
    at_most=0.4,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Lin, Han, Mao, Wang, Dally 2018, arXiv:1712.01887, Section 3.2, Eq. 5",
    told=f"n = {_N}, k = d/10, each side at its best of the stepsizes {_GRID[Arm.METHOD]}, "
    f"{_GRID[Arm.BASELINE]}, {_GRID[Arm.FAULT]}; nothing is drawn",
    scales=("linear", "log"),
)
