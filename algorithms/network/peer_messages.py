"""Messages between two ranks at a time, from whoever comes first: nobody waits for a round.

Each goes with a header of two integers, a word and the length in bits; payload and headers are
counted apart. Over gloo only: NCCL cannot receive from anybody.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple, final

import torch
import torch.distributed as dist
from torch import Tensor

from algorithms.network.phases import Phase, PhaseClock, during

_HEADER, _PAYLOAD = 1, 2  # tags

HEADER_BYTES = 16


@final
class PeerMessage(NamedTuple):
    """Received message.

    Attributes:
        source: rank that it came from.
        word: what the sender said beside it.
        bits: length of the payload [bits].
        payload: its bytes (uint8).
    """

    source: int
    word: int
    bits: int
    payload: Tensor


@final
class PeerMessages:
    """This rank's messages to and from single others; ``clock`` is told when it sends and waits.

    Attributes:
        sent: payload bytes, by rank they went to.
        received: payload bytes, by rank they came from.
        headers: bytes of headers, both ways.

    Raises:
        RuntimeError: torch.distributed is not initialised, or not over gloo.
    """

    def __init__(self, clock: PhaseClock | None = None) -> None:
        if not dist.is_initialized() or dist.get_backend() != "gloo":
            raise RuntimeError("messages from whoever comes first need ranks over gloo")
        self.sent: Counter[int] = Counter()
        self.received: Counter[int] = Counter()
        self.headers = 0
        self._clock = clock

    def send(self, to: int, word: int, payload: Tensor, bits: int | None = None) -> None:
        """Send bytes ``[B]`` (uint8) of ``bits`` [bits], by default all."""
        told = 8 * payload.numel() if bits is None else bits
        with during(self._clock, Phase.COMMUNICATE):
            dist.send(torch.tensor([word, told]), to, tag=_HEADER)
            if payload.numel():
                dist.send(payload.contiguous(), to, tag=_PAYLOAD)
        self.sent[to] += payload.numel()
        self.headers += HEADER_BYTES

    def receive(self, source: int | None = None) -> PeerMessage:
        """The next message of ``source``, or of whoever comes first."""
        header = torch.empty(2, dtype=torch.int64)
        with during(self._clock, Phase.WAIT):
            whence = dist.recv(header, source, tag=_HEADER)
        word, bits = header.tolist()
        payload = torch.empty(-(-bits // 8), dtype=torch.uint8)
        if payload.numel():
            with during(self._clock, Phase.COMMUNICATE):
                dist.recv(payload, whence, tag=_PAYLOAD)
        self.received[whence] += payload.numel()
        self.headers += HEADER_BYTES
        return PeerMessage(whence, word, bits, payload)


def as_bytes(row: Tensor) -> Tensor:
    """The bytes of a row of numbers ``[d]``."""
    return row.contiguous().view(torch.uint8)


def as_numbers(payload: Tensor, dtype: torch.dtype) -> Tensor:
    """The row ``[d]`` whose bytes these are."""
    return payload.view(dtype)
