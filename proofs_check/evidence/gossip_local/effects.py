"""Effects of local work over gossip, and faults planted in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np
import torch

from algorithms.compressors.identity import Identity
from algorithms.kernels.scaled_sum import add_scaled, add_scaled_onto
from algorithms.methods.base import Method, RunContext
from algorithms.methods.exchanges.gossip_rounds import PlainRound
from algorithms.methods.gossip.choco import ChocoRound, ChocoState
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_local.cola import CoLa, ColaState
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD, GossipLocalState
from algorithms.problems.columns import Columns
from algorithms.problems.columns_data import diabetes_products
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.base import Neighbours, Topology
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_local.closed_forms import fixed_points, mean_is_untouched, replay
from proofs_check.evidence.gossip_local.cola import dense_replay, mean_of_estimates
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.instruments.tuned_arm import MEASURED_ANEW
from proofs_check.instruments.variants import Fixed
from proofs_check.methods.faulty.faulty_method import FaultyMethod, LastStepAlone, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.stepsizes import ConstantStep

# Local SGD over gossip and CoLa with one fault each, and who sees it.

Built = Method[GossipLocalState]


@final
@dataclass(frozen=True)
class GossipBeforeLastStep(FaultyMethod):
    """X W - gamma G at a meeting: models are mixed before the last local step, not after it.

    Attributes:
        topology: the graph and its mixing matrix W.
    """

    right: GossipLocalSGD
    topology: Topology

    def step(self, state: GossipLocalState, t: int, context: RunContext) -> GossipLocalState:
        gamma, g = self.right.step_rule(t), context.gradient(state.x, t)
        if (t + 1) % self.right.period:
            return state._replace(x=add_scaled(state.x, -gamma, g))
        meeting = (t + 1) // self.right.period - 1
        x, _ = context.network.mix(
            context.pack(Identity(), state.x, t), self.topology.neighbours(meeting)
        )
        return state._replace(x=add_scaled_onto(x, -gamma, g))


def mixed_too_early(step: ConstantStep, topology: Topology, period: int) -> Built:
    """D-PSGD's order of step and mixing under local steps."""
    return GossipBeforeLastStep(GossipLocalSGD(step, PlainRound(topology), period), topology)


def period_off_by_one(step: ConstantStep, topology: Topology, period: int) -> Built:
    """H + 1 local steps between meetings."""
    return GossipLocalSGD(step, PlainRound(topology), period + 1)


def averaging_twice(step: ConstantStep, topology: Topology, period: int) -> Built:
    """W^2 in the place of W."""
    w = topology.matrix(0)
    return GossipLocalSGD(step, PlainRound(FixedMatrix(w @ w, "squared")), period)


@final
@dataclass(frozen=True)
class HastyRound(FaultyMethod):
    """Own copies take x before it is compressed, while neighbours hear the compressed change.

    Attributes:
        gossip: the genuine averaging round.
    """

    right: GossipLocalSGD
    gossip: ChocoRound

    def step(self, state: GossipLocalState, t: int, context: RunContext) -> GossipLocalState:
        after = self.right.step(state, t, context)
        if (t + 1) % self.right.period:
            return after
        g = context.gradient(state.x, t)
        x = add_scaled(state.x, -self.right.step_rule(t), g)
        mixed = after.memo.mixed
        moved = x + self.gossip.consensus_step * (mixed - x)
        return GossipLocalState(moved, ChocoState(moved, x, mixed))


def hasty(step: ConstantStep, gossip: ChocoRound, period: int) -> Built:
    """Public copies updated before they are sent."""
    return HastyRound(GossipLocalSGD(step, gossip, period), gossip)


@final
@dataclass(frozen=True)
class Unmixed(FaultyMethod):
    """v_i are never averaged: every worker sees its own block alone."""

    right: CoLa

    def step(self, state: ColaState, t: int, context: RunContext) -> ColaState:
        right, n = self.right, context.network.n
        change, move = right.local(state.x, state.v, t, context)
        return ColaState(state.x + right.gamma * change, state.v + right.gamma * n * move)


def self_twice(topology: Topology) -> Neighbours:
    """Neighbours whose own weight is doubled."""
    w = topology.matrix(0)
    return Neighbours(w + np.diag(w.diagonal()))


