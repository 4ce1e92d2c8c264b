"""Blocks of steps of ADMM along a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.graph_admm_steps import GRAPH_ADMM_LOOP
from algorithms.kernels.row_parts import RowPart
from algorithms.network.base import in_neighbours
from algorithms.network.clock import Clock
from algorithms.pipeline.base import Place, Steps
from algorithms.pipeline.rounds import RoundsBlock
from algorithms.pipeline.solves import local_solve
from algorithms.problems.base import SOLVE_GRADIENTS
from algorithms.topologies.edges import adjacency

if TYPE_CHECKING:
    from algorithms.methods.admm.admm_graph import GraphADMM


@final
class GraphBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.admm.admm_graph.GraphState`."""

    loop = GRAPH_ADMM_LOOP

    def __init__(self, place: Place, t: int, gradient: RowPart, method: GraphADMM) -> None:
        super().__init__(place, gradient._replace(draws=False), method.step_rule)
        self.lists, self.dense = adjacency(method.topology), Identity().bits(self.d, self.dtype)
        weight = self.lists.weight.to(self.dtype).numpy()
        self.classes, self.exchanges = np.array(method.classes), ()
        solve, exact = local_solve(place)
        self.sources = self.gradient, exact
        self.parts = (
            *solve, np.ascontiguousarray(self.lists.index.numpy()),
            np.ascontiguousarray(weight), self.lists.in_degree.numpy().astype(self.kind),
            self.classes,
        )  # fmt: skip

    @property
    def work(self) -> int:
        return SOLVE_GRADIENTS * super().work

    def opened(self, state: Any) -> tuple[Tensor, ...]:
        return state.x, state.p, state.incoming.movedim(0, -3)

    def closed(self, state: Any, parts: tuple[Tensor, ...]) -> Any:
        x, p, incoming = parts
        return type(state)(x, p, incoming.movedim(-3, 0).contiguous())

    def given(self, steps: Steps) -> tuple[Any, ...]:
        assert self.step_rule is not None
        rhos = [1 / self.step_rule(t) for t in self.times(steps)]
        return (np.array(rhos).astype(self.kind),)

    def charge(self, steps: Steps) -> None:
        self.network.charge_mixing(self.lists, self.dtype, steps.count * self.dense, steps.count)

    def charge_time(self, watch: Clock, steps: Steps, place: int) -> None:
        incoming = in_neighbours(self.lists.senders)
        for c in range(1 + max(self.classes)):
            here = torch.from_numpy(self.classes == c).expand(*self.lead, self.n)
            watch.work(SOLVE_GRADIENTS, here)
            sends = here.to(torch.int64)
            watch.exchange(sends * self.dense, incoming * sends[..., None, :])
