"""RelaySGD: models are relayed along a tree, each once, in the place of averages of averages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.devices import put
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.checks import check_size
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.masks import always
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Operation,
    Program,
    Register,
    add,
    copy,
    divide,
    gradient,
    keep,
    mixed,
    plus_scaled,
    registers,
    subtract,
    weighed,
)
from algorithms.problems.base import Problem
from algorithms.topologies.base import Neighbours, StaticTopology
from algorithms.topologies.tree_links import TreeLinks, tree_links
from theory.constants import Constants
from theory.stepsizes import Stepsize


class RelayState(NamedTuple):
    """Models, the start, and the last messages by class of links.

    Attributes:
        x: the models ``[..., m, d]``.
        x0: the start ``[..., m, d]``.
        incoming: the sums that came last ``[..., m, classes * d]``, at the start 0.
    """

    x: Tensor
    x0: Tensor
    incoming: Tensor


@final
@dataclass(frozen=True)
class RelaySGD(Method[RelayState]):
    r"""y_i = x_i - \gamma g_i; i sends j the sum of y_i and of what it last heard from its
    neighbours but j; x_i = (y_i + \sum_j heard_{ji} + (n - count_i) x_0) / n. (Vogels, He,
    Koloskova, Lin, Karimireddy, Stich, Jaggi 2021, arXiv:2110.04175, Algorithm 1.)

    On a tree every y reaches everyone once, one link a step: x_i^{t+1} is exactly
    \frac1n \sum_j y_j^{t - \max(dist_{ij} - 1, 0)}, with x_0 for what has not arrived. Exact for
    any data, and a chain slows it by its length, not by its gap. How many rows a message holds
    follows from the tree and the step, and is not sent. Links are used class by class
    (:func:`algorithms.topologies.tree_links.tree_links`); one message a link, each way, a step.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: a tree; its weights are not used.

    Raises:
        ValueError: a topology that is no tree.
    """

    step_rule: Stepsize
    topology: StaticTopology

    def __post_init__(self) -> None:
        _ = self.links

    @property
    def links(self) -> TreeLinks:
        """The tree's links by class."""
        return tree_links(self.topology)

    @property
    def name(self) -> str:
        return f"RelaySGD, {self.topology.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().state(n=self.topology.n)

    def init(self, x0: Tensor, context: RunContext) -> RelayState:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers))
        return RelayState(x, x, torch.zeros_like(x).repeat_interleave(len(self.links.partners), -1))

    def step(self, state: RelayState, t: int, context: RunContext) -> RelayState:
        y = add_scaled(state.x, -self.step_rule(t), context.gradient(state.x, t))
        before = state.incoming.chunk(len(self.links.partners), dim=-1)
        known = y + torch.stack(before).sum(0)
        new = [self._crossed(known - held, place, t, context) for place, held in enumerate(before)]
        count = put(self.links.incoming(t), y.device)[context.network.workers, None]
        rest = (self.topology.n - count).to(y.dtype) * state.x0
        x = (y + torch.stack(new).sum(0) + rest) / self.topology.n
        return RelayState(x, state.x0, torch.cat(new, -1))

    def _crossed(self, rows: Tensor, place: int, t: int, context: RunContext) -> Tensor:
        """What partners of one class of links sent; zero where a worker has none there."""
        network = context.network
        partner = put(self.links.partners[place], rows.device)
        meets = partner != torch.arange(network.n, device=rows.device)
        sends = meets[network.workers].expand(rows.shape[:-1])
        packet = context.pack(Identity(), rows, t, sends=sends, purpose=f"link {place}")
        everyone = partner[:, None].expand(*rows.shape[:-2], -1, -1)
        return network.receive(packet, everyone)[..., 0, :].contiguous()

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        tree, n = self.links, self.topology.n
        classes, last = len(tree.partners), int(tree.distance.max())
        missing = [n - tree.incoming(s).numpy().astype(np.float64) for s in range(last + 1)]
        x, x0, g, y, known, total, rest = registers(7)
        before, sums = registers(classes), registers(classes)
        everyone = np.arange(n)
        partners = [row.numpy() for row in tree.partners]
        step = Program(
            (
                gradient(g, x),
                plus_scaled(y, x, lambda s: -self.step_rule(s), g),
                *_summed(known, y, before, total),
                *(subtract(sums[c], known, before[c]) for c in range(classes)),
                *(mixed(before[c], sums[c], link=c) for c in range(classes)),
                *(keep(before[c], c, before[c]) for c in range(classes)),
                *_summed(x, y, before, total),
                weighed(rest, x0),
                add(x, x, rest),
                divide(x, x, float(n)),
            )
        )
        links = [FixedLists((_one_partner(row),), lambda _: 0) for row in partners]
        plan = NeighbourPlan(
            (x, x0, *before), (step,), links[0], drawn_gradient(context),
            own=lambda s: missing[min(s, last)],
            opened=lambda state: (state.x, state.x0, *state.incoming.chunk(classes, dim=-1)),
            closed=lambda _, parts: RelayState(parts[0], parts[1], torch.cat(parts[2:], -1)),
            masks=tuple(always(row != everyone) for row in partners),
            further_links=tuple(links[1:]),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: RelayState) -> Tensor:
        return state.x


def _summed(
    out: Register, row: Register, several: tuple[Register, ...], total: Register
) -> tuple[Operation, ...]:
    """Operations for ``out`` = ``row`` + the sum of several rows, added up first."""
    first, *others = several
    return copy(total, first), *(add(total, total, one) for one in others), add(out, row, total)


def _one_partner(partners: NDArray[np.int64]) -> Neighbours:
    """Links on which each worker receives its partner's row; itself: it has none."""
    n = len(partners)
    w = np.zeros((n, n))
    w[np.arange(n), partners] = partners != np.arange(n)
    return Neighbours(w)
