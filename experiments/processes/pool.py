"""Tasks on executors of ``concurrent.futures``, where workers die and executors break.

A worker that dies costs its own task at most: the task ends with an error, or is tried again where
that may help. An executor that breaks, or a scheduler that is started anew, is opened again, and
what was on its way is sent again. :mod:`experiments.processes.executors` says which there are.
"""

from __future__ import annotations

import math
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar, final

from experiments.processes.loading import begun
from experiments.processes.memory import first_line

Task = TypeVar("Task")
Open = Callable[[], Executor]

TRIES = 3  # of a task whose worker dies under it
PATIENCE = 60.0  # seconds in which an executor that broke must open again
QUIET = 4.0  # seconds of waiting after which it is told what is waited for


def note(sentence: str) -> None:
    """A line on standard error: what is waited for."""
    begun()
    print(f"note: {sentence}", file=sys.stderr, flush=True)


@final
@dataclass(frozen=True)
class Started(Generic[Task]):
    """A task was sent to a worker.

    Attributes:
        worker: number of the worker.
    """

    worker: int
    task: Task


@final
@dataclass(frozen=True)
class Ended(Generic[Task]):
    """A task ended after ``seconds``; ``error`` is empty if it went well, ``detail`` its trace.

    Attributes:
        worker: number of the worker.
    """

    worker: int
    task: Task
    seconds: float
    error: str = ""
    detail: str = ""


class ExecutorLost(RuntimeError):
    """An executor broke and did not open again; what was finished is kept."""


