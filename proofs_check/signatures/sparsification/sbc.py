"""Sparse binary compression: delay, sparsity, one value and Golomb's code multiply."""

from __future__ import annotations

from dataclasses import replace

from algorithms.engine.run import Trace
from algorithms.methods.sparsification.communication_delay import CommunicationDelay
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement

_TARGET, _PERIOD = 0.5, 4


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* of the common model is at most the target."""
    own = bits_setting.by_row("sbc")
    assert isinstance(own, CommunicationDelay)
    match side:
        case Arm.METHOD:
            return _at_meetings(bits_setting.descent(own))
        case Arm.BASELINE:
            return bits_setting.bits_to(bits_setting.descent(bits_setting.uncompressed()), _TARGET)
        case Arm.FAULT:
            return bits_setting.bits_to(bits_setting.descent(replace(own, period=1)), _TARGET)


def _at_meetings(trace: Trace) -> Measurement:
    """Between meetings there is no common model."""
    meets = slice(None, None, _PERIOD)
    common = replace(
        trace,
        steps=trace.steps[meets],
        suboptimality=trace.suboptimality[:, meets],
        sent_bits=trace.sent_bits[:, meets],
    )
    return bits_setting.bits_to(common, _TARGET)


SIGNATURE = EffectCheck(
    row="sbc",
    problem=bits_setting.ABOUT,
    effect="delay, sparsity, one value for all and Golomb's code take about a hundredth of "
    "the bits of full gradients",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} (from 2.2) [bit]",
    method="sparse binary compression of 4 local steps, k = d/10",
    baseline="BSP with full gradients at the same stepsize",
    fault="no delay: a message after every step",
    at_most=0.015,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Sattler, Wiedemann, Mueller, Samek 2018, arXiv:1805.08768, Sections 2 and 3: the gains "
    "of delay and sparsity multiply",
    told=f"{bits_setting.TOLD}; nothing is drawn",
)
