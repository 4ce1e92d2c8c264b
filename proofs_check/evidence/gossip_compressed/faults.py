"""Corrected and compressed gossip with one fault each, and who sees it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.methods.base import RunContext
from algorithms.methods.gossip_averaging.gossip_averaging import AveragingState
from algorithms.methods.gossip_compressed.d2 import D2, D2State
from algorithms.methods.gossip_compressed.dcd_psgd import DCDPSGD
from algorithms.methods.gossip_compressed.ecd_psgd import ECDPSGD
from algorithms.methods.gossip_compressed.lead import LEAD, LEADState
from algorithms.methods.gossip_compressed.quantimed import QuanTimed, QuanTimedState
from algorithms.methods.gossip_compressed.quantised_consensus import OwnValue, QuantisedConsensus
from algorithms.methods.parts.public_copies import PublicCopiesState
from proofs_check.evidence.gossip_compressed import closed_forms as d2
from proofs_check.evidence.gossip_compressed import closed_forms as quantimed_dsgd
from proofs_check.evidence.gossip_compressed import closed_forms_consensus as forms
from proofs_check.evidence.gossip_compressed import closed_forms_consensus as quantised_consensus
from proofs_check.evidence.gossip_compressed import closed_forms_difference as dcd_psgd
from proofs_check.evidence.gossip_compressed import (
    closed_forms_difference as difference_compression,
)
from proofs_check.evidence.gossip_compressed.faults_tracking import (
    lead_own_dual_step,
    lead_whole_around_step,
    without_dual,
)
from proofs_check.methods.faulty.faulty_method import FaultyMethod, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict


@final
@dataclass(frozen=True)
class UncorrectedD2(FaultyMethod):
    r"""X^{t+1} = W (X^t - \gamma G^t): the term X^t - X^{t-1} + \gamma G^{t-1} is missing."""

    right: D2

    def step(self, state: D2State, t: int, context: RunContext) -> D2State:
        return self.right.step(D2State(state.x, state.x), t, context)


@final
@dataclass(frozen=True)
class UnmixedD2(FaultyMethod):
    r"""X^{t+1} = W X^t + X^t - X^{t-1} - \gamma (G^t - G^{t-1}): W on the models alone."""

    right: D2

    def step(self, state: D2State, t: int, context: RunContext) -> D2State:
        after = self.right.step(state, t, context)
        packet = context.pack(Identity(), state.x, t, purpose="models")
        mixed, _ = context.network.mix(packet, self.right.topology.neighbours(0))
        return D2State(mixed + (after.before - state.before), after.before)


class OldGradient(NamedTuple):
    """Models now and before, and the gradients taken before: ``[..., m, d]``.

    Attributes:
        x: models now.
        old: models a step ago.
        g: gradients taken a step ago.
    """

    x: Tensor
    old: Tensor
    g: Tensor


@final
@dataclass(frozen=True)
class RescaledD2(FaultyMethod):
    r"""W (2 X^t - X^{t-1} - \gamma_t (G^t - G^{t-1})): the old gradient with the new stepsize."""

    right: D2

    def init(self, x0: Tensor, context: RunContext) -> OldGradient:
        x = self.right.init(x0, context).x
        return OldGradient(x, x, torch.zeros_like(x))

    def step(self, state: OldGradient, t: int, context: RunContext) -> OldGradient:
        g = context.gradient(state.x, t)
        row = 2 * state.x - state.old - self.right.step_rule(t) * (g - state.g)
        packet = context.pack(Identity(), row, t)
        mixed, _ = context.network.mix(packet, self.right.topology.neighbours(0))
        return OldGradient(mixed, state.x, g)


@final
@dataclass(frozen=True)
class SelfishDCD(FaultyMethod):
    r"""DCD-PSGD that keeps its own uncompressed model: x^{t+1} = x^{t+1/2}."""

    right: DCDPSGD

    def step(self, state: PublicCopiesState, t: int, context: RunContext) -> PublicCopiesState:
        exact = replace(self.right, compressor=Identity()).step(state, t, context)
        return PublicCopiesState(exact.x, self.right.step(state, t, context).mixed)


@final
@dataclass(frozen=True)
class DoubleStepDCD(FaultyMethod):
    r"""DCD-PSGD whose copies move before the difference is made: x^{t+1} = x^{t+1/2} + z_i."""

    right: DCDPSGD

    def step(self, state: PublicCopiesState, t: int, context: RunContext) -> PublicCopiesState:
        after = self.right.step(state, t, context)
        exact = replace(self.right, compressor=Identity()).step(state, t, context)
        return PublicCopiesState(exact.x + (after.x - state.x), after.mixed)


@final
@dataclass(frozen=True)
class ModelsDCD(FaultyMethod):
    r"""DCD-PSGD that compresses models, not differences: x^{t+1} = C(x^{t+1/2})."""

    right: DCDPSGD

    def step(self, state: PublicCopiesState, t: int, context: RunContext) -> PublicCopiesState:
        half = state.mixed - self.right.step_rule(t) * context.gradient(state.x, t)
        packet = context.pack(self.right.compressor.at_step(t), half, t)
        incoming = context.network.mix(packet, self.right.topology.neighbours(0))
        return PublicCopiesState(incoming.own, incoming.result)


@final
@dataclass(frozen=True)
class PlainECD(FaultyMethod):
    r"""ECD-PSGD without extrapolation: z_i = x_i^{t+1}, estimated as if it were extrapolated."""

    right: ECDPSGD

    def step(self, state: PublicCopiesState, t: int, context: RunContext) -> PublicCopiesState:
        x, s = self.right.step(state, t, context).x, t + 1
        packet = context.pack(self.right.compressor, x, t, purpose="plain")
        incoming, _ = context.network.mix(packet, self.right.topology.neighbours(0))
        return PublicCopiesState(x, (1 - 2 / s) * state.mixed + (2 / s) * incoming)


@final
@dataclass(frozen=True)
class SlowECD(FaultyMethod):
    r"""ECD-PSGD with the weights of a running mean: (1 - 1/s) \tilde x + C(z)/s."""

    right: ECDPSGD

    def step(self, state: PublicCopiesState, t: int, context: RunContext) -> PublicCopiesState:
        after = self.right.step(state, t, context)
        return PublicCopiesState(after.x, (state.mixed + after.mixed) / 2)


def _partial(*arguments: Any) -> QuantisedConsensus:
    return replace(QuantisedConsensus(*arguments), own=OwnValue.PARTIAL)


def _ecd_is_d_psgd(build: difference_compression.Build = ECDPSGD) -> Verdict:
    return difference_compression.equals_d_psgd(build, "ecd-psgd")


@wrong_step(
    "quantised consensus counting itself twice",
    judge=quantised_consensus.mean_is_kept,
    of=QuantisedConsensus,
)
def self_twice_consensus(
    own: QuantisedConsensus, state: AveragingState, t: int, context: RunContext
) -> AveragingState:
    """the own quantised value once more"""
    after = own.step(state, t, context)
    packet = context.pack(own.compressor, state.x, t)
    met = (after.x != state.x).any(-1, keepdim=True)
    return AveragingState(after.x + 0.5 * met * packet.own(context.network.workers))


@wrong_step(
    "QuanTimed-DSGD without epsilon on its gradient",
    judge=quantimed_dsgd.update_without_noise,
    of=QuanTimed,
)
def unscaled_quan_timed(
    own: QuanTimed, state: QuanTimedState, t: int, context: RunContext
) -> QuanTimedState:
    """alpha g for alpha epsilon g"""
    after = own.step(state, t, context)
    ended, _ = own.batches(t, context)
    g = own.gradient(state.x, ended, t, context)
    rest = own.step_rule(t) * (1 - own.mixing_rule(t))
    return after._replace(x=after.x - rest * g)


@wrong_step(
    "QuanTimed-DSGD dividing by what was begun", judge=quantimed_dsgd.gradient_law, of=QuanTimed
)
def full_batch_quan_timed(
    own: QuanTimed, state: QuanTimedState, t: int, context: RunContext
) -> QuanTimedState:
    """a late gradient counts as zero"""
    after = own.step(state, t, context)
    ended, _ = own.batches(t, context)
    mine = ended[..., context.network.workers]
    g = own.gradient(state.x, ended, t, context)
    share = own.step_rule(t) * own.mixing_rule(t)
    return after._replace(x=after.x + share * (1 - mine / own.most)[..., None] * g)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "D-squared without its correction", "X+ = W (X - gamma G), as the first step",
        d2.no_bias, wrapped(UncorrectedD2, D2),
    ),
    fault(
        "D-squared mixing the models alone", "the correction is added after W",
        d2.modes, wrapped(UnmixedD2, D2),
    ),
    fault(
        "D-squared with one stepsize for both gradients", "gamma_t (G_t - G_{t-1})",
        d2.mean_is_gradient_descent, wrapped(RescaledD2, D2),
    ),
    fault(
        "DCD-PSGD mixing its own model", "the own uncompressed model stays, neighbours add C(z)",
        dcd_psgd.mean_moves_by_what_was_sent, wrapped(SelfishDCD, DCDPSGD),
    ),
    MethodMutant(
        "DCD-PSGD ahead of its messages", "the own copy moves before the difference is made",
        lambda: difference_compression.equals_d_psgd(wrapped(DoubleStepDCD, DCDPSGD), "dcd-psgd"),
        lambda: difference_compression.equals_d_psgd(DCDPSGD, "dcd-psgd"),
    ),
    fault(
        "ECD-PSGD without extrapolation", "x itself is sent, the estimate is made all the same",
        _ecd_is_d_psgd, wrapped(PlainECD, ECDPSGD),
    ),
    fault(
        "ECD-PSGD estimating by a running mean", "1/t for 2/t in the estimate",
        _ecd_is_d_psgd, wrapped(SlowECD, ECDPSGD),
    ),
    fault(
        "quantised consensus that does not compensate", "(x_i + Q(x_j))/2 for the own exact value",
        quantised_consensus.mean_is_kept, _partial,
    ),
    fault(
        "quantised sums for differences", "W Q(x) where x + (W - I) Q(x) belongs",
        quantised_consensus.level_of_differences, quantised_consensus.sums,
    ),
)  # fmt: skip


# CEDAS with one fault each, and who sees it.

cedas_without_dual = wrong_step("CEDAS without its dual", judge=forms.cedas_stays, of=forms.cedas)(
    without_dual
)
cedas_own_dual = wrong_step(
    "CEDAS with the own message alone in its dual", judge=forms.cedas_dual_sum, of=forms.cedas
)(lead_own_dual_step)
cedas_whole_around = wrong_step(
    "CEDAS whose neighbours' copies move whole", judge=forms.cedas_copies, of=forms.cedas
)(lead_whole_around_step)


@wrong_step("CEDAS with LEAD's dual", judge=forms.cedas_is_diffusion, of=forms.cedas)
def dual_of_lead(own: LEAD, state: LEADState, t: int, context: RunContext) -> LEADState:
    """the stepsize of now in the place of those at which the dual was filled"""
    return replace(own, steps_in_dual=False).step(state, t, context)


@wrong_step("CEDAS with twice the dual step", judge=forms.cedas_is_lead, of=forms.cedas)
def cedas_double_dual(own: LEAD, state: LEADState, t: int, context: RunContext) -> LEADState:
    """c in the place of c / 2"""
    after = own.step(state, t, context)
    moved = after.dual - state.dual
    return after._replace(dual=after.dual + moved, x=after.x - moved)