@final
@dataclass(frozen=True)
class OneGradientStep(FaultyMethod):
    r"""CoLa with a proximal gradient step in the place of its local solver: D_j = prox(x_j - s
    A_j^T \nabla f(v)) - x_j, s = \tau / (\sigma' \|A_i\|^2) as long as is safe."""

    right: CoLa

    def step(self, state: ColaState, t: int, context: RunContext) -> ColaState:
        right, linear = self.right, Columns.from_problem(context.problem)
        mixed = context.mixed(state.v, right.topology.neighbours(t), t)
        x, v = state.x.clone(), mixed.clone()
        for row, i in enumerate(context.network.workers.tolist()):
            own = slice(int(linear.first[i]), int(linear.last[i]))
            a = linear.columns[own]
            top = right.safety * linear.smoothness * float(torch.linalg.matrix_norm(a, 2)) ** 2
            g = linear.slope(mixed[..., row, :]) @ a.T + linear.l2 * state.x[..., row, own]
            moved = state.x[..., row, own] - g / (top + linear.l2)
            shrunk = (moved.abs() - linear.l1 / (top + linear.l2)).clamp_min(0) * moved.sign()
            change = right.gamma * (shrunk - state.x[..., row, own])
            x[..., row, own] += change
            v[..., row, :] += context.network.n * (change @ a)
        return ColaState(x, v)


def careless(topology: Topology, passes: int) -> Method[ColaState]:
    """sigma' = 1: the others' changes are left out of the local problem."""
    return CoLa(topology, passes, sigma=1.0)


@wrong_step("CoLa without the factor n", judge=mean_of_estimates, of=CoLa)
def unscaled_gossip_local(own: CoLa, state: ColaState, t: int, context: RunContext) -> ColaState:
    """v_i += gamma A_i D_i

    v_i += gamma A_i D_i, the factor n forgotten: the mean of the v_i is A x / n.
    """
    right = own
    v, _ = context.network.mix(context.pack(Identity(), state.v, t), right.topology.neighbours(t))
    change, move = right.local(state.x, v, t, context)
    return ColaState(state.x + right.gamma * change, v + right.gamma * move)


@wrong_step("CoLa with its own estimate twice", judge=mean_of_estimates, of=CoLa)
def own_estimate_twice(own: CoLa, state: ColaState, t: int, context: RunContext) -> ColaState:
    """own weight doubled: rows of W sum to more than 1"""
    right, n = own, context.network.n
    v, _ = context.network.mix(context.pack(Identity(), state.v, t), self_twice(right.topology))
    change, move = right.local(state.x, v, t, context)
    return ColaState(state.x + right.gamma * change, v + right.gamma * n * move)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "gossip before the last local step", "X W - gamma G in the place of (X - gamma G) W",
        replay, mixed_too_early,
    ),
    fault(
        "H counted off by one", "H + 1 local steps between rounds of gossip",
        fixed_points, period_off_by_one,
    ),
    fault(
        "local SGD over squared weights", "W^2 in the place of W: two rounds at the price of one",
        fixed_points, averaging_twice,
    ),
    fault(
        "copies ahead of what was sent", "own copies take x, neighbours hear Q(x - xhat)",
        mean_is_untouched, hasty,
    ),
    fault(
        "CoLa without mixing", "the estimates v_i are never averaged",
        dense_replay, wrapped(Unmixed, CoLa),
    ),
    fault("CoLa with sigma' = 1", "local problems as if nobody else moved", dense_replay, careless),
)  # fmt: skip


# Effects of local work over gossip.

COLA = contrast(
    "cola", "solving local problems saves rounds of messages",
    Setting(
        "lasso-diabetes-products", diabetes_products, 8, 500, None, points=200, d=Fixed.DATA,
        note="ring, 64 columns over the workers, a pass of coordinate descent a step",
    ),
    Reading(target=1e-3),
    method="CoLa",
    baseline=arm("one proximal gradient step in a round", lambda it: OneGradientStep(it.own)),
    without=arm("estimates of A x are never mixed", lambda it: Unmixed(it.own)),
    at_most=0.7, source="He, Bian, Jaggi 2018, arXiv:1808.04883, section 4",
)  # fmt: skip

GOSSIP_LOCAL_SGD = contrast(
    "gossip-local-sgd", "local steps between rounds of gossip save bits",
    Setting(
        "quadratic-unequal, sigma2 = 8", partial(unequal, sigma2=8.0), 8, 400,
        (0.03, 0.06, 0.12, 0.24), replicas=256, d=20, note="ring, d = 20",
        seed=MEASURED_ANEW,
    ),
    Reading("sent_bits", target=0.1, of=" of the mean model"),
    method="local SGD over gossip, H = 4",
    baseline=arm("D-PSGD", lambda it: DPSGD(it.step, Ring(it.problem.n))),
    without=arm(
        "of the steps between rounds only the last is kept", lambda it: LastStepAlone(it.own)
    ),
    at_most=0.65,
    source="Wang, Joshi 2018, arXiv:1808.07576; Koloskova et al. 2020, arXiv:2003.10422, Theorem 2",
)  # fmt: skip
