"""Methods with one fault planted in each: what the checks must refute.

They live here and not under ``algorithms``: no row of the catalogue may be made of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.memories.base import Memory, Round
from algorithms.methods.base import RunContext
from algorithms.methods.gossip.choco import ChocoGossip, ChocoState
from algorithms.methods.gossip.d_psgd import DPSGD, DPSGDState
from algorithms.methods.local_updates.local_sgd import LocalSGD, LocalSGDState
from algorithms.methods.synchronous.bsp import BSP, BSPState
from algorithms.methods.synchronous.parameter_server import ParameterServer, ServerState
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.ring import Ring
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from theory.arrays import Floats
from theory.stepsizes import Stepsize


@final
@dataclass(frozen=True)
class ForgetfulFeedback(Memory[Tensor]):
    r"""v_t = g_t - C(v_{t-1} + g_t): the survey's box (Sect. IX-A), the old residual dropped."""

    holds_steps: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return "error feedback as printed"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
        return torch.zeros(shape, dtype=dtype, device=device)

    def before(self, state: Tensor, x: Tensor) -> Tensor:
        return state + x

    def after(self, state: Tensor, round_: Round) -> Tensor:
        return round_.x - round_.sent


@final
@dataclass(frozen=True)
class GradientAveragingLocalSGD(FaultyMethod):
    r"""Survey Eq. 9 as printed: when H | t+1, x_i - \gamma \frac1n \sum_j g_j(x_j).

    Attributes:
        step_rule: the stepsizes [x^2 / f].
        period: H.
    """

    step_rule: Stepsize
    period: int

    @property
    def right(self) -> LocalSGD:
        return LocalSGD(self.step_rule, self.period)

    def step(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        g = context.gradient(state.x, t)
        if (t + 1) % self.period == 0:
            g, _ = context.network.average(context.pack(Identity(), g, t))
        return state._replace(x=state.x - self.step_rule(t) * g)


@final
@dataclass(frozen=True)
class MisscaledStep(Stepsize):
    """Another rule's stepsize times ``factor``."""

    rule: Stepsize
    factor: float

    def __call__(self, t: int) -> float:
        return self.factor * self.rule(t)

    def __str__(self) -> str:
        return f"{self.factor:g} ({self.rule})"


@final
@dataclass(frozen=True)
class MisscaledBSP(FaultyMethod):
    r"""x_{t+1} = x_t - \gamma n^{p-1} \sum_i g_i with p = ``power``; right is p = 0.

    p = 1 sums the gradients instead of averaging them; p = 1/2 divides their sum by sqrt(n).

    Attributes:
        step_rule: the stepsizes [x^2 / f].
    """

    step_rule: Stepsize
    power: float = 1.0

    @property
    def right(self) -> BSP:
        return BSP(self.step_rule)

    def step(self, state: BSPState, t: int, context: RunContext) -> BSPState:
        factor = float(context.network.n) ** self.power
        return BSP(MisscaledStep(self.step_rule, factor)).step(state, t, context)


@final
@dataclass(frozen=True)
class FreshASP(FaultyMethod):
    """ASP whose arriving worker reads the server's newest model: nothing is ever stale."""

    right: ParameterServer

    def step(self, state: ServerState, t: int, context: RunContext) -> ServerState:
        fresh = state.x.expand_as(state.view).clone()
        return self.right.step(state._replace(view=fresh, cache=fresh), t, context)


@final
@dataclass(frozen=True)
class SelfTwiceDPSGD(FaultyMethod):
    """D-PSGD that adds its own row once more after mixing: weights of row i sum to 1 + W_ii."""

    right: DPSGD

    def step(self, state: DPSGDState, t: int, context: RunContext) -> DPSGDState:
        right = self.right.step(state, t, context)
        weights = torch.from_numpy(self.right.topology.matrix(t).diagonal().copy())
        own = weights[context.network.workers]
        return DPSGDState(right.x + own[:, None] * state.x)


@final
@dataclass(frozen=True)
class LeakyRing(StaticTopology):
    """A ring whose weights are 0.33 instead of 1/3: rows sum to 0.99, and no one checked.

    Attributes:
        n: number of workers.
    """

    n: int

    @property
    def name(self) -> str:
        return f"leaky ring(n={self.n})"

    def matrix(self, t: int) -> Floats:
        return self.build()

    def build(self) -> Floats:
        return Ring(self.n).build() * 0.99


@final
@dataclass(frozen=True)
class HastyChoco(FaultyMethod):
    r"""CHOCO-Gossip that adds to its own public copy before the neighbours have heard it.

    x_i += \gamma (\sum_j W_{ij} \hat x_j^{old} - \hat x_i^{new}).
    """

    right: ChocoGossip

    def step(self, state: ChocoState, t: int, context: RunContext) -> ChocoState:
        after = self.right.step(state, t, context)
        return after._replace(x=state.x + self.right.consensus_step * (state.mixed - after.public))


@final
@dataclass(frozen=True)
class SelfishChoco(FaultyMethod):
    r"""CHOCO-Gossip that mixes with its own uncompressed model.

    x_i += \gamma \sum_j W_{ij} (\hat x_j - x_i).
    """

    right: ChocoGossip

    def step(self, state: ChocoState, t: int, context: RunContext) -> ChocoState:
        after = self.right.step(state, t, context)
        return after._replace(x=state.x + self.right.consensus_step * (after.mixed - state.x))


@final
@dataclass(frozen=True, eq=False)
class OwnTwice(FaultyMethod):
    """Survey Eq. 7 as printed: a worker adds its own update to a model that has it already."""

    right: ParameterServer

    def step(self, state: ServerState, t: int, context: RunContext) -> ServerState:
        after = self.right.step(state, t, context)
        move = (after.x - state.x) / context.network.n
        after.view[..., :-1, :] += move
        return after
