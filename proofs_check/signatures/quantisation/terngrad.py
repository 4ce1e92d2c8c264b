"""TernGrad: ternaries on one scale for all add up, so the way back is short too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.methods.base import Method
from algorithms.methods.quantisation.terngrad import TernGradSGD
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from theory.stepsizes import Stepsize

_TARGET, _SIGMA2 = 0.1, 10.0


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target, each side at its best stepsize."""
    makes: dict[Arm, Callable[[Stepsize], Method[Any]]] = {
        Arm.METHOD: lambda step: bits_setting.by_row("terngrad", step),
        Arm.BASELINE: lambda step: bits_setting.by_row("qsgd", step),
        Arm.FAULT: lambda step: TernGradSGD(step, share_scale=False, localise=False),
    }
    return bits_setting.bits_at_best(makes[side], _TARGET, bits_setting.problem(_SIGMA2), both=True)


SIGNATURE = EffectCheck(
    row="terngrad",
    problem=bits_setting.noisy(_SIGMA2),
    effect="three levels on a scale that all workers share are summed and sent back in a few "
    "bits, where other quantisers hear floats",
    quantity=f"bits a worker sends and receives until f - f* <= {_TARGET} [bit]",
    method="TernGrad",
    baseline="QSGD with 4 levels",
    fault="every worker keeps its own scale, so the server sends the model",
    at_most=0.5,
    measure=measure,
    x_label="bits a worker sends and receives",
    y_label="f(x_t) - f* [f]",
    source="Wen, Xu, Yan, Wu, Wang, Chen, Li 2017, arXiv:1705.07878, Section 3.2 (scaler "
    "sharing) and Algorithm 1",
    told=bits_setting.TUNED,
    scales=("log", "log"),
)
