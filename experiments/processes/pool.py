"""Worker processes for long work: none is orphaned, none takes the others down.

Each worker leads its own process group, so that Ctrl-C at a terminal reaches the parent alone and
a worker can be ended with everything it started. A worker whose parent is gone ends itself.
Workers are forks of a server that has imported what the work needs
(:mod:`algorithms.network.start`): importing it anew costs each of them seconds.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar, final

from algorithms.network.start import restore, start_method

Task = TypeVar("Task")


@final
@dataclass(frozen=True)
class Started(Generic[Task]):
    """A worker took up a task."""

    worker: int
    task: Task


@final
@dataclass(frozen=True)
class Ended(Generic[Task]):
    """A task ended after ``seconds``; ``error`` is empty if it went well, ``detail`` its trace.

    Attributes:
        worker: number of the worker process.
    """

    worker: int
    task: Task
    seconds: float
    error: str = ""
    detail: str = ""


@final
class _Worker(Generic[Task]):
    """One process, its pipe, and what it is busy with."""

    def __init__(self, work: Callable[[Task], None]) -> None:
        self.pipe, theirs = multiprocessing.Pipe()
        self.process = _started(work, theirs)
        theirs.close()
        self.task: Task | None = None
        self.taken = False  # whether it said that it has the task
        self.proven = False  # whether it ever did
        self.since = 0.0

    def give(self, task: Task) -> None:
        self.task, self.taken, self.since = task, False, time.monotonic()
        try:
            self.pipe.send(task)
        except BrokenPipeError:
            pass  # it is gone, which is heard when it is listened to

    def take(self) -> None:
        self.taken = self.proven = True

    def end(self) -> None:
        """Kill the process and all it started, and wait until it is gone; again is harmless."""
        pid = self.process.pid
        if pid is not None and self.process.exitcode is None:
            try:
                os.killpg(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass  # it has not yet become the leader of its group
            self.process.kill()
        self.process.join()
        self.pipe.close()


@final
class Pool(Generic[Task]):
    """``size`` processes that call ``work(task)``, a picklable function.

    What ``work`` returns is dropped: it should leave its result where the parent can find it.

    Raises:
        ValueError: size < 1.
    """

    def __init__(self, work: Callable[[Task], None], size: int) -> None:
        if size < 1:
            raise ValueError(f"size must be at least 1 process, got size={size}")
        self._work = work
        self._size = size
        self._workers: list[_Worker[Task] | None] = [None] * size

    def __enter__(self) -> Pool[Task]:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            if worker is not None:
                worker.end()
        self._workers = [None] * self._size

    def run(
        self, tasks: Sequence[Task], beat: float = 0.5
    ) -> Iterator[Started[Task] | Ended[Task] | None]:
        """Do all tasks in order of their start; yields None at least every ``beat`` seconds.

        An exception of ``work``, or the death of a worker, ends its task with an error and nothing
        else.
        """
        todo = list(reversed(tasks))
        while todo or any(worker and worker.task is not None for worker in self._workers):
            for slot in range(self._size):
                if todo and self._idle(slot):
                    task = todo.pop()
                    self._worker(slot).give(task)
                    yield Started(slot, task)
            yield from self._listen(beat)

    def _idle(self, slot: int) -> bool:
        worker = self._workers[slot]
        return worker is None or worker.task is None

    def _worker(self, slot: int) -> _Worker[Task]:
        worker = self._workers[slot]
        if worker is None or not worker.process.is_alive():
            if worker is not None:
                worker.end()
            worker = self._workers[slot] = _Worker(self._work)
        return worker

    def _listen(self, beat: float) -> Iterator[Ended[Task] | None]:
        slots = enumerate(self._workers)
        busy = {w.pipe: (slot, w) for slot, w in slots if w and w.task is not None}
        ready = wait(list(busy), timeout=beat)
        if not ready:
            yield None
        for pipe in ready:
            assert isinstance(pipe, Connection)
            slot, worker = busy[pipe]
            answer = self._answer(slot, worker)
            if answer is not None:
                task, worker.task = worker.task, None
                assert task is not None
                yield Ended(slot, task, time.monotonic() - worker.since, *answer)

    def _answer(self, slot: int, worker: _Worker[Task]) -> tuple[str, str] | None:
        """Error and detail when the task ended, None while it goes on."""
        try:
            message = worker.pipe.recv()
        except (EOFError, ConnectionResetError):
            worker.process.join(1.0)  # for its own exit code, not that of being killed
            worker.end()
            if worker.proven and not worker.taken and worker.task is not None:
                self._worker(slot).give(worker.task)  # it had died idle: a fresh one will do
                return None
            return f"the worker process died (exit code {worker.process.exitcode})", ""
        if message is None:
            worker.take()
            return None
        error, detail = message
        return str(error), str(detail)


_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _started(work: Callable[[Task], None], pipe: Connection) -> BaseProcess:
    """A worker, begun with signals held back, so that none falls between its birth and our
    knowing."""
    resource_tracker.ensure_running()  # or start() would let the signals through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)
    try:
        context: Any = multiprocessing.get_context(start_method(False, _modules(work)))
        arguments = (work, pipe, dict(os.environ))
        process: BaseProcess = context.Process(target=_serve, args=arguments)
        process.start()
        return process
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _modules(work: object) -> list[str]:
    """Modules of a function, and of what it was given in advance; this one for none."""
    if isinstance(work, partial):
        parts = (work.func, *work.args, *work.keywords.values())
        return [name for part in parts for name in _modules(part)]
    name = getattr(work, "__module__", "__main__")  # which the server does not have
    return [__name__ if name == "__main__" else name]


def _serve(work: Callable[[Any], None], pipe: Connection, environment: Mapping[str, str]) -> None:
    """Body of a worker: tasks in; None when taken, (error, detail) when done; until no parent."""
    restore(environment)
    os.setpgid(0, 0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        pipe.send(None)
        try:
            work(task)
            answer = ("", "")
        except Exception as error:
            answer = (f"{type(error).__name__}: {error}", traceback.format_exc())
        pipe.send(answer)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.killpg(0, signal.SIGKILL)
