"""BMUF: filtered block updates win back what the mean of many small local updates loses."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.optimizers.outer import BlockMomentum
from algorithms.problems.quadratic_data import unequal
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.mutants.local_updates import Unfiltered
from theory.stepsizes import ConstantStep

_N, _D, _STEPS, _GAMMA, _GRID = 8, 10, 400, 0.02, (0.02, 0.05, 0.1, 0.2)


def measure(side: Arm) -> Measurement:
    """The error after as many blocks; nothing is drawn."""
    problem = unequal(_N, _D, sigma2=0.0)
    if side is Arm.BASELINE:
        averaged = (LocalSGD(ConstantStep(step), 8) for step in _GRID)
        seen = [at_end(run(method, problem, steps=_STEPS)) for method in averaged]
        return min(seen, key=lambda one: float(one.values[0]))
    method = row("bmuf").tune(problem, _STEPS, ConstantStep(_GAMMA)).method
    assert isinstance(method, LocalSGD) and isinstance(method.outer, BlockMomentum)
    if side is Arm.FAULT:
        method = replace(method, outer=Unfiltered(method.outer))
    return at_end(run(method, problem, steps=_STEPS))


SIGNATURE = EffectCheck(
    row="bmuf",
    problem="quadratic-unequal, d = 10, no noise",
    effect="filtered block updates are fast at small local stepsizes, whose drift is small",
    quantity=f"f(x_T) - f* of the mean model after {_STEPS} steps [f]",
    method="BMUF, blocks of 8",
    baseline="model averaging every 8 steps at the best stepsize of four",
    fault="workers restart from the average and never hear of the filtered model",
    at_most=0.35,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Chen, Huo 2016, ICASSP, Section 3: block momentum 1 - 1/n",
    told=f"n = {_N}, gamma = {_GAMMA:g}, the baseline's of {_GRID}; nothing is drawn",
)
