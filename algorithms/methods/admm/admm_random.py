"""Randomised ADMM: one edge of the graph at a time (Iutzeler et al. 2013, arXiv:1303.2837)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.devices import put
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.checks import check_size
from algorithms.methods.parts.scheduled import places
from algorithms.problems.base import SOLVE_GRADIENTS, Problem
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.edges import edges
from theory.constants import Constants
from theory.stepsizes import Stepsize


class RandomState(NamedTuple):
    """Models x ``[..., m + 1, d]``; for each of a worker's edges the dual and the edge's mean
    ``[..., m + 1, D, d]``. The last row takes what concerns workers elsewhere."""

    x: Tensor
    dual: Tensor
    mean: Tensor


@final
@dataclass(frozen=True)
class RandomADMM(Method[RandomState]):
    r"""A random edge e = \{i, j\} wakes: x_i = \arg\min f_i(x) + \frac\rho2 \sum_{e' \ni i}
    \|x - z_{e'} + \lambda_{e'i}/\rho\|^2 and likewise x_j; z_e = \frac12(x_i + x_j);
    \lambda_{ei} \mathrel{+}= \rho (x_i - z_e).

    \rho = 1/\gamma_t; nobody else works, and no clock is shared: the asynchronous ADMM whose
    components are the edges, each as likely. In modelled time a local solve takes
    ``SOLVE_GRADIENTS`` gradients. (Iutzeler, Bianchi, Ciblat, Hachem 2013, CDC,
    arXiv:1303.2837, Algorithm 1; Wei, Ozdaglar 2013, arXiv:1307.8254, on edges.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: who hears whom, and the mixing matrices W.

    Raises:
        ValueError: a worker has no neighbour, or the topology is for another number of workers.
    """

    step_rule: Stepsize
    topology: StaticTopology

    @property
    def name(self) -> str:
        return f"randomised ADMM, an edge at a time, {self.topology.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    @cached_property
    def _ends(self) -> Tensor:
        """Workers of each edge ``[E, 2]``, ascending."""
        return torch.tensor(edges(self.topology))

    @cached_property
    def _slots(self) -> Tensor:
        """Index of each edge at each of its ends ``[E, 2]``."""
        seen = [0] * self.topology.n
        slots = []
        for pair in edges(self.topology):
            slots.append([seen[i] for i in pair])
            for i in pair:
                seen[i] += 1
        return torch.tensor(slots)

    @cached_property
    def _degrees(self) -> Tensor:
        """Edges of each worker ``[n]``."""
        return torch.bincount(self._ends.reshape(-1), minlength=self.topology.n)

    def init(self, x0: Tensor, context: RunContext) -> RandomState:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers) + 1)
        most = int(self._degrees.max())
        mean = x[..., None, :].expand(*x.shape[:-1], most, x.shape[-1]).clone()
        return RandomState(x, torch.zeros_like(mean), mean)

    def step(self, state: RandomState, t: int, context: RunContext) -> RandomState:
        network, rho = context.network, 1 / self.step_rule(t)
        edge = self._woken(t, context)
        subset = put(self._ends, edge.device)[edge]
        slot = put(self._slots, edge.device)[edge]
        mine = places(subset, network, state.x)
        context.worked(SOLVE_GRADIENTS, subset)
        x = context.checked(self._solved(state, mine, subset, rho, context), t, subset)
        arrived = context.uploaded(Identity(), x, subset, t, "send")
        middle = context.answered(0.5 * (arrived[..., :1, :] + arrived[..., 1:, :]), subset, t)
        at = slot[..., None, None].expand(*slot.shape, 1, x.shape[-1])
        row = mine[..., None, :].expand(*mine.shape[:-1], state.dual.shape[-2], mine.shape[-1])
        dual, mean = state.dual.gather(-3, row), state.mean.gather(-3, row)
        moved = dual.gather(-2, at) + rho * (x - middle)[..., None, :]
        dual = dual.scatter(-2, at, moved)
        mean = mean.scatter(-2, at, middle[..., None, :].expand_as(moved))
        return RandomState(
            state.x.scatter(-2, mine, x),
            state.dual.scatter(-3, row, dual),
            state.mean.scatter(-3, row, mean),
        )

    def _woken(self, t: int, context: RunContext) -> Tensor:
        """The edge of each replica ``[...]``, the same on every rank."""
        draws = context.key.fold("edge", t).draws(context.replicas, context.network.server)
        return draws.integers(len(self._ends), 1)[..., 0, 0]

    def _solved(
        self, state: RandomState, mine: Tensor, subset: Tensor, rho: float, context: RunContext
    ) -> Tensor:
        """Local minimisers of the two ends ``[..., 2, d]``."""
        most = state.dual.shape[-2]
        row = mine[..., None, :].expand(*mine.shape[:-1], most, mine.shape[-1])
        dual, mean = state.dual.gather(-3, row), state.mean.gather(-3, row)
        degree = put(self._degrees, subset.device)[subset]
        used = (torch.arange(most, device=subset.device) < degree[..., None])[..., None]
        pull = torch.where(used, mean - dual / rho, 0)
        total = pull[..., 0, :]
        for k in range(1, most):
            total = total + pull[..., k, :]
        count = degree.to(total.dtype)
        v = total / count[..., None]
        return context.problem.proximal_point(v, rho * count, subset, state.x.gather(-2, mine))

    def models(self, state: RandomState) -> Tensor:
        return state.x[..., :-1, :]
