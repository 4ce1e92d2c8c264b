"""D-PSGD and CHOCO with one fault each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.methods.base import RunContext
from algorithms.methods.gossip.choco import Choco, ChocoGossip, ChocoSGD, ChocoState
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip.closed_forms import (
    covariance_of_gossip,
    gossip_mean_is_bsp,
    ring_bias,
)
from proofs_check.evidence.gossip.closed_forms_choco import first_round, mean_is_kept
from proofs_check.methods.faulty.faulty_method import FaultyMethod, wrapped
from proofs_check.methods.faulty.methods import HastyChoco, LeakyRing, SelfishChoco, SelfTwiceDPSGD
from proofs_check.mutants.method_mutant import MethodMutant, fault
from theory.stepsizes import Stepsize


class LateState(NamedTuple):
    """Models now and one step ago ``[..., m, d]``.

    Attributes:
        x: models now.
        before: models a step ago.
    """

    x: Tensor
    before: Tensor


def own_weights(topology: Topology, context: RunContext) -> Tensor:
    """W_ii of the rows held here ``[m, 1]``."""
    diagonal = torch.from_numpy(topology.matrix(0).diagonal().copy())
    return diagonal[context.network.workers][:, None]


@final
@dataclass(frozen=True)
class StaleDPsgd(FaultyMethod):
    """D-PSGD whose neighbours are heard a step late: W_ii x_i^t + sum of W_ij x_j^{t-1}."""

    right: DPSGD

    def init(self, x0: Tensor, context: RunContext) -> LateState:
        x = self.right.init(x0, context).x
        return LateState(x, x)

    def step(self, state: LateState, t: int, context: RunContext) -> LateState:
        g = context.gradient(state.x, t)
        packet = context.pack(Identity(), state.before, t)
        late, _ = context.network.mix(packet, self.right.topology.neighbours(t))
        mixed = late + own_weights(self.right.topology, context) * (state.x - state.before)
        return LateState(mixed - self.right.step_rule(t) * g, state.x)


@final
@dataclass(frozen=True)
class ForgetfulChoco(FaultyMethod):
    """CHOCO without public copies: every round compresses the models themselves."""

    right: Choco

    def step(self, state: ChocoState, t: int, context: RunContext) -> ChocoState:
        nothing = torch.zeros_like(state.public)
        return self.right.step(ChocoState(state.x, nothing, nothing), t, context)


def twice_as_far(step: Stepsize, on: Topology, operator: Compressor, gamma: float) -> ChocoSGD:
    """CHOCO-SGD whose consensus step is twice what it states."""
    return ChocoSGD(step, on, operator, 2 * gamma)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "gossip's covariance with noise 10 % too large", "variance 1.1 v in the place of v",
        covariance_of_gossip, 1.1,
    ),
    fault(
        "CHOCO with a doubled consensus step", "gamma (W - I) is applied twice as strongly",
        first_round, twice_as_far,
    ),
    MethodMutant(
        "leaky weights", "a W whose rows sum to 0.99",
        lambda: gossip_mean_is_bsp(DPSGD, LeakyRing(8)), lambda: gossip_mean_is_bsp(DPSGD, Ring(8)),
    ),
    fault(
        "D-PSGD counting itself twice", "the self-weight W_ii is added once more",
        ring_bias, wrapped(SelfTwiceDPSGD, DPSGD),
    ),
    fault(
        "CHOCO ahead of its messages", "the own public copy moves before the neighbours hear of it",
        mean_is_kept, wrapped(HastyChoco, ChocoGossip),
    ),
    fault(
        "CHOCO mixing its own model", "the own uncompressed model takes the public copy's place",
        mean_is_kept, wrapped(SelfishChoco, ChocoGossip),
    ),
    fault(
        "D-PSGD with old neighbours", "neighbours' models of the step before are mixed",
        gossip_mean_is_bsp, wrapped(StaleDPsgd, DPSGD),
    ),
)  # fmt: skip
