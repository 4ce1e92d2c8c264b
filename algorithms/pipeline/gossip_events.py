"""Blocks of ticks at which workers without a server meet in pairs."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.core.key import Key
from algorithms.kernels.gossip_events import GOSSIP_EVENTS
from algorithms.kernels.row_parts import RowPart, ready
from algorithms.pipeline.base import Arrays, Place, Steps
from algorithms.pipeline.events import EventBlock, all_rows
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.partners import circle
from theory.stepsizes import Stepsize


class PairEvents(NamedTuple):
    """Meetings of pairs, and their kind.

    Attributes:
        step_rule: stepsizes [x^2 / f].
        topology: who may meet whom.
        how: AVERAGE, PULL or PUSH of ``kernels/gossip_events.py``.
        calls: which workers call ``[n]``; the others never do.
        probability: with which a worker that arrives calls.
    """

    step_rule: Stepsize
    topology: StaticTopology
    how: int
    calls: tuple[bool, ...]
    probability: float


@final
class GossipEventBlock(EventBlock):
    """The state is a :class:`~..methods.parts.asynchronous_gossip.AsynchronousGossipState`."""

    def __init__(self, place: Place, gradient: RowPart, meetings: PairEvents) -> None:
        super().__init__(place, gradient, meetings.step_rule, {})
        known, self.probability = circle(meetings.topology), meetings.probability
        self.parts = (
            ready(gradient.function, "gradient", self.dtype), gradient.numbers, meetings.how,
            known.ids.contiguous().numpy(), known.degrees.numpy(), np.array(meetings.calls),
            np.array([meetings.probability]), Identity().bits(self.d, self.dtype),
        )  # fmt: skip

    def purposes(self) -> tuple[str, ...]:
        return (*super().purposes(), "partner")

    def steps(self, t: int, until: int, replicas: NDArray[np.int64]) -> Steps:
        """Steps as the base makes them; a worker's call is drawn from words of its own."""
        steps = super().steps(t, until, replicas)
        if self.probability < 1:
            keys = (Key((one, other)) for one, other in steps.words["partner"].tolist())
            words = [key.fold("whether").words for key in keys]
            steps.words["whether"] = np.array(words, np.int64)
        return steps

    def tensors(self, state: Any) -> Arrays:
        return all_rows(state.x), all_rows(state.view)

    def run(self, arrays: Arrays, steps: Steps) -> int:
        x, view, bill, arrivals, _, _, starts = arrays
        words = (self.words(steps, name) for name in ("gradient", "partner", "whether"))
        found: int = GOSSIP_EVENTS.for_dtype(self.dtype)(
            *self.parts, x, view, bill, arrivals, starts, steps.gammas, steps.t, *words,
            steps.replicas,
        )  # fmt: skip
        return found

    def leave(self, arrays: Arrays, state: Any) -> Any:
        x, view = (torch.from_numpy(part).view(state.x.shape) for part in arrays[:2])
        return state._replace(x=x, view=view)

    def charge_bill(
        self, sent: Tensor, sent_bits: Tensor, incoming: Tensor, heard_bits: Tensor
    ) -> None:
        self.network.charge_send(sent_bits, sent)
        self.network.charge_receive(heard_bits, incoming)
