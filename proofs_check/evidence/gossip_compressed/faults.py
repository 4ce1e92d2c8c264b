"""Compressed gossip, trackers and corrections with one fault each, and who sees it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import torch

from algorithms.compressors.identity import Identity
from algorithms.methods.base import RunContext
from algorithms.methods.gossip.d_psgd import DPSGDState
from algorithms.methods.gossip_averaging.gossip_averaging import AveragingState
from algorithms.methods.gossip_compressed.beer import BEER, BEERState
from algorithms.methods.gossip_compressed.dcd_psgd import DCDPSGD
from algorithms.methods.gossip_compressed.deep_squeeze import DeepSqueeze, DeepSqueezeState
from algorithms.methods.gossip_compressed.ecd_psgd import ECDPSGD
from algorithms.methods.gossip_compressed.lead import LEAD, LEADState
from algorithms.methods.gossip_compressed.moniqua import Moniqua
from algorithms.methods.gossip_compressed.quantimed import QuanTimed, QuanTimedState
from algorithms.methods.gossip_compressed.quantised_consensus import OwnValue, QuantisedConsensus
from algorithms.methods.parts.public_copies import PublicCopiesState
from proofs_check.evidence.gossip_compressed import closed_forms as rest
from proofs_check.evidence.gossip_compressed import closed_forms_consensus as consensus
from proofs_check.evidence.gossip_compressed import closed_forms_difference as differences
from proofs_check.evidence.gossip_compressed import closed_forms_tracking as trackers
from proofs_check.methods.faulty.faulty_method import FaultyMethod, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict


def untracked(own: BEER, state: BEERState, t: int, context: RunContext) -> BEERState:
    """V is the own gradient: nothing is tracked"""
    zero = torch.zeros_like(state.v)
    return own.step(state._replace(v=state.m, tracked=zero, tracked_around=zero), t, context)


beer_untracked = wrong_step("BEER without its tracker", judge=trackers.beer_settles, of=BEER)(
    untracked
)
beer_moved = wrong_step("BEER without its tracker, at rest", judge=rest.beer_stays, of=BEER)(
    untracked
)
motef_moved = wrong_step(
    "MoTEF without its tracker, at rest", judge=rest.motef_stays, of=trackers.motef
)(untracked)


@wrong_step("BEER with a tracker that starts at 0", judge=trackers.beer_mean, of=BEER)
def beer_from_zero(own: BEER, state: BEERState, t: int, context: RunContext) -> BEERState:
    """V0 = 0 in the place of G0"""
    after = own.step(state, t, context)
    return after if t else after._replace(v=torch.zeros_like(after.v))


@wrong_step("BEER whose own copies are not compressed", judge=trackers.beer_copies, of=BEER)
def beer_own_copies(own: BEER, state: BEERState, t: int, context: RunContext) -> BEERState:
    """H = X and Z = V at home, while neighbours hear C(X - H) and C(V - Z)"""
    after = own.step(state, t, context)
    return after._replace(public=after.x, tracked=after.v)


@wrong_step("BEER with mixing at full length", judge=trackers.beer_is_diging, of=BEER)
def beer_full_mixing(own: BEER, state: BEERState, t: int, context: RunContext) -> BEERState:
    """c = 1 whatever the consensus stepsize says"""
    return replace(own, consensus_step=1.0).step(state, t, context)


@wrong_step("MoTEF that averages nothing", judge=trackers.motef_printed, of=trackers.motef)
def motef_fresh(own: BEER, state: BEERState, t: int, context: RunContext) -> BEERState:
    """the fresh gradient in the place of its moving mean"""
    return replace(own, momentum=1.0).step(state, t, context)


@wrong_step("MoTEF that starts its mean at 0", judge=trackers.motef_printed, of=trackers.motef)
def motef_from_zero(own: BEER, state: BEERState, t: int, context: RunContext) -> BEERState:
    """M0 = m G0 in the place of G0"""
    if t:
        return own.step(state, t, context)
    late = own.step(state, 1, context)
    return late


def without_dual(own: LEAD, state: LEADState, t: int, context: RunContext) -> LEADState:
    """D never kept: the bias comes back"""
    return own.step(state._replace(dual=torch.zeros_like(state.dual)), t, context)


lead_without_dual = wrong_step("LEAD without its dual", judge=trackers.lead_stays, of=LEAD)(
    without_dual
)


def lead_whole_around_step(own: LEAD, state: LEADState, t: int, context: RunContext) -> LEADState:
    """The step alpha left out of the copy of W H."""
    after = own.step(state, t, context)
    return after._replace(around=state.around + (after.around - state.around) / own.copy_rate)


lead_whole_around = wrong_step(
    "LEAD whose neighbours' copies move whole", judge=trackers.lead_copies, of=LEAD
)(lead_whole_around_step)


@wrong_step("LEAD with twice the dual step", judge=trackers.lead_is_diffusion, of=LEAD)
def lead_double_dual(own: LEAD, state: LEADState, t: int, context: RunContext) -> LEADState:
    """c / gamma in the place of c / (2 gamma)"""
    after = own.step(state, t, context)
    moved = after.dual - state.dual
    return after._replace(dual=after.dual + moved, x=after.x - own.step_rule(t) * moved)


def lead_own_dual_step(own: LEAD, state: LEADState, t: int, context: RunContext) -> LEADState:
    """D moves by the own copy, not by (I - W) of all"""
    after = own.step(state, t, context)
    return after._replace(dual=state.dual + after.public)


lead_own_dual = wrong_step(
    "LEAD with the own message alone in its dual", judge=trackers.lead_dual_sum, of=LEAD
)(lead_own_dual_step)


def error_dropped(
    own: DeepSqueeze, state: DeepSqueezeState, t: int, context: RunContext
) -> DeepSqueezeState:
    """e = 0: what a message left out is forgotten"""
    return own.step(state._replace(e=torch.zeros_like(state.e)), t, context)


squeeze_without_error = wrong_step(
    "DeepSqueeze without error feedback", judge=trackers.squeeze_printed, of=DeepSqueeze
)(error_dropped)


@wrong_step("DeepSqueeze whose error enters the model", judge=trackers.squeeze_mean, of=DeepSqueeze)
def squeeze_error_in_model(
    own: DeepSqueeze, state: DeepSqueezeState, t: int, context: RunContext
) -> DeepSqueezeState:
    """x+ = v + eta (W - I) q: the error is added to the model as well"""
    after = own.step(state, t, context)
    return after._replace(x=after.x + state.e)


@wrong_step("Moniqua on a circle that is too short", judge=trackers.moniqua_mean, of=Moniqua)
def moniqua_aliased(own: Moniqua, state: DPSGDState, t: int, context: RunContext) -> DPSGDState:
    """B / 64: neighbours are farther than theta, and taken for others"""
    short = replace(own.circle, length=own.circle.length / 64)
    return replace(own, circle=short).step(state, t, context)


@wrong_step("Moniqua that keeps its own exact model", judge=trackers.moniqua_mean, of=Moniqua)
def moniqua_uncorrected(own: Moniqua, state: DPSGDState, t: int, context: RunContext) -> DPSGDState:
    """x_i in the place of its own reading: the sender does not correct"""
    after = own.step(state, t, context)
    packet = context.pack(own.circle, state.x, t)
    reading = own.circle.read_by(packet.own(context.network.workers), state.x)
    others = 1 - torch.from_numpy(own.topology.matrix(t).diagonal().copy())
    mine = others[context.network.workers, None]
    return DPSGDState(after.x + mine * (reading - state.x))


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


def _ecd_is_d_psgd(build: differences.Build = ECDPSGD) -> Verdict:
    return differences.equals_d_psgd(build, "ecd-psgd")


@wrong_step(
    "quantised consensus counting itself twice",
    judge=consensus.mean_is_kept,
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
    judge=rest.update_without_noise,
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


@wrong_step("QuanTimed-DSGD dividing by what was begun", judge=rest.gradient_law, of=QuanTimed)
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


# CEDAS with one fault each, and who sees it.

cedas_without_dual = wrong_step(
    "CEDAS without its dual", judge=consensus.cedas_stays, of=consensus.cedas
)(without_dual)
cedas_own_dual = wrong_step(
    "CEDAS with the own message alone in its dual",
    judge=consensus.cedas_dual_sum,
    of=consensus.cedas,
)(lead_own_dual_step)
cedas_whole_around = wrong_step(
    "CEDAS whose neighbours' copies move whole", judge=consensus.cedas_copies, of=consensus.cedas
)(lead_whole_around_step)


@wrong_step("CEDAS with LEAD's dual", judge=consensus.cedas_is_diffusion, of=consensus.cedas)
def dual_of_lead(own: LEAD, state: LEADState, t: int, context: RunContext) -> LEADState:
    """the stepsize of now in the place of those at which the dual was filled"""
    return replace(own, steps_in_dual=False).step(state, t, context)


@wrong_step("CEDAS with twice the dual step", judge=consensus.cedas_is_lead, of=consensus.cedas)
def cedas_double_dual(own: LEAD, state: LEADState, t: int, context: RunContext) -> LEADState:
    """c in the place of c / 2"""
    after = own.step(state, t, context)
    moved = after.dual - state.dual
    return after._replace(dual=after.dual + moved, x=after.x - moved)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "DCD-PSGD mixing its own model", "the own uncompressed model stays, neighbours add C(z)",
        differences.mean_moves_by_what_was_sent, wrapped(SelfishDCD, DCDPSGD),
    ),
    MethodMutant(
        "DCD-PSGD ahead of its messages", "the own copy moves before the difference is made",
        lambda: differences.equals_d_psgd(wrapped(DoubleStepDCD, DCDPSGD), "dcd-psgd"),
        lambda: differences.equals_d_psgd(DCDPSGD, "dcd-psgd"),
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
        consensus.mean_is_kept, _partial,
    ),
    fault(
        "quantised sums for differences", "W Q(x) where x + (W - I) Q(x) belongs",
        consensus.level_of_differences, consensus.sums,
    ),
)  # fmt: skip
