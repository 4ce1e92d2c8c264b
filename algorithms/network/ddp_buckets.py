"""Bucket by bucket: each is compressed and sent while the gradients of the next are computed."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, final

import torch
from torch import Tensor, nn
from torch.distributed import GradBucket  # type: ignore[attr-defined]

from algorithms.compressors.base import Compressor, code_of
from algorithms.compressors.tensor_buckets import Groups, TensorBuckets
from algorithms.memories import in_place
from algorithms.network.backend_threads import hand_over
from algorithms.network.base import Packet
from algorithms.network.ddp_report import HookStep
from algorithms.network.ddp_row import Gradients, empty_future, hand_back, joined, unscaled
from algorithms.network.ddp_sender import Sender
from algorithms.network.sharded import Sharded
from algorithms.network.transport import mean_of
from algorithms.network.wire import WireMessage

Arriving = torch.futures.Future[list[WireMessage | None]]


@final
@dataclass
class _Pass:
    """One backward pass: its factors, and what the buckets that are done left."""

    gamma: float
    scale: float
    groups: list[tuple[int, ...]] = field(default_factory=list)
    states: list[tuple[tuple[int, ...], Any]] = field(default_factory=list)
    launched: int | None = None
    done: int = 0
    unready: bool = False
    sent: int = 0
    received: int = 0
    wanted2: float = 0.0
    lost2: float = 0.0


@final
@dataclass
class _Sending:
    """One bucket on its way; of its rows only what is still needed."""

    bucket: GradBucket
    group: tuple[int, ...]
    wanted: Tensor
    packet: Packet | None
    width: int | None


@final
class ByBucket:
    """Compresses each bucket's gradients by themselves, in the bucket's order.

    The memory is kept for the whole row, so buckets may change from pass to pass; what a pass makes
    of it is taken over when all its buckets were sent.
    """

    def __init__(
        self,
        sender: Sender,
        network: Sharded,
        parameters: list[nn.Parameter],
        dtype: torch.dtype,
        note: Callable[[HookStep], None],
    ) -> None:
        self.sender = sender
        self.network = network
        self.groups: Groups = ()
        self._note = note
        self._dtype = dtype
        self._shapes = tuple(tuple(p.shape) for p in parameters)
        self._ends = list(accumulate(p.numel() for p in parameters))
        self._places = {id(p): place for place, p in enumerate(parameters)}
        self._pass: _Pass | None = None
        self._lock = threading.Lock()

    def operator(self) -> Compressor:
        """What the last pass did to the whole row, as an operator of the simulation."""
        return TensorBuckets(self.sender.compressor, self._shapes, self.groups)

    def __call__(self, bucket: GradBucket) -> Gradients:
        """Send this bucket; the future is done when all ranks' messages of it are summed."""
        if bucket.index() == 0:
            self._pass = _Pass(*self.sender.factors(self._dtype))
        now = self._pass
        assert now is not None
        group = tuple(self._places[id(p)] for p in bucket.parameters())
        now.groups.append(group)
        if bucket.is_last():
            now.launched = len(now.groups)
            self.groups = tuple(now.groups)
        if now.gamma == 0:
            return self._idle(bucket, now)
        sending = self._sending(bucket, group, now)
        arriving = self._sent(sending, now)
        if sending.packet is not None and not self._hears:
            self._remember(sending, sending.packet, now, None)

        def finished(arrived: Arriving) -> Tensor:
            return self._finished(sending, now, arrived.value())

        hand_over(finished)
        return arriving.then(finished)

    def _sending(self, bucket: GradBucket, group: tuple[int, ...], now: _Pass) -> _Sending:
        """Everything up to the message of one bucket."""
        sender = self.sender
        x = self._given(bucket, now)
        state = self._state_of(group)
        operator = sender.compressor.at(sender.t)
        operator = operator.for_shapes(tuple(self._shapes[place] for place in group))
        key = sender.key.fold("compress", sender.t).fold("block", bucket.index())
        wanted = sender.wanted(state, x, operator)
        packet = sender.packet(operator, key, state, x, wanted, self.network.workers)
        if packet is None:
            sender.warn_unready()
        code = code_of(operator, wanted.shape[-1], wanted.dtype)
        return _Sending(bucket, group, wanted, packet, code.fixed_bits)

    def _given(self, bucket: GradBucket, now: _Pass) -> Tensor:
        """What is to be sent of a bucket; the same again until its mean is handed back."""
        x = joined(bucket.gradients(), self._dtype)
        x = x.div_(now.scale) if now.scale != 1 else x
        return x.mul_(now.gamma) if now.gamma != 1 else x

    def _sent(self, sending: _Sending, now: _Pass) -> Arriving:
        packet = sending.packet
        if packet is None:
            return self.network.later(None, sending.width)
        now.sent += int(torch.as_tensor(packet.bits).sum())
        return self.network.later(self.network.upload(packet), sending.width)

    def _finished(
        self, sending: _Sending, now: _Pass, messages: list[WireMessage | None]
    ) -> Tensor:
        """Every rank's message of a bucket is here; runs beside back propagation."""
        buffer: Tensor = sending.bucket.buffer()
        present = [message for message in messages if message is not None]
        with self._lock:
            if len(present) < len(messages) or sending.packet is None:
                now.unready = True
                buffer.fill_(float("nan"))
            else:
                self._averaged(sending, sending.packet, now, present)
            self._close(now)
        return buffer

    def _averaged(
        self, sending: _Sending, packet: Packet, now: _Pass, messages: list[WireMessage]
    ) -> None:
        now.received += 8 * self.network.arrived(messages)
        mean = mean_of(packet, messages, self.network.everyone)
        if self._hears:
            self._remember(sending, packet, now, mean)
        hand_back(unscaled(mean, now.gamma, now.scale), sending.bucket.gradients())

    @property
    def _hears(self) -> bool:
        """Whether the memory waits for what all ranks sent."""
        return "mean" in self.sender.memory.after_reads

    def _remember(self, sending: _Sending, packet: Packet, now: _Pass, mean: Tensor | None) -> None:
        """Make the bucket's memory that of after this step, and let its rows go."""
        wanted, sent = sending.wanted, packet.own(self.network.workers)
        now.wanted2 += float(wanted.norm()) ** 2
        now.lost2 += in_place.distance(sent, wanted) ** 2
        state, x = self._state_of(sending.group), in_place.nothing(sent)
        if "x" in self.sender.memory.after_reads:
            x = self._given(sending.bucket, now)
        self.sender.remember(state, x, wanted, sent, mean)
        now.states.append((sending.group, state))
        sending.packet = replace(packet, symbols=())
        sending.wanted = in_place.nothing(sent)

    def _close(self, now: _Pass) -> None:
        """One more bucket is done; with the last one the pass is."""
        now.done += 1
        if now.done != now.launched:
            return
        if not now.unready:
            for group, state in now.states:
                old = in_place.leaves(self.sender.state)
                for leaf, piece in zip(old, in_place.leaves(state), strict=True):
                    self._put_back(leaf, group, piece)
        dense = self._ends[-1] * torch.finfo(self._dtype).bits
        lost = math.sqrt(now.lost2 / now.wanted2) if now.wanted2 else 0.0
        t, self.sender.t = self.sender.t, self.sender.t + 1
        self._note(
            HookStep(t, 0, 0, dense, 0.0, True)
            if now.unready
            else HookStep(t, now.sent, now.received, dense, lost, False)
        )

    def _slices(self, group: tuple[int, ...]) -> list[slice]:
        """Where the group's tensors lie in the row."""
        sizes = [math.prod(self._shapes[place]) for place in group]
        ends = [self._ends[place] for place in group]
        return [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]

    def _state_of(self, group: tuple[int, ...]) -> Any:
        """A copy of the group's memory, which stays as it is until the pass is done."""
        return in_place.mapped(self.sender.state, lambda leaf: self._picked(leaf, group))

    def _picked(self, leaf: Tensor, group: tuple[int, ...]) -> Tensor:
        """A copy of what a tensor of the memory holds for the group."""
        if not leaf.numel():
            return leaf
        return torch.cat([leaf[..., here] for here in self._slices(group)], -1)

    def _put_back(self, leaf: Tensor, group: tuple[int, ...], piece: Tensor) -> None:
        start = 0
        for here in self._slices(group) if leaf.numel() else ():
            size = here.stop - here.start
            leaf[..., here].copy_(piece[..., start : start + size])
            start += size

    def _idle(self, bucket: GradBucket, now: _Pass) -> Gradients:
        """A step of rate 0: nothing is sent and nothing moves."""
        future = empty_future(bucket)
        now.unready = True
        self._close(now)
        future.set_result(bucket.buffer().zero_())
        return future
