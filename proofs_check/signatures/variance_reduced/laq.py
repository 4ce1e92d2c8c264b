"""LAQ: few bits in each upload, and few uploads."""

from __future__ import annotations

from dataclasses import replace

from algorithms.methods.variance_reduced.laq import LAQ
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from theory.stepsizes import ConstantStep

_TARGET, _STEP = 1e-6, ConstantStep(0.3)


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target."""
    own = bits_setting.by_row("laq", _STEP)
    assert isinstance(own, LAQ)
    method = {
        Arm.METHOD: own,
        Arm.BASELINE: bits_setting.by_row("lag", _STEP),
        Arm.FAULT: replace(own, patience=1),
    }[side]
    return bits_setting.bits_to(bits_setting.descent(method), _TARGET)


SIGNATURE = EffectCheck(
    row="laq",
    problem=bits_setting.ABOUT,
    effect="innovations of few bits, sent only where they are large, reach the accuracy for a "
    "small part of the bits of lazy full gradients",
    quantity=f"bits a worker sends until f - f* <= {_TARGET:g} [bit]",
    method="LAQ, 4 bits",
    baseline="LAG, lazy but not quantised",
    fault="quantised but not lazy: all send in every step",
    at_most=0.2,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Sun, Chen, Giannakis, Yang 2019, arXiv:1909.07588, Theorem 1 and Table 2",
    told=f"n = {bits_setting.N}, gamma = {_STEP.gamma:g}; nothing is drawn",
)
