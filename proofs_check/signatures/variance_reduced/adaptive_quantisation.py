"""Adaptive quantisation: a range that shrinks makes a fixed number of bits exact."""

from __future__ import annotations

from dataclasses import replace

from algorithms.methods.variance_reduced.refined import RefinedQuantisation
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end

_STEPS = 800


def measure(side: Arm) -> Measurement:
    """f - f* over the last steps."""
    own = bits_setting.by_row("adaptive-quantisation")
    assert isinstance(own, RefinedQuantisation)
    method = {
        Arm.METHOD: own,
        Arm.BASELINE: bits_setting.by_row("qsgd"),
        Arm.FAULT: replace(own, shrink=1.0),
    }[side]
    replicas = bits_setting.REPLICAS if side is Arm.BASELINE else 1
    return at_end(bits_setting.descent(method, replicas, _STEPS), last=10)


SIGNATURE = EffectCheck(
    row="adaptive-quantisation",
    problem=bits_setting.ABOUT,
    effect="four bits a coordinate on a range that shrinks converge to the minimum, where the "
    "same bits on a scale of their own stall",
    quantity=f"f - f* after {_STEPS} steps [f]",
    method="4 bits on a range shrinking by 0.99 a step",
    baseline="QSGD with 4 levels, 4 bits a coordinate and a norm",
    fault="the range stays",
    at_most=0.01,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Pu, Zeilinger, Jones 2017, arXiv:1504.02317, Theorem 3: linear convergence at a "
    "constant number of bits",
    told=f"{bits_setting.TOLD}; QSGD: {bits_setting.REPLICAS} replicas of seed 0, the others draw "
    "nothing",
    scales=("linear", "log"),
)
