"""Decentralised ADMM on a graph: classes of nodes in turn, duals on the edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.devices import put
from algorithms.methods.admm.graph_block import GraphBlock
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.checks import check_size
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import SOLVE_GRADIENTS, Problem
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.edges import adjacency, colouring
from theory.constants import Constants
from theory.stepsizes import Stepsize


class GraphState(NamedTuple):
    """Models x and sums of duals p ``[..., m, d]``.

    Attributes:
        incoming: models last received from the neighbours of each class, summed,
            ``[C, ..., m, d]``.
    """

    x: Tensor
    p: Tensor
    incoming: Tensor


@final
@dataclass(frozen=True)
class GraphADMM(Method[GraphState]):
    r"""Class by class: x_i = \arg\min f_i(x) + (p_i - \rho \sum_{j \in N_i} x_j)^T x +
    \frac{\rho D_i}{2} \|x\|^2 with the newest x_j, then p_i \mathrel{+}= \rho \sum_j (x_i - x_j).

    \rho = 1/\gamma_t, N_i the D_i neighbours, p_i the signed sum of the duals of i's edges.
    ``coloured``: the classes are colours of the graph, whose nodes work side by side (Mota et al.
    2013, arXiv:1202.2805, Algorithm 1, D-ADMM). Else every worker is a class of its own, in the
    order of ids (Wei, Ozdaglar 2012, CDC: primal Gauss-Seidel, duals on edges). Both synchronous.
    In modelled time a local solve takes ``SOLVE_GRADIENTS`` gradients, and classes add up.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: who hears whom, and the mixing matrices W.

    Raises:
        ValueError: a worker has no neighbour, or the topology is for another number of workers.
    """

    step_rule: Stepsize
    topology: StaticTopology
    coloured: bool = True

    @property
    def name(self) -> str:
        return f"{'D-ADMM' if self.coloured else 'ADMM in turn'}, {self.topology.name}"

    @property
    def classes(self) -> tuple[int, ...]:
        """Each worker's class; classes work in ascending order."""
        return colouring(self.topology) if self.coloured else tuple(range(self.topology.n))

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def init(self, x0: Tensor, context: RunContext) -> GraphState:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers))
        incoming = torch.zeros((1 + max(self.classes), *x.shape), dtype=x.dtype, device=x.device)
        for c in range(len(incoming)):  # all know where all start
            incoming[c] = self._neighbours(c)[context.network.held].to(x)[:, None] * x0
        return GraphState(x, torch.zeros_like(x), incoming)

    def step(self, state: GraphState, t: int, context: RunContext) -> GraphState:
        rho, lists = 1 / self.step_rule(t), adjacency(self.topology)
        x, incoming = state.x, state.incoming.clone()
        held = context.network.held  # whose classes and degrees the host knows
        degree = put(lists.in_degree[held].to(x.dtype), x.device)
        everyone = torch.tensor(self.classes)
        for c in range(len(incoming)):
            context.worked(SOLVE_GRADIENTS, (everyone == c).nonzero()[:, 0])
            here = everyone[held] == c
            chosen = put(here.nonzero()[:, 0], x.device)
            x = self._solved(x, state.p, incoming, degree, chosen, rho, context)
            sends = put(here, x.device).expand(x.shape[:-1])
            packet = context.pack(Identity(), x, t, sends=sends, purpose=f"class {c}")
            incoming[c] = context.network.mix(packet, lists).result
        context.checked(x, t, context.network.workers)
        p = state.p + rho * (degree[:, None] * x - _total(incoming))
        return GraphState(x, p, incoming)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return rounds_block(GraphBlock, context, t, self)

    def _neighbours(self, c: int) -> Tensor:
        """Number of neighbours of class c of each worker ``[n]``."""
        senders, classes = adjacency(self.topology).senders, self.classes
        return torch.tensor([sum(classes[j] == c for j in row) for row in senders])

    def _solved(
        self, x: Tensor, p: Tensor, incoming: Tensor, degree: Tensor, chosen: Tensor, rho: float,
        context: RunContext,
    ) -> Tensor:  # fmt: skip
        """x with the rows at ``chosen`` replaced by their local minimisers."""
        if not chosen.numel():
            return x
        weight = rho * degree[chosen]
        v = (rho * _total(incoming[..., chosen, :]) - p[..., chosen, :]) / weight[:, None]
        ids, start = context.network.workers[chosen], x[..., chosen, :]
        new = context.problem.proximal_point(v, weight, ids, start)
        return x.index_copy(-2, chosen, new)

    def models(self, state: GraphState) -> Tensor:
        return state.x


def _total(incoming: Tensor) -> Tensor:
    """Sum over classes ``[C, ...]`` in their order."""
    total = incoming[0]
    for part in incoming[1:]:
        total = total + part
    return total
