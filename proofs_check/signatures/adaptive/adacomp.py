"""AdaComp: every bin sends as much as its latest gradient lifts to its largest residual."""

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
    own = bits_setting.by_row("adacomp", step)
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
    row="adacomp",
    problem=bits_setting.ABOUT,
    effect="bins that choose their rate from residual and latest gradient take a small part of "
    "the bits of full gradients, without a rate to set",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="AdaComp, bins of 10",
    baseline="BSP with full gradients",
    fault="residuals are forgotten: a bin knows its latest gradient alone",
    at_most=0.4,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Chen, Choi, Brand, Agrawal, Zhang, Gopalakrishnan 2018, arXiv:1712.02679, Algorithm 2",
    told=f"{bits_setting.TOLD_TUNED}; nothing is drawn",
)
