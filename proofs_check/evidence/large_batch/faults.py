"""Faults planted in large-batch rules and layer-wise optimizers: mistakes people make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import torch
from torch import Tensor

from algorithms.methods.base import Method, RunContext
from algorithms.methods.large_batch.cr_psgd import CatalystPSGD, CatalystState
from algorithms.optimizers.base import Optimizer
from algorithms.optimizers.lamb import LAMB, Moments, adam
from algorithms.optimizers.lars import LARS
from algorithms.optimizers.layers import NormRatio, Trust, layer_norms, sizes_of, spread
from proofs_check.evidence.large_batch.closed_forms import (
    batch_growth,
    catalyst_by_hand,
    grown,
    linear,
    linear_scaling,
    noise_scales,
    sqrt_scaling,
    warm_up,
)
from proofs_check.evidence.large_batch.closed_forms_layers import (
    SHAPES,
    lamb_by_layer,
    lamb_is_adamw,
    lars_by_layer,
    lars_exactly,
)
from proofs_check.evidence.large_batch.studies_catalyst import cr_psgd, cr_psgd_rate
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.rules.batch_rules import BatchRule, FixedBatch, GeometricBatch
from theory.stepsizes import ScaledStep, StepDecay, Stepsize

_WHOLE = ((9,),)
_DECAY = 0.1


@final
@dataclass(frozen=True)
class OvershootingWarmUp(Stepsize):
    """Goyal's ramp without its end: the stepsize goes on growing after the warm-up.

    Attributes:
        rule: the base stepsizes [x^2 / f].
        factor: k, what the ramp should end at.
        length: steps of the warm-up.
    """

    rule: Stepsize
    factor: float
    length: int

    def __call__(self, t: int) -> float:
        return self.rule(t) * (1 + (self.factor - 1) * t / self.length)

    def __str__(self) -> str:
        return f"{self.rule}, growing for ever"


@final
@dataclass(frozen=True)
class InvertedRatio(Trust):
    """||move|| / ||w|| in place of ||w|| / ||move||."""

    @property
    def name(self) -> str:
        return "inverted ratio"

    def ratio(self, weights: Tensor, move: Tensor) -> Tensor:
        return move / weights


@final
@dataclass(frozen=True)
class UncorrectedLAMB(Optimizer[Moments]):
    """Moments as they are, small at first: no division by 1 - beta^t."""

    right: LAMB

    @property
    def name(self) -> str:
        return "LAMB without bias correction"

    def init(self, x: Tensor) -> Moments:
        zero = torch.zeros((), dtype=torch.float64)
        return self.right.init(x)._replace(power1=zero, power2=zero)

    def update(
        self, state: Moments, step: Tensor, x: Tensor, gamma: float
    ) -> tuple[Moments, Tensor]:
        return self.right.update(state, step, x, gamma)


@final
@dataclass(frozen=True)
class LateRatioLARS(Optimizer[Tensor]):
    """The ratio on the velocity that is applied, not on what enters it.

    Attributes:
        shapes: shapes of the model's tensors, flat one after another.
        m: the momentum.
        decay: weight decay beta [f / x^2].
        trust: what the ratio is made of.
    """

    shapes: tuple[tuple[int, ...], ...]
    m: float
    decay: float
    trust: Trust

    @property
    def name(self) -> str:
        return "LARS with its ratio outside the momentum"

    def init(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)

    def update(self, state: Tensor, step: Tensor, x: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
        sizes = sizes_of(self.shapes, x.shape[-1])
        weights, slopes = layer_norms(x, sizes), layer_norms(step, sizes) / gamma
        ratio = self.trust.ratio(weights, slopes + self.decay * weights)
        velocity = self.m * state + step + gamma * self.decay * x
        return velocity, spread(ratio, sizes) * velocity


@final
@dataclass(frozen=True)
class CoupledLAMB(Optimizer[Any]):
    """Weight decay added to the gradient, so that it goes through the moments."""

    right: LAMB
    decay: float

    @property
    def name(self) -> str:
        return "LAMB with coupled decay"

    def init(self, x: Tensor) -> Moments:
        return self.right.init(x)

    def update(
        self, state: Moments, step: Tensor, x: Tensor, gamma: float
    ) -> tuple[Moments, Tensor]:
        return self.right.update(state, step + gamma * self.decay * x, x, gamma)


def _still(_batch: BatchRule) -> Method[Any]:
    """A constant batch and a constant stepsize."""
    return cr_psgd(FixedBatch(4))


def _twice(step: Stepsize, factor: int) -> Stepsize:
    return ScaledStep(ScaledStep(step, factor), factor)


def _both(step: Stepsize, every: int) -> tuple[Stepsize, BatchRule]:
    """The batch grows and the stepsize falls as well."""
    _, batch = grown(step, every)
    return StepDecay(step, every, 8, times=1), batch


def _every_step(step: Stepsize, every: int) -> tuple[Stepsize, BatchRule]:
    """The factor is multiplied at every step, not once a stage."""
    return step, GeometricBatch(8.0, 1, most=512)


def _whole_model(*_shapes: object, **_options: object) -> Optimizer[Any]:
    return LARS(((3,),), 0.5, 0.5, NormRatio(0.1))


@wrong_step("Catalyst forgetting its centre", judge=catalyst_by_hand, of=CatalystPSGD)
def forgetful_catalyst(
    own: CatalystPSGD, state: CatalystState, t: int, context: RunContext
) -> CatalystState:
    """y is renewed at every step"""
    return own.step(state._replace(centre=state.x), t, context)


@wrong_step("Catalyst keeping its first centre", judge=catalyst_by_hand, of=CatalystPSGD)
def stubborn_catalyst(
    own: CatalystPSGD, state: CatalystState, t: int, context: RunContext
) -> CatalystState:
    """y is never renewed

    The centre stays where the run began: another objective is minimised.
    """
    return replace(own, stage=10**9).step(state, t, context)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "warm-up that overshoots", "the stepsize goes on growing after the warm-up",
        warm_up, OvershootingWarmUp,
    ),
    fault(
        "linear scaling applied twice", "k^2 gamma: by the data loader and again by the schedule",
        linear_scaling, _twice,
    ),
    fault(
        "square-root scaling without the root", "k gamma, so Cov(gamma g) grows k times",
        sqrt_scaling, linear,
    ),
    fault(
        "batch growth dividing the stepsize as well", "the noise scale falls twice",
        batch_growth, _both,
    ),
    fault(
        "batch growth at every step", "the batch grows each step, not each stage",
        noise_scales, _every_step,
    ),
    fault(
        "LARS ratio inverted", "||g|| / ||w|| for ||w|| / ||g||",
        lars_by_layer, LARS(SHAPES, 0.0, _DECAY, InvertedRatio()),
    ),
    fault(
        "LARS over the whole model", "one ratio for all layers together",
        lars_by_layer, LARS(_WHOLE, 0.0, _DECAY, NormRatio()),
    ),
    fault(
        "LARS over the whole model, by hand", "the same against exact fractions",
        lars_exactly, _whole_model,
    ),
    fault(
        "LARS with its ratio outside the momentum", "the ratio scales the velocity when applied",
        lars_exactly, LateRatioLARS,
    ),
    fault(
        "LAMB without bias correction", "moments are used as they are",
        lamb_is_adamw, UncorrectedLAMB(adam(SHAPES, decay=_DECAY)),
    ),
    fault(
        "LAMB with coupled decay", "weight decay goes through the moments",
        lamb_by_layer, CoupledLAMB(LAMB(SHAPES), _DECAY),
    ),
    fault(
        "CR-PSGD with a batch that stays", "the stepsize stays too, and so does the noise",
        cr_psgd_rate, _still,
    ),
)  # fmt: skip
