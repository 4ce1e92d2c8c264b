"""Blocks of ticks at which workers without a server meet in pairs."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.shared_mask import SharedMask
from algorithms.core.key import Key
from algorithms.kernels.gossip_events import GOSSIP_EVENTS
from algorithms.kernels.row_parts import RowPart, filled_in, ready
from algorithms.pipeline.base import Arrays, Place, Steps
from algorithms.pipeline.events import EventBlock, all_rows, unchanging
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
        compressor: what an average of two is of; a random mask is one that both draw.
    """

    step_rule: Stepsize
    topology: StaticTopology
    how: int
    calls: tuple[bool, ...]
    probability: float
    compressor: Compressor = Identity()


@final
class GossipEventBlock(EventBlock):
    """The state is a :class:`~..methods.parts.asynchronous_gossip.AsynchronousGossipState`."""

    def __init__(self, place: Place, gradient: RowPart, meetings: PairEvents) -> None:
        super().__init__(place, gradient, meetings.step_rule, {})
        known, self.probability = circle(meetings.topology), meetings.probability
        operator, self.masked = meetings.compressor, isinstance(meetings.compressor, RandomMask)
        if isinstance(operator, RandomMask):
            operator = SharedMask(operator.q, place.key, place.replicas)
        self.send, length = unchanging(operator, self.d, self.dtype)
        self.parts = (
            ready(gradient.function, "gradient", self.dtype), gradient.numbers,
            *filled_in(self.dtype, self.send, "operator")[:2], self.send is not None, meetings.how,
            known.ids.contiguous().numpy(), known.degrees.numpy(), np.array(meetings.calls),
            np.array([meetings.probability]), length,
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
        turns = self._turns(steps, arrivals.shape[-1])
        found: int = GOSSIP_EVENTS.for_dtype(self.dtype)(
            *self.parts, x, view, bill, arrivals, starts, steps.gammas, steps.t, *words, turns,
            steps.replicas,
        )  # fmt: skip
        return found

    def _turns(self, steps: Steps, width: int) -> NDArray[np.int64]:
        """Key words ``[T, k, 2]`` of what is drawn in each turn of a tick; zeros where none is."""
        if self.send is None or not self.send.draws:
            return np.zeros((steps.count, width, 2), np.int64)
        purposes, until = [f"average {turn}" for turn in range(width)], steps.t + steps.count
        if not self.masked:
            return np.stack([self._words(name, steps.t, until) for name in purposes], axis=1)
        keys = [Key((one, two)) for one, two in self._words("mask", steps.t, until).tolist()]
        return np.array([[key.fold(name).words for name in purposes] for key in keys], np.int64)

    def leave(self, arrays: Arrays, state: Any) -> Any:
        x, view = (torch.from_numpy(part).view(state.x.shape) for part in arrays[:2])
        return state._replace(x=x, view=view)

    def charge_bill(
        self, sent: Tensor, sent_bits: Tensor, incoming: Tensor, heard_bits: Tensor
    ) -> None:
        self.network.charge_send(sent_bits, sent)
        self.network.charge_receive(heard_bits, incoming)
