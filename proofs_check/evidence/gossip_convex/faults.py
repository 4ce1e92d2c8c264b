"""Mutants of the decentralised methods for convex functions, and the checks that see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method, RunContext
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_convex.dual_averaging import DualAveraging
from algorithms.methods.gossip_convex.gossip_dual_averaging import (
    GossipDualAveraging,
    GossipDualState,
)
from algorithms.methods.gossip_convex.mirror_descent import MirrorDescent, MirrorState
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd
from algorithms.methods.parts.gradients import Full
from algorithms.sets.base import ConvexSet
from algorithms.sets.geometry import Euclidean, Geometry, NegativeEntropy
from algorithms.topologies.base import Topology
from proofs_check.evidence.gossip.effects import own_weights
from proofs_check.evidence.gossip_convex.closed_forms import (
    constrained,
    fixed_points,
    guests_at_home,
    is_d_psgd,
    mean_recursion,
    one_cost,
)
from proofs_check.methods.faulty.faulty_method import FaultyMethod, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.stepsizes import Stepsize


@final
@dataclass(frozen=True)
class ProjectedFirst(FaultyMethod):
    """Projected DGD that projects what it hears and then moves: models leave the set."""

    right: MirrorDescent

    def step(self, state: MirrorState, t: int, context: RunContext) -> MirrorState:
        packet = context.pack(Identity(), state.x, t)
        mixed, _ = context.network.mix(packet, self.right.topology.neighbours(t))
        point = self.right.geometry.start(mixed)
        g = self.right.gradients.compute(point, t, context)
        return MirrorState(point - self.right.step_rule(t) * g)


@final
@dataclass(frozen=True)
class FirstStep(Stepsize):
    """The rule's first stepsize for ever."""

    rule: Stepsize

    def __call__(self, t: int) -> float:
        return self.rule(0)

    def __str__(self) -> str:
        return f"the first of {self.rule}"


@final
@dataclass(frozen=True)
class NoInverse(Geometry):
    """The entropy's mirror map, a step, and no way back: logarithms brought to sum one."""

    @property
    def name(self) -> str:
        return "entropy without its inverse"

    def start(self, x0: Tensor) -> Tensor:
        return NegativeEntropy().start(x0)

    def step(self, x: Tensor, g: Tensor, gamma: float) -> Tensor:
        dual = x.log() - gamma * g
        return dual / dual.sum(-1, keepdim=True)


@final
@dataclass(frozen=True)
class GuestsAtHome(FaultyMethod):
    """Gossip dual averaging whose samples stay at home: gradients are over own pairs alone."""

    right: GossipDualAveraging

    def step(self, state: GossipDualState, t: int, context: RunContext) -> GossipDualState:
        return self.right.step(state, t, context)._replace(guests=state.guests)


@final
@dataclass(frozen=True)
class AllAtHome(FaultyMethod):
    """Gossip dual averaging of workers by themselves: neither sums nor samples travel."""

    right: GossipDualAveraging

    def step(self, state: GossipDualState, t: int, context: RunContext) -> GossipDualState:
        z = state.z + self.right.guests.gradient(state.x, state.guests, t, context)
        x = self.right.geometry.step(state.start, z, self.right.step_rule(t))
        return state._replace(x=x, z=z)


@final
@dataclass(frozen=True)
class Speechless(FaultyMethod):
    """DGD whose workers take their steps and exchange nothing."""

    right: DPSGD

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        g = self.right.gradients.compute(state.x, t, context)
        return state._replace(x=state.x - self.right.step_rule(t) * g)


@final
@dataclass(frozen=True)
class CopiedGuests(FaultyMethod):
    """Gossip dual averaging in which the worker of the lower id keeps its guest, a copy goes on."""

    right: GossipDualAveraging

    def step(self, state: GossipDualState, t: int, context: RunContext) -> GossipDualState:
        after = self.right.step(state, t, context)
        met = self.right.meetings.draw(t, context.key, context.replicas).sources[..., -1]
        keeps = (met > torch.arange(self.right.meetings.n))[..., context.network.workers, None]
        return after._replace(guests=torch.where(keeps, state.guests, after.guests))


def mixed_point(step: Stepsize, topology: Topology) -> Method[Any]:
    """DGD with its gradient at the mixed point: mirror descent posing as it."""
    return MirrorDescent(step, topology, Euclidean(), Full())


def projects_first(step: Stepsize, topology: Topology, domain: ConvexSet) -> Method[Any]:
    """Projected DGD in the wrong order."""
    return ProjectedFirst(projected_dgd(step, topology, domain))


@wrong_step("dual averaging that mixes models", judge=is_d_psgd, of=DualAveraging)
def mixed_models(own: DualAveraging, state: Any, t: int, context: RunContext) -> Any:
    """models are averaged, sums of gradients are not"""
    z = state.z + context.gradient(state.x, t)
    x = own.geometry.step(state.start, z, own.step_rule(t))
    packet = context.pack(Identity(), x, t)
    mixed, _ = context.network.mix(packet, own.topology.neighbours(t))
    return state._replace(x=mixed, z=z)


@wrong_step("dual averaging counting itself twice", judge=mean_recursion, of=DualAveraging)
def sums_twice(own: DualAveraging, state: Any, t: int, context: RunContext) -> Any:
    """the self-weight W_ii is added once more"""
    after = own.step(state, t, context)
    z = after.z + own_weights(own.topology, context) * state.z
    x = own.geometry.step(state.start, z, own.step_rule(t))
    return after._replace(x=x, z=z)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "DGD with its gradient at the mixed point", "grad f_i(sum_j W_ij x_j)",
        fixed_points, mixed_point,
    ),
    fault(
        "projection before the step", "sum_j W_ij P(x_j) and then the gradient",
        constrained, projects_first,
    ),
    fault(
        "dual averaging whose step does not fall", "alpha_0 for alpha_t",
        mean_recursion, lambda s, w: DualAveraging(FirstStep(s), w),
    ),
    MethodMutant(
        "mirror map without its inverse", "log x - gamma g is taken for the model",
        lambda: one_cost(geometry=NoInverse()), one_cost,
    ),
    MethodMutant(
        "guests copied instead of swapped", "one of a pair keeps its guest",
        lambda: guests_at_home(wrapped(CopiedGuests, GossipDualAveraging), (1,)),
        lambda: guests_at_home(ticks=(1,)),
    ),
)  # fmt: skip
