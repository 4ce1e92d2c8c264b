"""A mailbox: what comes is taken in by a thread, so that no sender waits for its reader's work.

Gloo hands a message over only to who asks for it; a rank that computes would keep others waiting,
and two that send to each other would wait for ever.
"""

from __future__ import annotations

import queue
import threading
from typing import final

import torch
from torch import Tensor

from algorithms.network.peer_messages import PeerMessage, PeerMessages
from algorithms.network.phases import Phase, PhaseClock, during
from algorithms.network.ranks import place

_BYE, _ROW, _WORDS = 0, 1, 2


@final
class Mailbox:
    """This rank's letters from all others, until all of them have said goodbye.

    ``clock`` is told when the rank sends and waits; its thread's waiting is not the rank's.

    Attributes:
        messages: counts the bytes, by rank.
    """

    def __init__(self, clock: PhaseClock | None = None) -> None:
        self.messages, self._clock = PeerMessages(), clock
        self._rank, self._ranks = place()
        self._letters: queue.SimpleQueue[tuple[int, tuple[int, ...]] | None] = queue.SimpleQueue()
        self._rows = [queue.SimpleQueue[PeerMessage]() for _ in range(self._ranks)]
        self._failed: list[BaseException] = []
        self._thread = threading.Thread(target=self._take_in, name="mailbox", daemon=True)
        self._thread.start()

    def send_words(self, to: int, *words: int) -> None:
        """A letter of whole numbers."""
        payload = torch.tensor(words).view(torch.uint8)
        with during(self._clock, Phase.COMMUNICATE):
            self.messages.send(to, _WORDS, payload)
        self.messages.sent[to] -= payload.numel()
        self.messages.headers += payload.numel()

    def send_row(self, to: int, payload: Tensor, bits: int) -> None:
        """A row's bytes, of ``bits`` [bits]."""
        with during(self._clock, Phase.COMMUNICATE):
            self.messages.send(to, _ROW, payload, bits)

    def letter(self, *, wait: bool) -> tuple[int, tuple[int, ...]] | None:
        """The next letter and who wrote it; None if there is none and ``wait`` is not asked, or if
        all have said goodbye.

        Raises:
            RuntimeError: another rank is gone.
        """
        try:
            with during(self._clock if wait else None, Phase.WAIT):
                told = self._letters.get(block=wait)
        except queue.Empty:
            return None
        if told is None and self._failed:
            raise RuntimeError("gloo lost another rank") from self._failed[0]
        return told

    def row_from(self, source: int) -> PeerMessage:
        """The next row of ``source``, waited for.

        Raises:
            RuntimeError: another rank is gone.
        """
        with during(self._clock, Phase.WAIT):
            told = self._rows[source].get()
        if told.source < 0:
            raise RuntimeError("gloo lost another rank") from self._failed[0]
        return told

    def goodbye(self) -> None:
        """Tell all others that this rank asks for nothing any more."""
        for other in range(self._ranks):
            if other != self._rank:
                self.messages.send(other, _BYE, torch.empty(0, dtype=torch.uint8))

    def close(self) -> None:
        """Return when all others have said goodbye."""
        self._thread.join()

    def _take_in(self) -> None:
        left = self._ranks - 1
        try:
            while left:
                told = self.messages.receive()
                if told.word == _BYE:
                    left -= 1
                elif told.word == _ROW:
                    self._rows[told.source].put(told)
                else:
                    self.messages.received[told.source] -= told.payload.numel()
                    words = told.payload.view(torch.int64).tolist()
                    self._letters.put((told.source, tuple(words)))
        except RuntimeError as error:
            self._failed.append(error)
            for rows in self._rows:
                rows.put(PeerMessage(-1, 0, 0, torch.empty(0)))
        self._letters.put(None)
