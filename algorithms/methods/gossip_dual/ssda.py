"""SSDA: Nesterov's accelerated gradient on the dual of the consensus problem."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.methods.base import Method, World
from algorithms.methods.parts.checks import check_size
from algorithms.problems.base import Problem
from algorithms.problems.conjugate import LocalModel
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.laplacian import Laplacian, Multiply
from theory.constants import Constants


class DualState(NamedTuple):
    """Duals y, extrapolated duals x, models theta, centres of the local models: ``[..., m, d]``.

    Attributes:
        centre: the centres of the local models ``[..., m, d]``.
    """

    y: Tensor
    x: Tensor
    theta: Tensor
    centre: Tensor


@final
@dataclass(frozen=True)
class SSDA(Method[DualState]):
    r"""\theta_i = \nabla f_i^*(x_i), y^{t+1} = x^t - \eta W \theta, x^{t+1} = y^{t+1} + \mu
    (y^{t+1} - y^t).

    \eta = \alpha/\lambda_1(W), \mu = (\sqrt{\kappa_l} - \sqrt\gamma)/(\sqrt{\kappa_l} +
    \sqrt\gamma), y_0 = x_0 = 0; W the graph's Laplacian with \lambda_1 = 1. (Scaman, Bach, Bubeck,
    Lee, Massoulie 2017, arXiv:1702.08704, Algorithm 2.) One local minimisation and one round of
    messages a step. Where f_i is not strongly convex it works on surrogates: see
    :class:`LocalModel`.

    Attributes:
        topology: the graph whose Laplacian W is.
        local: how \nabla f_i^* is found.
    """

    topology: StaticTopology
    local: LocalModel

    @property
    def name(self) -> str:
        return f"SSDA, {self.topology.name}"

    @property
    def laplacian(self) -> Laplacian:
        """The Laplacian W that duals are exchanged with."""
        return Laplacian(self.topology)

    @property
    def momentum(self) -> float:
        """mu, the factor of the extrapolation of the duals."""
        return nesterov_momentum(self.local.kappa / self.laplacian.gamma)

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def init(self, x0: Tensor, world: World) -> DualState:
        return dual_start(x0, self.topology, world)

    def step(self, state: DualState, t: int, world: World) -> DualState:
        state = minimised(state, self.local, t, world)
        heard = multiplier(self.laplacian, t, world)(state.theta, 0)
        return ascended(state, self.local.alpha * heard, self.momentum)

    def models(self, state: DualState) -> Tensor:
        return state.theta


def nesterov_momentum(condition: float) -> float:
    r"""(\sqrt{q} - 1) / (\sqrt{q} + 1) for a condition number q >= 1."""
    root = math.sqrt(condition)
    return (root - 1) / (root + 1)


def dual_start(x0: Tensor, topology: StaticTopology, world: World) -> DualState:
    """Duals at 0, models and centres at x_0.

    Raises:
        ValueError: the topology is for another number of workers.
    """
    check_size(topology, world)
    x = world.rows(x0, len(world.network.workers))
    return DualState(torch.zeros_like(x), torch.zeros_like(x), x, x)


def minimised(state: DualState, local: LocalModel, t: int, world: World) -> DualState:
    """The state with every worker's model at its local minimum, tilted by its dual x.

    Centres move to the models first when it is time, and the momentum starts anew.
    """
    if local.moves_at(t):
        state = state._replace(centre=state.theta, x=state.y)
    theta = local.argmin(world.problem, state.x, state.centre, world.network.workers, state.theta)
    world.checked(theta, t)
    return state._replace(theta=theta)


def ascended(state: DualState, gradient: Tensor, momentum: float) -> DualState:
    """Nesterov's step of the duals down ``gradient`` ``[..., m, d]``."""
    y = state.x - gradient
    return state._replace(y=y, x=y + momentum * (y - state.y))


def multiplier(laplacian: Laplacian, t: int, world: World, purpose: str = "gossip") -> Multiply:
    """Multiplication of rows by W: each worker sends to its neighbours, uncompressed."""

    def multiply(x: Tensor, number: int) -> Tensor:
        return world.mixed(x, laplacian.neighbours, t, f"{purpose} {number}")

    return multiply
