"""CommunicationSchedule: which gradients go as which messages, when, and what waits for them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from algorithms.kernels.channel_queue import serve
from algorithms.schedules.carrier import Carrier, Channel
from algorithms.schedules.step import TrainingStep
from algorithms.schedules.timeline import Task, TaskKind, Timeline
from theory.arrays import Floats, Ints

DEVICE = "device"


class Messages(NamedTuple):
    """Messages of a step in the order in which they become ready, as arrays.

    Attributes:
        ready: when a message may leave [s after backward begins].
        bits: its length.
        rank: the channel serves the least rank first.
        lowest: the first layer that waits for it.
        first: index of its first gradient in order of readiness.
        last: index of its last gradient.
    """

    ready: Floats
    bits: Floats
    rank: Ints
    lowest: Ints
    first: Ints
    last: Ints


class SimulatedStep(NamedTuple):
    """Timing of a step; all arrays in the order of the messages.

    Attributes:
        starts: start of sending, for each channel.
        stops: end of sending, for each channel.
        arrivals: arrival at the end of the last channel.
        forward: start of each layer's forward pass.
        seconds: from the begin of backward to the end of the next forward pass.
    """

    starts: tuple[Floats, ...]
    stops: tuple[Floats, ...]
    arrivals: Floats
    forward: Floats
    seconds: float


class CommunicationSchedule(ABC):
    """Sending times of a training step's gradients.

    A period runs from the begin of the backward pass to the end of the next step's forward pass:
    all messages of a step have arrived by then, so that every period is the same. ``barrier``: the
    next forward pass waits for all messages; else each layer waits for its own. ``credit``: bits
    that may be under way on a channel (infinite: any number).
    """

    barrier: bool = True

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in tables and figures."""

    @abstractmethod
    def messages(self, step: TrainingStep, carrier: Carrier) -> Messages:
        """Messages of a training step."""

    def prepared(self, step: TrainingStep) -> TrainingStep:
        """The step as this schedule computes and sends it."""
        return step

    @property
    def credit(self) -> float:
        """Bits that may be under way on a channel."""
        return np.inf

    def ready_behind(self, channel: int, arrivals: Floats) -> Floats:
        """Entry times of messages to the next channel, by their arrival at the end of one."""
        return arrivals

    def rank_on(self, channel: int, messages: Messages, step: TrainingStep) -> Ints:
        """The ranks by which a channel serves."""
        return messages.rank

    def simulated(self, step: TrainingStep, carrier: Carrier) -> SimulatedStep:
        """A period in numbers, without labels."""
        return self._simulated(self.prepared(step), carrier)

    def _simulated(self, step: TrainingStep, carrier: Carrier) -> SimulatedStep:
        messages = self.messages(step, carrier)
        ready, order = messages.ready, np.arange(len(messages.ready))
        starts, stops = [], []
        for i, channel in enumerate(carrier.channels):
            rank = self.rank_on(i, messages, step)[order]
            *times, forward = serve(
                ready[order], messages.bits[order], rank, messages.lowest[order],
                step.forward_seconds, step.backward_end,
                channel.rates(messages.bits[order]), channel.latency,
                float(self.credit), self.barrier,
            )  # fmt: skip
            start, stop, arrival = (_unsorted(values, order) for values in times)
            starts.append(start)
            stops.append(stop)
            ready = self.ready_behind(i, arrival)
            order = np.argsort(ready, kind="stable")
        end = float(forward[-1] + step.forward_seconds[-1])
        return SimulatedStep(tuple(starts), tuple(stops), arrival, forward, end)

    def seconds(self, step: TrainingStep, carrier: Carrier) -> float:
        """Seconds of a step, all in all."""
        return self.simulated(step, carrier).seconds

    def timeline(self, step: TrainingStep, carrier: Carrier) -> Timeline:
        """A period as tasks: backward, messages, and the next forward pass."""
        step = self.prepared(step)
        messages, simulated = self.messages(step, carrier), self._simulated(step, carrier)
        labels = [_label(step, *span) for span in zip(messages.first, messages.last, strict=True)]
        tasks = list(_backward(step))
        for channel, starts, stops in zip(
            carrier.channels, simulated.starts, simulated.stops, strict=True
        ):
            tasks += _sent(channel, labels, starts, stops)
        for name, start, spent in zip(step.names, simulated.forward, step.forward, strict=True):
            begin = float(start)
            tasks.append(Task(name, TaskKind.FORWARD, DEVICE, begin, begin + spent))
        return Timeline(self.name, tuple(tasks))


def merged_messages(step: TrainingStep, groups: Sequence[int]) -> Messages:
    """Consecutive gradients as one message each, first come first served; sizes of the groups.

    Raises:
        ValueError: the groups do not hold all gradients.
    """
    sizes = np.asarray(groups, dtype=np.int64)
    if (sizes < 1).any() or sizes.sum() != len(step.bits):
        raise ValueError(f"groups must hold {len(step.bits)} gradients, got {tuple(groups)}")
    last = np.cumsum(sizes) - 1
    first = last - sizes + 1
    bits = np.add.reduceat(step.bits, first)
    return Messages(step.ready[last], bits, np.arange(len(sizes)), step.layers[last], first, last)


def sliced_messages(step: TrainingStep, most: float) -> Messages:
    """Every gradient in equal slices of at most ``most`` bits, ranked by layer, first layer first.

    Raises:
        ValueError: most is not positive.
    """
    if not most > 0:
        raise ValueError(f"most must be positive bits, got most={most}")
    count = np.maximum(1, np.ceil(step.bits / most)).astype(np.int64)
    owner = np.repeat(np.arange(len(step.bits)), count)
    layers = step.layers[owner]
    return Messages(step.ready[owner], (step.bits / count)[owner], layers, layers, owner, owner)


def _unsorted(values: Floats, order: Ints) -> Floats:
    back = np.empty_like(values)
    back[order] = values
    return back


def _label(step: TrainingStep, first: int, last: int) -> str:
    names = [tensor.name for tensor in reversed(step.tensors)]
    return names[first] if first == last else f"{names[first]} to {names[last]}"


def _sent(channel: Channel, labels: Sequence[str], starts: Floats, stops: Floats) -> list[Task]:
    return [
        Task(label, TaskKind.COMMUNICATION, channel.name, float(start), float(stop))
        for label, start, stop in zip(labels, starts, stops, strict=True)
    ]


def _backward(step: TrainingStep) -> list[Task]:
    selection = step.selection or (0.0,) * len(step.names)
    tasks, now = [], 0.0
    for name, end, chosen in zip(
        reversed(step.names), reversed(step.backward_ends), reversed(selection), strict=True
    ):
        middle = max(now, float(end) - chosen)
        tasks.append(Task(name, TaskKind.BACKWARD, DEVICE, now, middle))
        now = float(end)
        if chosen:
            tasks.append(Task(name, TaskKind.SELECTION, DEVICE, middle, now))
    return tasks
