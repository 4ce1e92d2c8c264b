"""Work on processes that others manage: any ``concurrent.futures`` executor, dask's among them.

A :class:`FuturesPool` does what :class:`experiments.processes.pool.Pool` does on processes of its
own, and survives what a cluster does to work: a worker that dies costs a task another try, an
executor that breaks (a scheduler that is started anew) is opened again and what was on its way is
sent again.
"""

from __future__ import annotations

import importlib
import os
import re
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
from functools import partial
from typing import Any, Generic, Protocol, TypeVar, final

from experiments.processes.pool import Ended, Pool, Started

Task = TypeVar("Task")
T = TypeVar("T")
Open = Callable[[], Executor]

TRIES = 3  # of a task whose worker dies under it
PATIENCE = 60.0  # seconds in which an executor that broke must open again
_AHEAD = 2  # tasks on their way for each worker, so that none waits for its next


class TaskPool(Protocol[Task]):
    """What runs tasks: processes of our own, or an executor's."""

    def __enter__(self) -> TaskPool[Task]: ...

    def __exit__(self, *error: object) -> None: ...

    def run(
        self, tasks: Sequence[Task], beat: float = 0.5
    ) -> Iterator[Started[Task] | Ended[Task] | None]:
        """Do all tasks in order of their start; yields None at least every ``beat`` seconds."""
        ...


class ExecutorGone(RuntimeError):
    """An executor broke and did not open again; what was finished is kept."""


@final
class FuturesPool(Generic[Task]):
    """``width`` tasks at a time on the executor that ``opened()`` gives, each as ``work(task)``.

    ``work`` and tasks must be picklable, and what ``work`` returns is dropped: it leaves its result
    where the parent can find it.

    Raises:
        ValueError: width < 1.
    """

    def __init__(
        self, opened: Open, work: Callable[[Task], None], width: int, patience: float = PATIENCE
    ) -> None:
        if width < 1:
            raise ValueError(f"width must be at least 1 task, got width={width}")
        self._opened = opened
        self._work = partial(_told, work)
        self._width = width
        self._patience = patience
        self._executor: Executor | None = None

    def __enter__(self) -> FuturesPool[Task]:
        return self

    def __exit__(self, *error: object) -> None:
        self._close()

    def run(
        self, tasks: Sequence[Task], beat: float = 0.5
    ) -> Iterator[Started[Task] | Ended[Task] | None]:
        """Do all tasks in order of their start; yields None at least every ``beat`` seconds.

        An exception of ``work`` ends its task with an error and nothing else; so does the death of
        its worker, for the third time.

        Raises:
            ExecutorGone: the executor broke and did not open again.
        """
        todo, slots = list(reversed(tasks)), list(reversed(range(self._width)))
        busy: dict[Future[tuple[str, str]], _Sent[Task]] = {}
        while todo or busy:
            while todo and slots:
                sent = _Sent(todo.pop(), slots.pop())
                yield Started(sent.slot, sent.task)
                self._send(sent, busy)
            done, _ = wait(busy, timeout=beat, return_when=FIRST_COMPLETED)
            if not done:
                yield None
                if getattr(self._executor, "lost", False):
                    self._close()
            for future in done:
                sent = busy.pop(future)
                answer = self._answer(future, sent, busy)
                if answer is not None:
                    slots.append(sent.slot)
                    yield Ended(sent.slot, sent.task, time.monotonic() - sent.since, *answer)
            self._send_again(busy)

    def _send_again(self, busy: dict[Future[tuple[str, str]], _Sent[Task]]) -> None:
        """Send what an executor holds that was closed: it need not tell of all its tasks, such as
        one that was submitted after its scheduler had died and before it was missed."""
        for future, sent in list(busy.items()):
            if sent.executor is not self._executor and not future.done():
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
            if sent.executor is self._executor:  # the others of its tasks find it closed
                self._close()
        except Exception as error:
            if sent.tries >= TRIES or not _lost(error):
                return f"{type(error).__name__}: {error}", traceback.format_exc()
        if sent.tries >= TRIES:
            return f"its worker, or the executor, died {TRIES} times under it", ""
        self._send(sent, busy)
        return None

    def _send(self, sent: _Sent[Task], busy: dict[Future[tuple[str, str]], _Sent[Task]]) -> None:
        """Submit a task, to an executor that is opened again as long as patience lasts."""
        sent.tries += 1
        until = time.monotonic() + self._patience
        while True:
            try:
                if self._executor is None:
                    self._executor = self._opened()
                busy[self._executor.submit(self._work, sent.task)] = sent
                sent.executor = self._executor
                return
            except Exception as error:
                self._close()
                if time.monotonic() > until:
                    raise ExecutorGone(
                        f"the executor broke and did not open again within {self._patience:g} s "
                        f"({type(error).__name__}: {error}); what was finished is kept, and the "
                        "same command goes on from there"
                    ) from error
                time.sleep(0.2)

    def _close(self) -> None:
        executor, self._executor = self._executor, None
        if executor is not None:
            with suppress(Exception):  # it may be gone
                executor.shutdown(wait=False, cancel_futures=True)


