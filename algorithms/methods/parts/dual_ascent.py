"""Gradient methods on the dual of the consensus problem: local minimisations, duals that ascend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from algorithms.methods.base import RunContext, State
from algorithms.methods.parts.checks import check_size
from algorithms.methods.parts.over_laplacian import OverLaplacian
from algorithms.problems.conjugate import LocalModel
from algorithms.topologies.base import StaticTopology


class DualState(NamedTuple):
    """Duals y, extrapolated duals x, models theta, centres of the local models: ``[..., m, d]``.

    Attributes:
        centre: the centres of the local models ``[..., m, d]``.
    """

    y: Tensor
    x: Tensor
    theta: Tensor
    centre: Tensor


@dataclass(frozen=True)
class DualAscent(OverLaplacian[State]):
    r"""Workers minimise their own function, tilted by their dual; the duals step along W \theta.

    Attributes:
        topology: the graph whose Laplacian W is.
        local: how \nabla f_i^*, the minimiser of the tilted function, is found.
    """

    topology: StaticTopology
    local: LocalModel

    kind: ClassVar[str]
    """What reports call the method, without its topology."""

    @property
    def name(self) -> str:
        return f"{self.kind}, {self.topology.name}"


def dual_start(x0: Tensor, topology: StaticTopology, context: RunContext) -> DualState:
    """Duals at 0, models and centres at x_0.

    Raises:
        ValueError: the topology is for another number of workers.
    """
    check_size(topology, context)
    x = context.rows(x0, len(context.network.workers))
    return DualState(torch.zeros_like(x), torch.zeros_like(x), x, x)


def minimised(state: DualState, local: LocalModel, t: int, context: RunContext) -> DualState:
    """The state with every worker's model at its local minimum, tilted by its dual x.

    Centres move to the models first when it is time, and the momentum starts anew.
    """
    if local.moves_at(t):
        state = state._replace(centre=state.theta, x=state.y)
    theta = local.argmin(
        context.problem, state.x, state.centre, context.network.workers, state.theta
    )
    context.checked(theta, t)
    return state._replace(theta=theta)


def ascended(state: DualState, gradient: Tensor, momentum: float) -> DualState:
    """Nesterov's step of the duals down ``gradient`` ``[..., m, d]``."""
    y = state.x - gradient
    return state._replace(y=y, x=y + momentum * (y - state.y))
