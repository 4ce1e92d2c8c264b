"""One-shot averaging: one round at the end divides the variance by the number of workers."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import row
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.periods import Once
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.signatures.local_updates.setting import (
    ERROR,
    Y_LABEL,
    D,
    N,
    ended,
    falling,
    played,
    told,
)

_STEPS = 300


def _problem(n: int) -> Quadratic:
    return Quadratic.strongly_convex(n, D, mu=0.2, sigma2=10.0)


def measure(side: Arm) -> Measurement:
    """The workers' error after as many gradients of each."""
    problem = _problem(1 if side is Arm.BASELINE else N)
    step = falling(problem)
    if side is Arm.BASELINE:
        return ended(played(BSP(step), problem, _STEPS))
    method = row("one-shot-averaging").tune(problem, _STEPS, step).method
    assert isinstance(method, LocalSGD)
    if side is Arm.FAULT:
        method = replace(method, period=Once(_STEPS + 1))
    return ended(played(method, problem, _STEPS))


SIGNATURE = EffectCheck(
    row="one-shot-averaging",
    problem="quadratic-sc-iid, mu = 0.2, sigma2 = 10, d = 100",
    effect="one round at the end divides the error of independent workers by their number",
    quantity=f"{ERROR} after {_STEPS} steps [x^2]",
    method="one-shot averaging",
    baseline="SGD of one worker with as many gradients as each of theirs",
    fault="no average at the end",
    at_most=0.3,
    measure=measure,
    x_label="steps",
    y_label=Y_LABEL,
    source="Zinkevich, Weimer, Li, Smola 2010, NeurIPS; Zhang, Duchi, Wainwright 2013, "
    "arXiv:1209.4129, Corollary 3",
    told=told(),
)
