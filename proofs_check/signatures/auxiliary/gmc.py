"""Global momentum: a momentum of the shared model does not drift with workers that differ."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from theory.stepsizes import ConstantStep

_N, _D, _MU, _STEPS, _LAST, _M = 8, 64, 0.003, 300, 20, 0.9
_GRID = (0.01, 0.02, 0.05)


@cache
def _problem() -> Quadratic:
    return Quadratic.strongly_convex(_N, _D, mu=_MU, sigma2=0.0, zeta2=1.0)


def measure(side: Arm) -> Measurement:
    """Mean f - f* over the last steps, each side at its best stepsize."""
    runs = (_end(side, ConstantStep(gamma)) for gamma in _GRID)
    return min(runs, key=lambda seen: float(seen.values.mean()))


def _end(side: Arm, step: ConstantStep) -> Measurement:
    own = row("gmc").tune(_problem(), _STEPS, step).method
    assert isinstance(own, BSP)
    method = {
        Arm.METHOD: own,
        Arm.BASELINE: replace(own, memory=MomentumCorrection(_M)),
        Arm.FAULT: replace(own, memory=GlobalMomentum(step.gamma * _M)),
    }[side]
    trace = run(method, _problem(), steps=_STEPS, points=_STEPS + 1)
    return at_end(trace, last=_LAST)


SIGNATURE = EffectCheck(
    row="gmc",
    problem=f"quadratic of workers that differ, d = {_D}, condition number {1 / _MU:.0f}, no noise",
    effect="momentum of the shared model leaves about half of the error that momenta of the "
    "workers' own leave, at the same sparsity",
    quantity=f"mean f - f* over the last {_LAST} of {_STEPS} steps [f]",
    method="top-k with global momentum, m = 0.9",
    baseline="top-k with momentum of each worker (momentum correction)",
    fault="momentum without 1/gamma, as the survey prints it (E31)",
    at_most=0.6,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Zhao, Xie, Gao, Li 2019, arXiv:1905.12948, Algorithm 1 and Section 4",
    told=f"n = {_N}, k = d/10, each side at its best of the stepsizes {_GRID}; nothing is drawn",
    scales=("linear", "log"),
)
