"""Bucket by bucket: each is compressed and sent while the gradients of the next are computed."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, final

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed import GradBucket  # type: ignore[attr-defined]

from algorithms.compressors.base import Compressor, code_of
from algorithms.compressors.tensor_buckets import Groups, TensorBuckets
from algorithms.ddp.report import HookStep
from algorithms.ddp.row import (
    READY,
    Gradients,
    all_ready,
    empty_future,
    flags_of,
    hand_back,
    joined,
    unscaled,
)  # fmt: skip
from algorithms.ddp.sender import Sender
from algorithms.memories import in_place
from algorithms.network.backend_threads import hand_over
from algorithms.network.base import Packet
from algorithms.network.sharded import Sharded
from algorithms.network.transport import mean_of, row_of
from algorithms.network.wire import WireMessage

Arriving = torch.futures.Future[list[WireMessage | None]]


@final
@dataclass
class _Kept:
    """Inputs of a bucket's memory when the pass is done: its gradients, as they were, the own
    message, and the mean where the memory reads it."""

    group: tuple[int, ...]
    gradients: Tensor
    packet: Packet
    message: WireMessage
    mean: Tensor | None


@final
@dataclass
class _Pass:
    """One backward pass: its factors, and what the buckets that are done left."""

    gamma: float
    scale: float
    groups: list[tuple[int, ...]] = field(default_factory=list)
    kept: list[_Kept] = field(default_factory=list)
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
    """One bucket on its way; its gradients ``[1, 1, d]`` are kept for a memory with a state."""

    bucket: GradBucket
    group: tuple[int, ...]
    gradients: Tensor | None
    packet: Packet | None


@final
class ByBucket:
    """Compresses each bucket's gradients by themselves, in the bucket's order.

    The memory is kept for the whole row, so buckets may change from pass to pass. It stays as it is
    until all buckets of a pass were sent; then it is made of each bucket's gradients and own
    message, which are kept for it: less than a second memory where that has rows of its own.
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
        self._event: Any = None

    def operator(self) -> Compressor:
        """Effect of the last pass on the whole row, as an operator of the simulation."""
        return TensorBuckets(self.sender.compressor, self._shapes, self.groups)

    def __call__(self, bucket: GradBucket) -> Gradients:
        """Send this bucket; the future is done when all ranks' messages of it are summed."""
        if bucket.index() == 0:
            self._pass = _Pass(*self.sender.factors(self._dtype))
            self._agree(self._pass, bucket.buffer().device)
        now = self._pass
        assert now is not None
        group = tuple(self._places[id(p)] for p in bucket.parameters())
        now.groups.append(group)
        if bucket.is_last():
            now.launched = len(now.groups)
            self.groups = tuple(now.groups)
        if now.gamma == 0:
            return self._idle(bucket, now)
        sending, arriving = self._sent(bucket, group, now)

        def finished(arrived: Arriving) -> Tensor:
            return self._finished(sending, now, arrived.value())

        hand_over(finished)
        return arriving.then(finished)

    def _agree(self, now: _Pass, device: torch.device) -> None:
        """Ranks compare step, key, learning rate and loss scale; 24 bytes a rank and pass, in no
        bill.

        Raises:
            ValueError: they differ.
        """
        factors = now.gamma, now.scale
        flags = flags_of(self.sender, READY, factors, device)
        hand_over(flags)
        dist.all_reduce(flags, dist.ReduceOp.MIN)
        all_ready(self.sender, factors, flags)

    def _sent(
        self, bucket: GradBucket, group: tuple[int, ...], now: _Pass
    ) -> tuple[_Sending, Arriving]:
        """Compress one bucket and send it."""
        sender = self.sender
        x = self._scaled(joined(bucket.gradients(), self._dtype), now)
        operator = sender.compressor.at_step(sender.t)
        operator = operator.for_shapes(tuple(self._shapes[place] for place in group))
        key = sender.key.fold("compress", sender.t).fold("block", bucket.index())
        wanted = torch.empty_like(x) if operator.takes_guide else x
        for there, state in self._by_tensor(group):
            in_place.before(sender.memory_now, state, x[..., there], wanted[..., there])
        guided = self._state_of(group) if operator.takes_guide else None
        packet = sender.packet(operator, key, guided, x, wanted, self.network.workers)
        width = code_of(operator, wanted.shape[-1], wanted.dtype).fixed_bits
        del x
        if packet is None:
            arriving = self.network.later(None, width)
            sender.warn_unready()  # which raises where warnings are errors
            return _Sending(bucket, group, None, None), arriving
        now.sent += int(torch.as_tensor(packet.bits).sum())
        message = self.network.upload(packet)
        packet = replace(packet, symbols=())
        now.wanted2 += float(wanted.norm()) ** 2
        own = row_of(packet, message, self.network.workers)
        now.lost2 += in_place.distance(own, wanted) ** 2
        del wanted, own
        gradients = joined(bucket.gradients(), bucket.buffer().dtype) if self._remembers else None
        sending = _Sending(bucket, group, gradients, packet)
        return sending, self.network.later(message, width)

    def _scaled(self, gradients: Tensor, now: _Pass) -> Tensor:
        """Values of a bucket to be sent, in place of its gradients ``[1, 1, d]``."""
        x = gradients.div_(now.scale) if now.scale != 1 else gradients
        return x.mul_(now.gamma) if now.gamma != 1 else x

    def _finished(
        self, sending: _Sending, now: _Pass, messages: list[WireMessage | None]
    ) -> Tensor:
        """Every rank's message of a bucket is here; runs beside back propagation."""
        buffer: Tensor = sending.bucket.buffer()
        present, due = [one for one in messages if one is not None], len(messages)
        messages.clear()  # the future holds the list
        with self._lock:
            self._queue(buffer)
            if len(present) < due or sending.packet is None:
                now.unready = True
                self._close(now)
                buffer.fill_(float("nan"))
            else:
                self._averaged(sending, sending.packet, now, present)
            self._queue(buffer)
        return buffer

    def _averaged(
        self, sending: _Sending, packet: Packet, now: _Pass, messages: list[WireMessage]
    ) -> None:
        now.received += 8 * self.network.arrived(messages)
        gradients = sending.bucket.gradients()
        room = self._room(sending.bucket.buffer(), gradients)
        own = messages[self.network.rank]
        mean = mean_of(packet, _drained(messages), self.network.everyone, room)
        if sending.gradients is not None:
            incoming = mean if "mean" in self.sender.memory.after_reads else None
            last = now.done + 1 == now.launched
            incoming = incoming if incoming is None or room is None or last else incoming.clone()
            now.kept.append(_Kept(sending.group, sending.gradients, packet, own, incoming))
            sending.gradients = None
        self._close(now)
        hand_back(unscaled(mean, now.gamma, now.scale), gradients)

    def _room(self, buffer: Tensor, gradients: list[Tensor]) -> Tensor | None:
        """The bucket itself as a row ``[1, d]``, if it is one."""
        plain = buffer.dtype == self._dtype and all(g.is_contiguous() for g in gradients)
        return buffer.view(1, -1) if plain else None

    @property
    def _remembers(self) -> bool:
        """Whether the memory has a state."""
        return any(leaf.numel() for leaf in in_place.leaves(self.sender.state))

    def _remember(self, kept: _Kept, now: _Pass) -> None:
        """Make the memory of a bucket's tensors that of after this step, in place."""
        sent = row_of(kept.packet, kept.message, self.network.workers)
        x = self._scaled(kept.gradients.to(self._dtype), now)
        nothing = in_place.nothing(sent)
        for there, state in self._by_tensor(kept.group):
            mean = None if kept.mean is None else kept.mean[..., there]
            self.sender.remember(state, x[..., there], nothing, sent[..., there], mean)

    def _close(self, now: _Pass) -> None:
        """One more bucket is done; with the last one the pass is."""
        now.done += 1
        if now.done != now.launched:
            return
        while now.kept:
            kept = now.kept.pop()
            if not now.unready:
                self._remember(kept, now)
            del kept
        dense = self._ends[-1] * torch.finfo(self._dtype).bits
        lost = math.sqrt(now.lost2 / now.wanted2) if now.wanted2 else 0.0
        t, self.sender.t = self.sender.t, self.sender.t + 1
        self._note(
            HookStep(t, 0, 0, dense, 0.0, True)
            if now.unready
            else HookStep(t, now.sent, now.received, dense, lost, False)
        )

    def _queue(self, buffer: Tensor) -> None:
        """On a GPU: go on after what the buckets before this one did, on streams of their own."""
        if buffer.is_cuda:
            stream = torch.cuda.current_stream(buffer.device)
            if self._event is not None:
                stream.wait_event(self._event)
            self._event = stream.record_event()

    def _by_tensor(self, group: tuple[int, ...]) -> Iterator[tuple[slice, Any]]:
        """Places of the group's tensors in its bucket, and their memory itself."""
        start = 0
        for here in self._slices(group):
            stop = start + here.stop - here.start
            yield slice(start, stop), in_place.part(self.sender.state, here)
            start = stop

    def _slices(self, group: tuple[int, ...]) -> list[slice]:
        """Places of the group's tensors in the row."""
        sizes = [math.prod(self._shapes[place]) for place in group]
        ends = [self._ends[place] for place in group]
        return [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]

    def _state_of(self, group: tuple[int, ...]) -> Any:
        """A copy of the group's memory, one row."""
        return in_place.mapped(self.sender.state, lambda leaf: self._picked(leaf, group))

    def _picked(self, leaf: Tensor, group: tuple[int, ...]) -> Tensor:
        """A copy of what a tensor of the memory holds for the group."""
        if not leaf.numel():
            return leaf
        return torch.cat([leaf[..., here] for here in self._slices(group)], -1)

    def _idle(self, bucket: GradBucket, now: _Pass) -> Gradients:
        """A step of rate 0: nothing is sent and nothing moves."""
        future = empty_future(bucket)
        now.unready = True
        self._close(now)
        future.set_result(bucket.buffer().zero_())
        return future


def _drained(messages: list[WireMessage]) -> Iterator[WireMessage]:
    """The messages in order, each the reader's alone."""
    while messages:
        yield messages.pop(0)