@final
class FuturesPool(Generic[Task]):
    """``width`` tasks at a time on the executor that ``opened()`` gives, each as ``work(task)``;
    ``apart``: each on an executor of its own, which takes no other with it when it breaks.

    ``work`` and tasks must be picklable, and what ``work`` returns is dropped: it leaves its result
    where the parent can find it. ``tries``: how often a task is sent whose worker dies under it.
    ``tell``: is told in a sentence when an executor does not open, or waits for something (its
    ``waits``, where it has that), for more than ``quiet`` seconds.

    Raises:
        ValueError: width < 1.
    """

    def __init__(
        self,
        opened: Open,
        work: Callable[[Task], None],
        width: int,
        patience: float = PATIENCE,
        *,
        apart: bool = False,
        tries: int = TRIES,
        tell: Callable[[str], None] = note,
        quiet: float = QUIET,
    ) -> None:
        if width < 1:
            raise ValueError(f"width must be at least 1 task, got width={width}")
        self._opened = opened
        self._work = partial(_described, work)
        self._width = width
        self._patience = patience
        self._apart = apart
        self._tries = tries
        self._tell = tell
        self._quiet = quiet
        self._waits: tuple[str, float] | None = None  # for what, since when; told: inf
        self._executors: dict[int, Executor] = {}  # by slot, or all at 0

    def __enter__(self) -> FuturesPool[Task]:
        return self

    def __exit__(self, *error: object) -> None:
        for place in list(self._executors):
            self._close(place)

    def run(
        self, tasks: Sequence[Task], heartbeat: float = 0.5
    ) -> Iterator[Started[Task] | Ended[Task] | None]:
        """Do all tasks in order of their start; yields None at least every ``heartbeat`` seconds.

        An exception of ``work`` ends its task with an error and nothing else; so does the death of
        its worker, when it was tried often enough.

        Raises:
            ExecutorLost: the executor broke and did not open again.
        """
        todo, slots = list(reversed(tasks)), list(reversed(range(self._width)))
        busy: dict[Future[tuple[str, str]], _Sent[Task]] = {}
        while todo or busy:
            while todo and slots:
                sent = _Sent(todo.pop(), slots.pop())
                yield Started(sent.slot, sent.task)
                self._send(sent, busy)
            done, _ = wait(busy, timeout=heartbeat, return_when=FIRST_COMPLETED)
            if not done:
                yield None
                self._look()
            for future in done:
                sent = busy.pop(future)
                answer = self._answer(future, sent, busy)
                if answer is not None:
                    slots.append(sent.slot)
                    yield Ended(sent.slot, sent.task, time.monotonic() - sent.since, *answer)
            self._send_again(busy)

    def _look(self) -> None:
        """Close what is lost; say what the others wait for, once for as long as they do."""
        waits = ""
        for place, executor in list(self._executors.items()):
            if getattr(executor, "lost", False):
                self._close(place)
            else:
                waits = waits or getattr(executor, "waits", "")
        now = time.monotonic()
        if self._waits is None or self._waits[0] != waits:
            self._waits = waits, now
        elif waits and now - self._waits[1] > self._quiet:
            self._tell(waits)
            self._waits = waits, math.inf

    def _send_again(self, busy: dict[Future[tuple[str, str]], _Sent[Task]]) -> None:
        """Send what an executor holds that was closed: it need not tell of all its tasks, such as
        one that was submitted after its scheduler had died and before it was missed."""
        for future, sent in list(busy.items()):
            if sent.executor is not self._executors.get(self._place(sent)) and not future.done():
                del busy[future]
                self._send(sent, busy)

    def _answer(
        self,
        future: Future[tuple[str, str]],
        sent: _Sent[Task],
        busy: dict[Future[tuple[str, str]], _Sent[Task]],
    ) -> tuple[str, str] | None:
        """Error and detail of a task that ended, None where it was sent again."""
        try:
            return future.result()
        except (BrokenExecutor, CancelledError):
            if sent.executor is self._executors.get(self._place(sent)):
                self._close(self._place(sent))  # the others of its tasks find it closed
        except Exception as error:
            if sent.tries >= self._tries or not _lost(error):
                return _sentence(error), traceback.format_exc()
        if sent.tries >= self._tries:
            times = f"its worker, or the executor, died {self._tries} times under it"
            return getattr(sent.executor, "death", times), ""
        self._send(sent, busy)
        return None

    def _send(self, sent: _Sent[Task], busy: dict[Future[tuple[str, str]], _Sent[Task]]) -> None:
        """Submit a task, to an executor that is opened again as long as patience lasts."""
        sent.tries += 1
        begin, place, told = time.monotonic(), self._place(sent), False
        while True:
            try:
                if place not in self._executors:
                    self._executors[place] = self._opened()
                sent.executor = self._executors[place]
                busy[sent.executor.submit(self._work, sent.task)] = sent
                return
            except Exception as error:
                self._close(place)
                spent = time.monotonic() - begin
                if spent > self._patience:
                    raise ExecutorLost(
                        f"the executor broke and did not open again within {self._patience:g} s "
                        f"({_sentence(error)}); what was finished is kept, and the "
                        "same command goes on from there"
                    ) from error
                if spent > self._quiet and not told:
                    left = self._patience - spent
                    self._tell(
                        f"the executor does not open ({_sentence(error)}); it is tried again for "
                        f"{left:.0f} s"
                    )
                    told = True
                time.sleep(0.2)

    def _place(self, sent: _Sent[Task]) -> int:
        return sent.slot if self._apart else 0

    def _close(self, place: int) -> None:
        executor = self._executors.pop(place, None)
        if executor is not None:
            with suppress(Exception):  # it may be gone
                executor.shutdown(wait=False, cancel_futures=True)


@final
class _Sent(Generic[Task]):
    """A task on its way: where it is shown, how often it was sent, since when, and to whom."""

    executor: Executor | None = None

    def __init__(self, task: Task, slot: int) -> None:
        self.task, self.slot, self.tries, self.since = task, slot, 0, time.monotonic()


def _described(work: Callable[[Task], None], task: Task) -> tuple[str, str]:
    """In the worker: do it; error and detail, empty if it went well."""
    try:
        work(task)
    except Exception as error:
        return _sentence(error), traceback.format_exc()
    return "", ""


def _sentence(error: Exception) -> str:
    """What a task ended with."""
    told = str(error) or first_line(error)
    return (
        type(error).__name__ if told == type(error).__name__ else f"{type(error).__name__}: {told}"
    )


def _lost(error: Exception) -> bool:
    """Whether a worker was lost under a task, rather than the task at fault; by name, since dask's
    classes are there only where dask is."""
    return type(error).__name__ in ("KilledWorker", "CommClosedError", "FutureCancelledError")
