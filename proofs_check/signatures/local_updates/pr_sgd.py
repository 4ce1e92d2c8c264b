"""PR-SGD: n workers that restart from their mean every eight steps are n times as fast as one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.catalogue import row
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.periods import Once
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.signatures.local_updates.setting import (
    ERROR,
    UNEVEN,
    Y_LABEL,
    falling,
    played,
    reached,
    told,
    uneven,
)

_STEPS, _TARGET = 800, 0.1


def measure(side: Arm) -> Measurement:
    """Steps until the workers are accurate."""
    problem = uneven()
    step = falling(problem)
    method = row("pr-sgd").tune(problem, _STEPS, step).method
    assert isinstance(method, LocalSGD)
    sides: dict[Arm, Method[Any]] = {
        Arm.METHOD: method,
        Arm.BASELINE: BSP(step),
        Arm.FAULT: replace(method, period=Once(_STEPS + 1)),
    }
    wanted = sides[side]
    alone = Quadratic.from_arrays(
        problem.a.mean(0, keepdim=True), problem.x_star[None], sigma2=problem.sigma2
    )
    where = alone if side is Arm.BASELINE else problem
    return reached(played(wanted, where, _STEPS), _TARGET, "steps")


SIGNATURE = EffectCheck(
    row="pr-sgd",
    problem=UNEVEN,
    effect="workers that restart from their mean now and then speed up as their number",
    quantity=f"steps until {ERROR} = {_TARGET:g}",
    method="PR-SGD, 8 workers, I = 8",
    baseline="SGD of one worker on the whole objective",
    fault="workers that are never restarted from their mean",
    at_most=0.4,
    measure=measure,
    x_label="steps",
    y_label=Y_LABEL,
    source="Yu, Yang, Zhu 2019, arXiv:1807.06629, Corollary 1: linear speedup",
    told=told(),
    scales=("log", "log"),
)
