"""The whole gradient as one row: buckets wait for the last one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import final

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed import GradBucket  # type: ignore[attr-defined]

from algorithms.ddp.report import HookStep
from algorithms.ddp.sender import Sender
from algorithms.memories import in_place
from algorithms.network.backend_threads import hand_over
from algorithms.network.phases import Phase
from algorithms.network.sharded import Sharded
from algorithms.network.transport import row_of
from algorithms.transforms.base import Transform

Gradients = torch.futures.Future[Tensor]


@final
class WholeRow:
    """Compresses the gradients of all ``parameters`` together, in their order."""

    def __init__(
        self,
        sender: Sender,
        network: Sharded,
        parameters: list[nn.Parameter],
        dtype: torch.dtype,
        transform: Transform,
        note: Callable[[HookStep], None],
    ) -> None:
        self.sender = sender
        self.network = network
        self.transform = transform
        self._note = note
        self._dtype = dtype
        self._sizes = [p.numel() for p in parameters]
        self._places = {id(p): place for place, p in enumerate(parameters)}
        self._gradients: dict[int, Tensor] = {}
        self._waiting: list[tuple[GradBucket, Gradients]] = []

    def __call__(self, bucket: GradBucket) -> Gradients:
        """Wait for the last bucket, which answers for all."""
        future = empty_future(bucket)
        self._waiting.append((bucket, future))
        for parameter, gradient in zip(bucket.parameters(), bucket.gradients(), strict=True):
            self._gradients[self._places[id(parameter)]] = gradient
        if bucket.is_last():
            gradients = [self._gradients[place] for place in range(len(self._sizes))]
            waiting, self._waiting, self._gradients = self._waiting, [], {}
            self._average(gradients)
            for one, answer in waiting:
                answer.set_result(one.buffer())
        return future

    def _average(self, gradients: list[Tensor]) -> None:
        """Write the mean of what all ranks sent over the gradients, which lie in the buckets."""
        gamma, scale = self.sender.factors(self._dtype)
        if gamma == 0:
            self._all_ready(READY, (gamma, scale), gradients[0].device)
            self._skip()
            for gradient in gradients:
                gradient.zero_()
            return
        mean = self._round(gradients, gamma, scale)
        if mean is None:
            self._skip()
            for gradient in gradients:
                gradient.fill_(float("nan"))
            return
        hand_back(unscaled(mean, gamma, scale), gradients)

    def _round(self, gradients: list[Tensor], gamma: float, scale: float) -> Tensor | None:
        """Mean ``[1, 1, d]``; None where a rank had no message. What it needs no more it drops."""
        sender, network = self.sender, self.network
        x = self._given(gradients, gamma, scale)
        operator, key = sender.compressor.at_step(sender.t), sender.key.fold("compress", sender.t)
        failed: Exception | None = None
        packet = None
        try:
            with network.during(Phase.COMPRESS):
                wanted = sender.wanted(sender.state, x, operator)
                packet = sender.packet(operator, key, sender.state, x, wanted, network.workers)
        except Exception as error:  # of somebody's own part: the other ranks must not wait for it
            failed = error
        state = FAILED if failed else UNREADY if packet is None else READY
        with network.during(Phase.WAIT):
            ready = self._all_ready(state, (gamma, scale), x.device, failed)
        del x
        if not ready:
            return None
        assert packet is not None
        before, bits = int(network.crossed_bytes.sum()), int(torch.as_tensor(packet.bits).sum())
        with network.during(Phase.COMPRESS):
            message = network.upload(packet)
        packet = replace(packet, symbols=())
        sent = row_of(packet, message, network.workers)
        size, lost = float(wanted.norm()), in_place.distance(sent, wanted)
        hears = "mean" in sender.memory.after_reads
        nothing = x = in_place.nothing(wanted)
        if not hears:
            if "x" in sender.memory.after_reads:
                wanted = nothing  # it is made of x again
                x = self._given(gradients, gamma, scale)
            sender.remember(sender.state, x, wanted, sent, None)
        x = wanted = sent = nothing
        with network.during(Phase.COMPRESS):
            mean = network.mean(packet, message)
        if hears:
            sent = row_of(packet, message, network.workers)
            del message
            x = self._given(gradients, gamma, scale)
            sender.remember(sender.state, x, nothing, sent, mean)
        arrived = 8 * (int(network.crossed_bytes.sum()) - before)
        self._tell(bits, arrived, lost / size if size else 0.0)
        return mean

    def _given(self, gradients: list[Tensor], gamma: float, scale: float) -> Tensor:
        """Values to be sent ``[1, 1, d]``; the same again until the mean is handed back."""
        x = joined(gradients, self._dtype)
        x = x.div_(scale) if scale != 1 else x
        x = self.transform.apply(x, self.network.n)
        return x.mul_(gamma) if gamma != 1 else x

    def _all_ready(
        self, state: int, factors: tuple[float, float], device: torch.device,
        failed: Exception | None = None,
    ) -> bool:  # fmt: skip
        """Whether all ranks have a message to send; 24 bytes a rank and step, in no bill.

        Raises:
            ValueError: step, key or factors differ between ranks, of which one was restored alone.
            RuntimeError: another rank failed.
        """
        flags = flags_of(self.sender, state, factors, device)
        hand_over(flags)
        dist.all_reduce(flags, dist.ReduceOp.MIN)
        if failed is not None:
            raise failed
        ready = all_ready(self.sender, factors, flags)
        if state == UNREADY:
            self.sender.warn_unready()
        return ready

    def _skip(self) -> None:
        self._tell(0, 0, 0.0, skipped=True)

    def _tell(self, sent: int, received: int, lost: float, skipped: bool = False) -> None:
        dense = sum(self._sizes) * torch.finfo(self._dtype).bits
        step = HookStep(self.sender.t, sent, received, dense, lost, skipped)
        self.sender.t += 1
        self._note(step)


FAILED, UNREADY, READY = -1, 0, 1
"""States of a rank before its message is sent: an error, nothing to send, a message."""


def flags_of(
    sender: Sender, state: int, factors: tuple[float, float], device: torch.device
) -> Tensor:
    """Flags of a rank, whose minimum over ranks says whether all are ready and at one step."""
    digest = sender.digest(factors)
    return torch.tensor([state, digest, -digest], dtype=torch.int64, device=device)


def all_ready(sender: Sender, factors: tuple[float, float], least: Tensor) -> bool:
    """Whether all ranks are ready, from the minimum of their flags.

    Raises:
        ValueError: step, key, learning rate or loss scale differ between ranks.
        RuntimeError: another rank failed before its message was made.
    """
    state, low, high = least.tolist()
    if state == FAILED:
        raise RuntimeError(
            f"step {sender.t}: another rank failed before it sent its message; its own error says "
            "why"
        )
    if low != -high:
        sender.require_shared(factors)
    return bool(state == READY)


def empty_future(bucket: GradBucket) -> Gradients:
    """A future for the answer to a bucket."""
    device = bucket.buffer().device
    return torch.futures.Future(devices=[device] if device.type == "cuda" else [])


def joined(gradients: list[Tensor], dtype: torch.dtype) -> Tensor:
    """One row ``[1, 1, d]`` of ``dtype`` with copies of all gradients."""
    row = torch.empty(sum(g.numel() for g in gradients), dtype=dtype, device=gradients[0].device)
    pieces = torch.split(row, [g.numel() for g in gradients])
    for piece, gradient in zip(pieces, gradients, strict=True):
        piece.view(gradient.shape).copy_(gradient)
    return row[None, None]


def unscaled(mean: Tensor, gamma: float, scale: float) -> Tensor:
    """The mean of steps gamma g itself, become a gradient of the scaled loss."""
    mean = mean.div_(gamma) if gamma != 1 else mean
    return mean.mul_(scale) if scale != 1 else mean


def hand_back(row: Tensor, gradients: list[Tensor]) -> None:
    """Write a row ``[1, 1, d]`` over the gradients, in their own types."""
    pieces = torch.split(row.view(-1), [g.numel() for g in gradients])
    for piece, gradient in zip(pieces, gradients, strict=True):
        gradient.copy_(piece.view(gradient.shape))
