"""Blocks of steps of gTop-k."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np
from torch import Tensor

from algorithms.collectives.binary_tree import BinaryTree
from algorithms.kernels.row_parts import RowPart, filled_in
from algorithms.kernels.tree_steps import TREE_LOOP
from algorithms.network.base import in_neighbours
from algorithms.network.clock import Clock
from algorithms.pipeline.base import Place, Steps
from algorithms.pipeline.rounds import RoundsBlock
from algorithms.pipeline.server import sent_by
from algorithms.topologies.base import Neighbours

if TYPE_CHECKING:
    from algorithms.methods.adaptive.gtop_k import GTopK


@final
class TreeBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.adaptive.gtop_k.GTopKState`."""

    loop = TREE_LOOP
    exchanges = ()

    def __init__(
        self, place: Place, t: int, gradient: RowPart, method: GTopK, rounds: tuple[Neighbours, ...]
    ) -> None:
        super().__init__(place, gradient, method.step_rule)
        self.rounds = rounds
        sent = sent_by(method.operator, self.d, self.dtype, t)
        assert sent.bits is not None
        self.bits = sent.bits
        up = [one for one in BinaryTree(self.n).rounds(1) if one.adds]
        edges = [
            (int(a), int(b)) for one in up for a, b in zip(one.source, one.target, strict=True)
        ]
        sources, targets = np.array(edges, np.int64).reshape(-1, 2).T.copy()
        self.parts = (
            *self.gradients, *filled_in(self.dtype, sent.part, "operator")[:2], sources, targets,
        )  # fmt: skip

    @cached_property
    def incoming(self) -> tuple[Tensor, ...]:
        """In-neighbours in each round ``[n, n]``."""
        return tuple(in_neighbours(one.senders) for one in self.rounds)

    def charge(self, steps: Steps) -> None:
        count = steps.count
        for one in self.rounds:
            self.network.charge_mixing(one, self.dtype, count * self.bits, count)

    def charge_time(self, watch: Clock, steps: Steps, place: int) -> None:
        watch.work()
        for incoming in self.incoming[:1]:
            watch.exchange(self.bits, incoming)
        for incoming in self.incoming[1:]:
            with watch.merging():
                watch.exchange(self.bits, incoming)