class _Sent(Generic[Task]):
    """A task on its way: where it is shown, how often it was sent, since when, and to whom."""

    executor: Executor | None = None

    def __init__(self, task: Task, slot: int) -> None:
        self.task, self.slot, self.tries, self.since = task, slot, 0, time.monotonic()


def _told(work: Callable[[Task], None], task: Task) -> tuple[str, str]:
    """In the worker: do it; error and detail, empty if it went well."""
    try:
        work(task)
    except Exception as error:
        return f"{type(error).__name__}: {error}", traceback.format_exc()
    return "", ""


def _lost(error: Exception) -> bool:
    """Whether a worker was lost under a task, rather than the task at fault; by name, since dask's
    classes are there only where dask is."""
    return type(error).__name__ in ("KilledWorker", "CommClosedError", "FutureCancelledError")


def pool_of(executor: str, work: Callable[[Task], None], workers: int) -> TaskPool[Task]:
    """The pool that an option names: ``""`` processes of our own, ``dask://HOST:PORT`` a scheduler
    of dask.distributed, ``MODULE:FUNCTION`` whatever executor the function returns.

    Raises:
        ValueError: it names none, or dask is not installed.
    """
    if not executor:
        return Pool(work, workers)
    return FuturesPool(opening(executor), work, _AHEAD * workers)


def opening(executor: str) -> Open:
    """What opens the executor that an option names.

    Raises:
        ValueError: it names none, or dask is not installed.
    """
    scheme, separator, address = executor.partition("://")
    if separator and scheme == "dask":
        try:
            importlib.import_module("distributed")
        except ImportError as error:
            raise ValueError(
                f"executor={executor!r} needs dask.distributed; pip install 'rateproof[cluster]'"
            ) from error
        return partial(_dask, f"tcp://{address}")
    named = re.fullmatch(r"([\w.]+):(\w+)", executor)
    if not named:
        raise ValueError(
            "executor must be dask://HOST:PORT, or MODULE:FUNCTION that returns a "
            f"concurrent.futures executor, got executor={executor!r}"
        )
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)
    try:
        made: Open = getattr(importlib.import_module(named[1]), named[2])
    except (ImportError, AttributeError) as error:
        raise ValueError(f"executor={executor!r} cannot be had: {error}") from error
    return made


def _dask(address: str) -> Executor:
    from distributed import Client

    return _OnDask(Client(address, timeout="5s", set_as_default=False))  # type: ignore[no-untyped-call]


@final
class _OnDask(Executor):
    """dask's own executor, with its connection, which ends with it: one that lost its scheduler is
    not asked again, though dask would connect itself to the next scheduler."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._comm = client.scheduler_comm  # made anew when it finds a scheduler again
        self._executor: Executor = client.get_executor(pure=False)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        return self._executor.submit(fn, *args, **kwargs)

    @property
    def lost(self) -> bool:
        """Whether its scheduler is gone, or another one has taken its place."""
        return self._client.status != "running" or self._client.scheduler_comm is not self._comm

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the connection; tasks on their way are given up."""
        self._executor.shutdown(wait=wait)
        self._client.close(timeout=2)
