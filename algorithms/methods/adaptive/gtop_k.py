"""gTop-k: a global top-k by merging in a tree (Shi, Wang, Chu et al. 2019, arXiv:1901.04359)."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.collectives.binary_tree import BinaryTree
from algorithms.compressors.top_k import TopK
from algorithms.methods.adaptive.tree_block import TreeBlock
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.constants import operator_constants
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem
from algorithms.topologies.base import Neighbours
from theory.constants import Constants
from theory.stepsizes import Stepsize


class GTopKState(NamedTuple):
    """The model all hold ``[..., 1, d]`` and each worker's residual ``[..., m, d]``.

    Attributes:
        x: the model ``[..., 1, d]``.
    """

    x: Tensor
    residual: Tensor


@lru_cache(maxsize=32)
def rounds(n: int) -> tuple[tuple[Neighbours, ...], tuple[Neighbours, ...]]:
    """Links of each round: up the tree, receivers adding what they receive, and down again.

    The messages are those of a :class:`~algorithms.collectives.binary_tree.BinaryTree`.
    """
    up: list[Neighbours] = []
    down: list[Neighbours] = []
    for one in BinaryTree(n).rounds(1):
        incoming = np.eye(n)
        if not one.adds:
            incoming[one.target, one.target] = 0
        incoming[one.target, one.source] = 1
        (up if one.adds else down).append(Neighbours(incoming))
    return tuple(up), tuple(down)


@final
@dataclass(frozen=True)
class GTopK(Method[GTopKState]):
    r"""p_i = \gamma g_i + e_i; top-k of pairwise sums of top-k's, log2 n rounds up, then down.

    In round r worker i (a multiple of 2^{r+1}) adds what worker i + 2^r sends to its own and keeps
    the k largest; what worker 0 is left with goes back along the same edges, and x moves by 1/n of
    it. Residual (Algorithm 4): what was not sent, and what was sent of coordinates that are not
    in the result. What a merge dropped of a coordinate that another branch brought back is lost:
    for n > 2 the residuals do not account for everything. n need not be a power of two.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
    """

    step_rule: Stepsize
    k: int | float

    shared_model: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return f"gTop-k({self.operator.name})"

    @property
    def operator(self) -> TopK:
        """Top-k of one row, as it is applied after every merge of two rows."""
        return TopK(self.k)

    def constants(self, problem: Problem) -> Constants:
        own = operator_constants(self.operator, problem.d)
        return problem.constants().uniform("G2").merge(own)

    def init(self, x0: Tensor, context: RunContext) -> GTopKState:
        rows = context.rows(x0, len(context.network.workers))
        return GTopKState(context.rows(x0, 1), torch.zeros_like(rows))

    def step(self, state: GTopKState, t: int, context: RunContext) -> GTopKState:
        network = context.network
        wanted = state.residual + self.step_rule(t) * context.gradient(state.x, t)
        own = merged = context.pack(self.operator, wanted, t).own(network.workers)
        up, down = rounds(network.n)
        watch = network.stopwatch
        for r, neighbours in enumerate(up):
            packet = context.pack(self.operator, merged, t, purpose=f"up {r}")
            with nullcontext() if watch is None or r == 0 else watch.merging():
                merged = network.mix(packet, neighbours).result
        merged = context.pack(self.operator, merged, t, purpose="root").own(network.workers)
        for r, neighbours in enumerate(down):
            packet = context.pack(self.operator, merged, t, purpose=f"down {r}")
            with nullcontext() if watch is None else watch.merging():
                merged = network.mix(packet, neighbours).result
        taken = torch.where(merged != 0, own, 0)
        move = merged[..., :1, :] / network.n
        return GTopKState(state.x - move, wanted - taken)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        up, down = rounds(context.network.n)
        return rounds_block(partial(TreeBlock, rounds=(*up, *down)), context, t, self)

    def models(self, state: GTopKState) -> Tensor:
        return state.x
