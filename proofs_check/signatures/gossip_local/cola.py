"""CoLa: exact local problems use a round of messages better than one gradient step."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_local.cola import CoLa
from algorithms.problems.columns_data import diabetes_products
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.mutants.gossip_local import OneGradientStep, Unmixed

_N, _STEPS, _TARGET = 8, 500, 1e-3


def measure(side: Arm) -> Measurement:
    """Rounds until the objective is near its minimum, 64 columns over eight workers."""
    problem = diabetes_products(_N)
    right = row("cola").build(problem, _STEPS)
    assert isinstance(right, CoLa)
    method: Method[Any] = {
        Arm.METHOD: right, Arm.BASELINE: OneGradientStep(right), Arm.FAULT: Unmixed(right)
    }[side]  # fmt: skip
    return to_reach(run(method, problem, steps=_STEPS), _TARGET, "steps")


SIGNATURE = EffectCheck(
    row="cola",
    problem="lasso-diabetes-products",
    effect="solving local problems saves rounds of messages",
    quantity=f"rounds until F(x_t) - F* is {_TARGET:g} [1]",
    method="CoLa",
    baseline="one proximal gradient step in a round",
    fault="estimates of A x are never mixed",
    at_most=0.7,
    measure=measure,
    x_label="rounds",
    y_label="F(x_t) - F* [F]",
    source="He, Bian, Jaggi 2018, arXiv:1808.04883, section 4",
    told=f"n = {_N}, ring, d = 64, one pass of coordinate descent a round; nothing is drawn",
)
