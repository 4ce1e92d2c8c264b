"""Roll call: what every rank does, told to all others through the store, and who is to blame.

Ranks beat in a thread of their own, so that a rank that hangs still beats while one that died does
not. Each watches the next one, since ranks without a common clock may never wait for one that is
lost. All that crosses is JSON.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import Any, NamedTuple, NoReturn, final

from torch._C._distributed_c10d import Store

from algorithms.network.phases import PhaseClock

_POLL = 0.05  # seconds between two looks at the store

LOST = 3
"""Exit code of a rank whose run ended because a rank was lost."""


@final
class Heartbeat(NamedTuple):
    """Report of a rank on itself.

    Attributes:
        number: which beat it is.
        at: what it was doing, a sentence's end.
        moves: how often it went on to something else; equal in two beats: it stands.
        works: whether it is in a step and waits for nobody; None: it does not tell.
    """

    number: int
    at: str
    moves: int
    works: bool | None


@final
class FailureDetector:
    """One rank's part; to be closed before its process group is.

    ``store`` is this rank's own connection: nobody else uses it meanwhile. Once ranks miss each
    other, one that does not beat for ``silence`` seconds is dead; until then it has half of
    ``patience`` [seconds], which is how long ranks wait for each other. One that does not end by
    itself is ended after ``grace``.

    Attributes:
        at: what this rank does, for the others to read; :meth:`note` sets it.
        moves: how often it went on to something else.
        clock: tells the step, and how often the rank came to a meeting.
        apart: whether ranks go on without each other; then one that stands in a step for
            ``patience`` is lost, though nobody waits for it.
    """

    def __init__(
        self,
        store: Store,
        rank: int,
        ranks: int,
        patience: float,
        *,
        every: float = 0.5,
        silence: float = 8.0,
        grace: float = 5.0,
    ) -> None:
        self.at, self.moves, self.apart = "starting", 0, False
        self.clock: PhaseClock | None = None
        self._store, self._rank, self._ranks, self._patience = store, rank, ranks, patience
        self._every, self._silence, self._grace = every, silence, grace
        self._lock, self._over = threading.Lock(), threading.Event()
        self._count, self._missing = 0, False
        self._beat()
        self._threads = [threading.Thread(target=self._beats, name="roll call")]
        if ranks > 1:
            self._threads.append(threading.Thread(target=self._watches, name="roll call, watch"))
        for one in self._threads:
            one.start()

    def note(self, at: str) -> None:
        """This rank goes on to ``at``."""
        self.at, self.moves = at, self.moves + 1

    def close(self) -> None:
        """No more beats; returns when the threads have ended."""
        self._over.set()
        for one in self._threads:
            one.join()

    def failed(self, cause: str) -> None:
        """Tell the others what went wrong here, of itself."""
        with self._lock:
            self._store.set(f"failed/{self._rank}", f"{cause} (while {self._where()})")

    def blamed(self) -> str:
        """One sentence that names the rank at fault and the cause, after this rank missed another.

        A rank that told of a failure of its own; else those that beat no more; else those that
        beat and stand in a step while others wait; else those furthest behind.
        """
        self._missing = True
        self._beat()
        first = second = self._heard()
        last, told = time.monotonic() + self._silence, self._failures()
        while not told and time.monotonic() < last:
            time.sleep(self._every)
            told, second = self._failures(), self._heard()
            if all(second[rank].number > heartbeat.number for rank, heartbeat in first.items()):
                break
        if told:
            return _failed(told)
        silent = [
            f"rank {rank} died (last heard of while {heartbeat.at})"
            for rank, heartbeat in second.items()
            if heartbeat.number == first[rank].number and rank != self._rank
        ]
        if silent:
            return "; ".join(silent)
        behind = {
            rank: heartbeat for rank, heartbeat in second.items()
            if heartbeat.works and first[rank].works and heartbeat.moves == first[rank].moves
        } or {
            rank: heartbeat for rank, heartbeat in second.items()
            if heartbeat.moves == min(other.moves for other in second.values())
        }  # fmt: skip
        if len(behind) == self._ranks:
            where = second[self._rank].at
            return (
                f"no rank went on for {self._patience:g} s, while {where}; the network would "
                "explain"
            )
        return "; ".join(
            f"rank {rank} hangs while {heartbeat.at}: the others waited {self._patience:g} s for it"
            for rank, heartbeat in behind.items()
        )

    def tells(self) -> bool:
        """Whether it is this rank that tells the user: the first that asks."""
        with self._lock:
            return bool(self._store.add("told", 1) == 1)

    def stop(self, told: str) -> NoReturn:
        """Say once among all ranks what is wrong, and end this process and theirs.

        Raises:
            RuntimeError: the store is gone.
        """
        if self.tells():
            print(f"error: {told}; all ranks were stopped", file=sys.stderr, flush=True)
        self.end_all()
        leave()

    def end_all(self) -> None:
        """Have every rank that does not end by itself end; rank 0, which may keep the store, stays
        until the others have done with it, or for the ``grace`` that they are given."""
        with self._lock:
            self._store.set("over", "1")
            ended = self._store.add("ended", 1)
        last = time.monotonic() + self._grace
        while self._rank == 0 and ended < self._ranks and time.monotonic() < last:
            time.sleep(_POLL)
            with self._lock:
                ended = self._store.add("ended", 0)

    def _heard(self) -> dict[int, Heartbeat]:
        with self._lock:
            names = [f"beat/{rank}" for rank in range(self._ranks)]
            told = [_read(self._store, name) for name in names]
        return {rank: Heartbeat(*json.loads(text)) for rank, text in enumerate(told) if text}

    def _failures(self) -> dict[int, str]:
        with self._lock:
            told = {rank: _read(self._store, f"failed/{rank}") for rank in range(self._ranks)}
        return {rank: text for rank, text in told.items() if text}

    def _beat(self) -> bool:
        """Tell what this rank does; whether the run is over."""
        clock = self.clock
        more = 0 if clock is None else clock.moves
        works = None if clock is None else clock.works and not self._missing
        with self._lock:
            self._count += 1
            heartbeat: Any = Heartbeat(self._count, self._where(), self.moves + more, works)
            self._store.set(f"beat/{self._rank}", json.dumps(heartbeat))
            return bool(self._store.check(["over"]))

    def _where(self) -> str:
        clock = self.clock
        return self.at if clock is None or clock.step < 0 else f"{self.at}, step {clock.step}"

    def _beats(self) -> None:
        while not self._over.wait(self._every):
            try:
                over = self._beat()
            except RuntimeError:  # the store is gone, with the rank or launcher that kept it
                over = True
            if over:
                if self._over.wait(self._grace):
                    return
                leave()

    def _watches(self) -> None:
        """Look after the next rank; looks are counted, so that a machine that was asleep does not
        find all others silent."""
        other = (self._rank + 1) % self._ranks
        last, silent, stands = Heartbeat(0, "starting", 0, None), 0, 0
        while not self._over.wait(self._every):
            try:
                with self._lock:
                    text = _read(self._store, f"beat/{other}")
                heartbeat = Heartbeat(*json.loads(text)) if text else last
                silent = silent + 1 if heartbeat.number == last.number else 0
                works = self.apart and heartbeat.works and heartbeat.moves == last.moves
                stands, last = stands + 1 if works else 0, heartbeat
                if silent * self._every > max(self._silence, self._patience / 2):
                    self.stop(self._described(other, f"died (last heard of while {heartbeat.at})"))
                if stands * self._every > self._patience:
                    hangs = f"hangs while {heartbeat.at}: it stood there for {self._patience:g} s"
                    self.stop(self._described(other, hangs))
            except RuntimeError:  # the store is gone, of which the beats take note
                return

    def _described(self, rank: int, how: str) -> str:
        """Last report of a rank that is lost, or ``how`` it was lost."""
        told = self._failures()
        if told:
            return _failed(told)
        return f"rank {rank} {how}"


def leave() -> NoReturn:
    """End this process at once: its threads may wait in a call for what never comes."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(LOST)


