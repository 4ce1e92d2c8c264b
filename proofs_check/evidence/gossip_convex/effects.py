"""Effects of gossip for convex functions, and faults planted in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method, RunContext
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_convex.dual_averaging import DualAveraging
from algorithms.methods.gossip_convex.gossip_dual_averaging import (
    GossipDualAveraging,
    GossipDualState,
)
from algorithms.methods.gossip_convex.mirror_descent import MirrorDescent, MirrorState
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd
from algorithms.methods.gossip_directed.gossipgrad import GossipGraD
from algorithms.methods.parts.gradients import Full
from algorithms.problems.absolute_data import simplex_signs
from algorithms.problems.pairwise import breast_cancer_pairs
from algorithms.problems.partitions import SortedByLabel
from algorithms.problems.quadratic_data import BOUND, on_ball, unequal
from algorithms.sets.ball import Ball
from algorithms.sets.base import ConvexSet, Unconstrained
from algorithms.sets.geometry import Euclidean, Geometry, NegativeEntropy
from algorithms.sets.simplex import Simplex
from algorithms.topologies.averaging import Averaging
from algorithms.topologies.base import Topology
from algorithms.topologies.random_digraph import RandomDigraph
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip.effects import own_weights
from proofs_check.evidence.gossip_convex.closed_forms import (
    constrained,
    fixed_points,
    guests_at_home,
    is_d_psgd,
    mean_recursion,
    one_cost,
)
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.effect_check import StepsizeChoice
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import FromProblem, Setting
from proofs_check.instruments.variants import Fixed
from proofs_check.methods.faulty.faulty_method import FaultyMethod, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.stepsizes import InverseRootStep, Stepsize


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


_MEAN_MODEL = " of the mean model"


def _root(scale: float) -> FromProblem:
    """Multiples of ``scale`` / sqrt(t + 1)."""
    return FromProblem(f"gamma_t = {scale:g}/sqrt(t + 1)", lambda _: InverseRootStep(scale))


DGD = contrast(
    "dgd", "neighbours' averages at every step lead to the optimum of the sum",
    Setting(
        "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 8, 1200,
        (0.005, 0.02, 0.1, 1.0), points=200, d=20, note="ring",
    ),
    Reading(of=_MEAN_MODEL),
    method="DGD",
    baseline=arm(
        "each to its own minimum, averaged once", lambda it: Speechless(it.own)
    ),
    without=arm(
        "means of what is heard over a digraph, in which workers do not count alike",
        lambda it: GossipGraD(
            it.step, FixedLinks(Averaging(RandomDigraph(it.problem.n, 0.4, seed=7))),
            shuffle=False,
        ),
    ),
    at_most=0.02,
    source="Nedic, Ozdaglar 2009, IEEE TAC 54(1), Proposition 3: a neighbourhood of the optimum of "
    "the size of the stepsize",
)  # fmt: skip

GOSSIP_DUAL_AVERAGING = contrast(
    "gossip-dual-averaging", "samples that travel make functions of pairs a matter of gossip",
    Setting(
        "pairwise-logistic, sorted by label",
        partial(breast_cancer_pairs, lam=0.05, samples=4, partition=SortedByLabel()), 6, 300,
        _root(0.2), replicas=48, points=60, d=Fixed.DATA,
        note="a step is a tick, random pairs of a ring, 4 samples each",
    ),
    Reading(quantity="distance_of_workers"),
    method="gossip dual averaging",
    baseline=arm(
        "workers by themselves, over own pairs alone", lambda it: AllAtHome(it.own)
    ),
    without=arm("sums are averaged, samples stay at home", lambda it: GuestsAtHome(it.own)),
    at_most=0.05,
    source="Colin, Bellet, Salmon, Clemencon 2016, arXiv:1606.02421, Theorem 3 and section 5",
)  # fmt: skip


def _projection(it: Any) -> Method[Any]:
    return MirrorDescent(it.step, Ring(it.problem.n), Euclidean(Simplex()))


MIRROR_DESCENT = contrast(
    "mirror-descent", "on the simplex steps in the entropy beat projections",
    Setting(
        "simplex-signs, d = 200", simplex_signs, 8, 100, (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0),
        replicas=16, points=60, d=200, note="ring, 200 signs of which a gradient takes one",
    ),
    Reading(of=_MEAN_MODEL),
    method="mirror descent, entropy",
    baseline=arm(
        "projected gradients", _projection, step=tuple(2.0**-k for k in range(6, 11))
    ),
    without=arm(
        "the mirror map left out: Euclidean projection with the method's stepsizes", _projection
    ),
    at_most=0.3,
    source="Rabbat 2015, IEEE CAMSAP; for the simplex Beck, Teboulle 2003, Oper. Res. Lett. 31(3): "
    "sqrt(log d) where projection has sqrt(d)",
    scales=("linear", "log"), tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip


@final
@dataclass(frozen=True)
class ProjectedInTheEnd(FaultyMethod):
    """The mean of the models, projected when it is looked at: the steps know nothing of the set."""

    right: Method[Any]

    @property
    def shared_model(self) -> bool:  # type: ignore[override]
        return True

    def step(self, state: Any, t: int, context: Any) -> Any:
        return self.right.step(state, t, context)

    def models(self, state: Any) -> Tensor:
        rows = self.right.models(state)
        return Ball(BOUND[1]).project(rows.mean(-2, keepdim=True)).expand_as(rows)


PROJECTED_DGD = contrast(
    "projected-dgd", "projecting at every step finds the optimum over a set that binds",
    Setting(
        "quadratic-ball, no noise", partial(on_ball, sigma2=0.0), 8, 800, _root(0.5),
        points=200, d=20, note=f"ring, radius {BOUND[1]:g}",
    ),
    Reading(quantity="squared_distance", of=_MEAN_MODEL),
    method="projected DGD",
    baseline=arm(
        "DGD without a set, its mean model projected in the end",
        lambda it: ProjectedInTheEnd(
            projected_dgd(it.step, Ring(it.problem.n), Unconstrained())
        ),
    ),
    without=arm(
        "a ball of radius 100, which never binds",
        lambda it: projected_dgd(it.step, Ring(it.problem.n), Ball(100.0)),
    ),
    at_most=0.35,
    source="Ram, Nedic, Veeravalli 2010, arXiv:0811.2595, Theorem 2: convergence to the optimum "
    "over the set",
)  # fmt: skip


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
