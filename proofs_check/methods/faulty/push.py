"""Push methods with one fault each: weights, ratios, messages in flight, what is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.methods.base import RunContext
from algorithms.methods.gossip_directed.overlap_sgp import OverlapSGP
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.gossip_directed.subgradient_push import (
    SubgradientPush,
    SubgradientPushState,
)
from algorithms.methods.parts.push import PushState, push, ratio
from algorithms.topologies.base import MixingSequence, Neighbours
from proofs_check.methods.faulty.faulty_method import FaultyMethod


@final
@dataclass(frozen=True)
class Undivided(FaultyMethod):
    """The sum itself is taken for the mean."""

    right: PushSum

    def step(self, state: PushState, t: int, context: RunContext) -> PushState:
        return self.right.step(state, t, context)

    def models(self, state: PushState) -> Tensor:
        return state.s


@final
@dataclass(frozen=True)
class WeightKept(FaultyMethod):
    """The weight is not sent: everyone keeps its own."""

    right: PushSum | SGP

    def step(self, state: PushState, t: int, context: RunContext) -> PushState:
        return self.right.step(state, t, context)._replace(w=state.w)


@final
@dataclass(frozen=True)
class DividedTwice(FaultyMethod):
    """The ratio goes into the next round's sum, and is divided by the weight again."""

    right: PushSum

    def step(self, state: PushState, t: int, context: RunContext) -> PushState:
        after = self.right.step(state, t, context)
        return after._replace(s=ratio(after))


@final
@dataclass(frozen=True)
class MeanOfHeard(FaultyMethod):
    """No weights at all: everyone takes the mean of what it hears, rows sum to 1."""

    right: PushSum

    def step(self, state: PushState, t: int, context: RunContext) -> PushState:
        alike = torch.ones_like(state.w)
        after = self.right.step(state._replace(w=alike), t, context)
        return PushState(ratio(after), alike)


@final
@dataclass(frozen=True)
class StalePushSum(FaultyMethod):
    """Neighbours' rows are those of the step before, and nobody counts what is under way.

    The state holds sums and weights of now and before, ``[..., m, 2 d]`` and ``[..., m, 2]``.

    Attributes:
        graph: the sequence of mixing matrices.
    """

    right: PushSum
    graph: MixingSequence

    def init(self, x0: Tensor, context: RunContext) -> PushState:
        s, w = self.right.init(x0, context)
        return PushState(torch.cat((s, s), -1), torch.cat((w, w), -1))

    def step(self, state: PushState, t: int, context: RunContext) -> PushState:
        (s, old_s), (w, old_w) = state.s.chunk(2, -1), state.w.chunk(2, -1)
        p = self.graph.matrix(t)
        packet = context.pack(Identity(), torch.cat((old_s, old_w), -1), t)
        incoming = context.network.mix(packet, Neighbours(p - np.diag(p.diagonal()))).result
        kept = torch.from_numpy(p.diagonal().copy())[context.network.workers, None]
        new = incoming + kept * torch.cat((s, w), -1)
        return PushState(torch.cat((new[..., :-1], s), -1), torch.cat((new[..., -1:], w), -1))

    def models(self, state: PushState) -> Tensor:
        return state.s.chunk(2, -1)[0] / state.w.chunk(2, -1)[0]


@final
@dataclass(frozen=True)
class DroppedInFlight(FaultyMethod):
    """Overlap SGP that forgets what has not arrived when the next round begins."""

    right: OverlapSGP

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        return self.right.step(state._replace(flight=torch.zeros_like(state.flight)), t, context)


@final
@dataclass(frozen=True)
class GradientSent(FaultyMethod):
    r"""x_i -= \gamma \sum_j P_{ij} g_j(z_j): the gradient is sent, as the survey says (E34)."""

    right: SGP

    def step(self, state: PushState, t: int, context: RunContext) -> PushState:
        g = context.gradient(ratio(state), t)
        sent = push(g, state.w, self.right.exchange, t, context)
        return PushState(state.s - self.right.step_rule(t) * sent.s, sent.w)


@final
@dataclass(frozen=True)
class GradientAtSum(FaultyMethod):
    """SGP whose gradient is taken at the biased x, not at z = x / w."""

    right: SGP

    def step(self, state: PushState, t: int, context: RunContext) -> PushState:
        x = state.s - self.right.step_rule(t) * context.gradient(state.s, t)
        return push(x, state.w, self.right.exchange, t, context)


@final
@dataclass(frozen=True)
class PushAtSum(FaultyMethod):
    """Subgradient-push whose gradient is taken at the mixed sum, not at the ratio."""

    right: SubgradientPush

    def step(
        self, state: SubgradientPushState, t: int, context: RunContext
    ) -> SubgradientPushState:
        mixed = push(state.s, state.w, self.right.exchange, t, context)
        x = mixed.s - self.right.step_rule(t) * context.gradient(mixed.s, t)
        return SubgradientPushState(x, mixed.w, ratio(mixed))