def _failed(told: dict[int, str]) -> str:
    return "; ".join(f"rank {rank} failed: {cause}" for rank, cause in told.items())


def _read(store: Store, name: str) -> str:
    return store.get(name).decode() if store.check([name]) else ""


def agree(
    store: Store, rank: int, ranks: int, terms: dict[str, str], patience: float
) -> dict[int, str]:
    """Come together with all ranks and compare ``terms``: what differs from rank 0's, by rank.

    Raises:
        TimeoutError: names the ranks that did not come within ``patience`` seconds.
    """
    store.set(f"terms/{rank}", json.dumps(terms))
    names = [f"terms/{one}" for one in range(ranks)]
    last = time.monotonic() + patience
    while not store.check(names):  # waiting in the store would print warnings of its own
        if time.monotonic() > last:
            absent = [str(one) for one, name in enumerate(names) if not store.check([name])]
            raise TimeoutError(
                f"rank {', '.join(absent)} of {ranks} did not come within {patience:g} s; "
                "see what it says, or start it"
            )
        time.sleep(_POLL)
    first = json.loads(store.get(names[0]))
    differ = {}
    for one, name in enumerate(names):
        theirs = json.loads(store.get(name))
        found = [
            f"{word} is {theirs.get(word)!r}, on rank 0 {first.get(word)!r}"
            for word in sorted({*first, *theirs})
            if theirs.get(word) != first.get(word)
        ]
        if found:
            differ[one] = "; ".join(found)
    return differ
