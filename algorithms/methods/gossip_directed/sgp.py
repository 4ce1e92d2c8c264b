"""SGP: stochastic gradient push."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from torch import Tensor

from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, World
from algorithms.methods.exchanges.exchange import Exchange
from algorithms.methods.gossip_directed.push_sum import PushState, push, ratio, unit_weights
from algorithms.methods.parts.checks import check_size
from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.stepsizes import Stepsize


@final
@dataclass(frozen=True)
class SGP(Method[PushState]):
    r"""x \leftarrow P_t (x - \gamma_t g(z)), w \leftarrow P_t w, z_i = x_i / w_i. (Assran, Loizou,
    Ballas, Rabbat 2018, arXiv:1811.10792, Algorithm 1.)

    Sent are the biased parameters x and the weight w, not the gradient, and the step is
    synchronous. ``models`` are the z_i. Where lost messages take their weight away
    (LostWeight.VANISHES), w_i falls to 0 and steps of gamma / w_i grow until the run diverges;
    LostWeight.RETURNED keeps the weight.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        exchange: how values cross; its matrices P_t have columns that sum to 1.
    """

    step_rule: Stepsize
    exchange: Exchange

    @property
    def name(self) -> str:
        return f"SGP, {self.exchange.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().state(n=self.exchange.n)

    def init(self, x0: Tensor, world: World) -> PushState:
        return start(x0, self.exchange, world)

    def step(self, state: PushState, t: int, world: World) -> PushState:
        g = world.gradient(ratio(state), t)
        return push(add_scaled(state.s, -self.step_rule(t), g), state.w, self.exchange, t, world)

    def models(self, state: PushState) -> Tensor:
        return ratio(state)


def start(x0: Tensor, exchange: Exchange, world: World) -> PushState:
    """Every worker at x_0 ``[d]`` with weight 1.

    Raises:
        ValueError: the exchange is over another number of workers.
    """
    check_size(exchange, world, "exchange")
    x = world.rows(x0, len(world.network.workers))
    return PushState(x, unit_weights(x))
