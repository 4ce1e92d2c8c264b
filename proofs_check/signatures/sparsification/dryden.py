"""Dryden et al.: thresholds of a fixed proportion, so that two means and places are enough."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from algorithms.memories.base import NoMemory
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from theory.stepsizes import Stepsize

_TARGET = 0.05


def _made(side: Arm, step: Stepsize) -> BSP:
    own = bits_setting.by_row("dryden", step)
    assert isinstance(own, BSP)
    match side:
        case Arm.METHOD:
            return own
        case Arm.BASELINE:
            return BSP(step)
        case Arm.FAULT:
            return replace(own, memory=NoMemory())


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target, each side at its best stepsize."""
    return bits_setting.bits_at_best(
        partial(_made, side), _TARGET, bits_setting.problem(), replicas=1, grid=bits_setting.COARSE
    )


SIGNATURE = EffectCheck(
    row="dryden",
    problem=bits_setting.ABOUT,
    effect="a fixed share of the positive and of the negative entries, each side by its mean, "
    "takes less than half of the bits of full gradients at their best stepsize",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="adaptive thresholds, pi = 0.1",
    baseline="BSP with full gradients",
    fault="what is not sent is forgotten",
    at_most=0.45,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Dryden, Jacobs, Moon, Van Essen 2016 (MLHPC), Section 3: adaptive quantisation",
    told=f"{bits_setting.TOLD_TUNED}; nothing is drawn",
)
