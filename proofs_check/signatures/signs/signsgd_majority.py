"""signSGD with majority vote: a vote is one bit, however large a liar's gradient is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Tensor

from algorithms.catalogue import row
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.engine.run import run
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.transforms.base import Transform
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from theory.stepsizes import ConstantStep

_N, _LIARS, _D, _STEPS, _REPLICAS = 15, 5, 20, 300, 32
_STEP = ConstantStep(0.003)


@final
@dataclass(frozen=True)
class Liars(Transform):
    """The first ``count`` of all workers send their gradients times ``factor``. (Ours.)"""

    count: int
    factor: float

    @property
    def name(self) -> str:
        return f"{self.count} workers send {self.factor:g} g"

    def apply(self, g: Tensor, n: int) -> Tensor:
        lies = torch.arange(n)[:, None] < self.count
        return torch.where(lies, self.factor * g, g)


def measure(side: Arm) -> Measurement:
    """f - f* at the end, a third of the workers sending -3 times what they found."""
    problem = Quadratic.strongly_convex(_N, _D)
    own = row("signsgd-majority").tune(problem, _STEPS, _STEP).method
    assert isinstance(own, BSP)
    method = {
        Arm.METHOD: own,
        Arm.BASELINE: BSP(ConstantStep(0.02)),
        Arm.FAULT: replace(own, compressor=ScaledSign()),
    }[side]
    among = replace(method, transform=Liars(_LIARS, -3.0))
    return at_end(run(among, problem, steps=_STEPS, replicas=_REPLICAS), last=10)


SIGNATURE = EffectCheck(
    row="signsgd-majority",
    problem="quadratic, noisy gradients; 5 of 15 workers send -3 g",
    effect="the vote of the honest majority decides, where a mean follows the largest lie",
    quantity=f"f - f* after {_STEPS} steps [f]",
    method="signSGD with majority vote",
    baseline="BSP, whose mean points uphill at any stepsize",
    fault="votes are weighted by their magnitude",
    at_most=0.1,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Bernstein, Zhao, Azizzadenesheli, Anandkumar 2019, arXiv:1810.05291, Theorem 2 (blind "
    "multiplicative adversaries)",
    told=f"n = {_N}, d = {_D}, sigma2 = 1, gamma = {_STEP.gamma:g} a sign and 0.02 a gradient, "
    f"{_REPLICAS} replicas of seed 0",
    scales=("linear", "log"),
)
