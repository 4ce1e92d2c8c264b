"""Executors that long work runs on: processes of this machine, dask's, or whatever is named."""

from __future__ import annotations

import importlib
import logging
import multiprocessing
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar, final

from algorithms.network.start import restore, start_method
from experiments.processes.pool import FuturesPool, Open, Task

T = TypeVar("T")

_STARTS = 15.0
"""Seconds in which a process of this machine must start; one that cannot be started has no memory,
and no other machine is waited for."""

_AHEAD = 2  # tasks on their way for each worker, so that none waits for its next
_LOGS = ("distributed", "distributed.client")  # those that have a level of their own
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_work: list[Callable[[Any], None]] = []  # in a process of this machine: what it is for


def pool_of(executor: str, work: Callable[[Task], None], workers: int) -> FuturesPool[Task]:
    """The pool that an option names: ``""`` processes of this machine, ``dask://HOST:PORT`` a
    scheduler of dask.distributed, ``MODULE:FUNCTION`` whatever executor the function returns.

    Raises:
        ValueError: it names none, or dask is not installed, or workers < 1.
    """
    if not executor:
        return FuturesPool(partial(OneProcess, work), _given, workers, _STARTS, apart=True, tries=1)
    return FuturesPool(opening(executor), work, _AHEAD * workers)


@final
class OneProcess(ProcessPoolExecutor):
    """One process of this machine, forked from a server that has imported what ``work`` needs.

    It leads its own process group, so that Ctrl-C at a terminal reaches the parent alone and it is
    ended with everything that it started. It ends itself when its parent is gone. ``work`` is
    pickled once. An executor of several processes would lose them all with one.
    """

    def __init__(self, work: Callable[[Any], None]) -> None:
        context: Any = multiprocessing.get_context(start_method(False, _modules(work)))
        super().__init__(1, context, _begin, (work, dict(os.environ)))
        self._mine: BaseProcess | None = None

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Send a task; if the process died while it was idle, that is told now.

        Signals are held back, so that none falls between the process's birth and our knowing.
        """
        if self._mine is not None:
            super().submit(os.getpid).result()
        resource_tracker.ensure_running()  # or a start would let the signals through again
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)
        try:
            future = super().submit(fn, *args, **kwargs)
            (self._mine,) = self._processes.values()
            return future
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    @property
    def death(self) -> str:
        """Cause of the process's end, where it ended before :meth:`shutdown`."""
        code = None if self._mine is None else self._mine.exitcode
        return f"the worker process died (exit code {code})"

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Kill the process and all that it started, and wait until it is gone."""
        if self._mine is not None and not self._broken:
            with suppress(ProcessLookupError):  # it is not yet the leader of its group
                os.killpg(self._mine.pid or 0, signal.SIGKILL)
            self._mine.kill()
        super().shutdown(wait=True, cancel_futures=cancel_futures)


def _modules(work: object) -> list[str]:
    """Modules of a function, and of what it was given in advance; this one for none."""
    if isinstance(work, partial):
        parts = (work.func, *work.args, *work.keywords.values())
        return [name for part in parts for name in _modules(part)]
    name = getattr(work, "__module__", "__main__")  # which the server does not have
    return [__name__ if name == "__main__" else name]


def _begin(work: Callable[[Any], None], environment: Mapping[str, str]) -> None:
    """In a process of this machine, before its first task."""
    restore(environment)
    os.setpgid(0, 0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _work.append(work)


def _given(task: Any) -> None:
    _work[0](task)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.killpg(0, signal.SIGKILL)


def opening(executor: str) -> Open:
    """Opener of the executor that an option names.

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
    not asked again, though dask would connect itself to the next scheduler. What dask logs of it
    meanwhile, tracebacks of a connection that is refused, is not shown: the pool tells it."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._levels = {log: log.level for log in map(logging.getLogger, _LOGS)}
        for log in self._levels:
            log.setLevel(logging.CRITICAL)
        self._comm = client.scheduler_comm  # made anew when it finds a scheduler again
        self._executor: Executor = client.get_executor(pure=False)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        return self._executor.submit(fn, *args, **kwargs)

    @property
    def lost(self) -> bool:
        """Whether its scheduler is gone, or another one has taken its place."""
        return self._client.status != "running" or self._client.scheduler_comm is not self._comm

    @property
    def waits(self) -> str:
        """That no worker is there, where the scheduler last said so."""
        told = getattr(self._client, "_scheduler_identity", {})  # asked for every two seconds
        there = told.get("n_workers", 1)
        return (
            "" if there else f"no worker is at the scheduler {told['address']}; tasks wait for one"
        )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the connection; tasks on their way are given up."""
        try:
            self._executor.shutdown(wait=wait)
            self._client.close(timeout=2)
        finally:
            for log, level in self._levels.items():
                log.setLevel(level)
