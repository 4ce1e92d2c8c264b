"""Executors of others: a task that fails, a worker that dies, a scheduler that is started anew."""

from __future__ import annotations

import contextlib
import io
import logging
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar, final

import pandas as pd
import pytest
from rich.console import Console

import rateproof
from experiments.processes.executors import _OnDask, opening, pool_of
from experiments.processes.pool import Ended, ExecutorLost, FuturesPool, Started
from experiments.reporting.survey_job import survey_job
from tests.experiments import fake_survey
from tests.experiments.light_work import slowly

T = TypeVar("T")


def work(folder: Path, task: str) -> None:
    """Leave a file; ``raise`` raises, ``die`` dies the first time."""
    if task == "raise":
        raise ArithmeticError("no")
    if task == "die" and not (folder / "died").exists():
        (folder / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "always":
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.05)
    (folder / task).touch()


def two_threads() -> Executor:
    """An executor of the standard library."""
    return ThreadPoolExecutor(2)


def two_processes() -> Executor:
    """One whose workers can die."""
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork"))


def test_all_tasks_are_done_and_an_error_is_its_tasks_own(tmp_path: Path) -> None:
    with FuturesPool[str](two_threads, partial(work, tmp_path), 2) as pool:
        events = [event for event in pool.run(["a", "raise", "b"]) if event]
    ended = {event.task: event for event in events if isinstance(event, Ended)}
    assert sorted(ended) == ["a", "b", "raise"]
    assert ended["raise"].error == "ArithmeticError: no" and "Traceback" in ended["raise"].detail
    assert not ended["a"].error and (tmp_path / "b").exists()
    started = [event.worker for event in events if isinstance(event, Started)]
    assert started[:2] == [0, 1] and set(started) == {0, 1}


@pytest.mark.processes
def test_a_worker_that_dies_costs_its_task_another_try(tmp_path: Path) -> None:
    with FuturesPool[str](two_processes, partial(work, tmp_path), 2) as pool:
        ended = [event for event in pool.run(["die", *"abc"]) if isinstance(event, Ended)]
    assert [event.error for event in ended] == [""] * 4
    assert {path.name for path in tmp_path.iterdir()} == {"died", "die", *"abc"}


@pytest.mark.processes
def test_a_task_that_kills_every_worker_ends(tmp_path: Path) -> None:
    with FuturesPool[str](two_processes, partial(work, tmp_path), 1) as pool:
        ended = [event for event in pool.run(["always", "a"]) if isinstance(event, Ended)]
    assert ended[0].error == "its worker, or the executor, died 3 times under it"
    assert not ended[1].error


def test_an_executor_that_does_not_open_is_told(tmp_path: Path) -> None:
    def opened() -> Executor:
        raise ConnectionRefusedError("nobody there")

    with FuturesPool[str](opened, partial(work, tmp_path), 2, patience=0.0) as pool:
        with pytest.raises(ExecutorLost, match="ConnectionRefusedError: nobody there"):
            list(pool.run(["a"]))


@final
class Forgetful(Executor):
    """Keeps nothing of its first ``kept`` tasks, the rest are done at once; ``told``: the first
    task's future says so."""

    def __init__(self, kept: int, told: bool) -> None:
        self.left, self.told, self.lost = kept, told, False

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()
        if not self.left:
            future.set_result(fn(*args, **kwargs))
        elif self.told:
            future.set_exception(BrokenExecutor("gone"))
            self.told = False
        self.lost, self.left = self.lost or self.left > 0, max(0, self.left - 1)
        return future


@pytest.mark.parametrize(("kept", "told"), [(3, True), (1, False)])
def test_what_a_lost_executor_never_tells_of_is_sent_to_the_next(
    tmp_path: Path, kept: int, told: bool
) -> None:
    """A task that is submitted between a scheduler's death and its being missed never ends."""
    made = [Forgetful(0, False), Forgetful(kept, told)]
    with FuturesPool[str](made.pop, partial(work, tmp_path), 4) as pool:
        ended = [event for event in pool.run([*"abc"], 0.05) if isinstance(event, Ended)]
    assert sorted((event.task, event.error) for event in ended) == [(it, "") for it in "abc"]
    assert not made


def test_an_executor_that_opens_late_is_told_of_once(tmp_path: Path) -> None:
    """A sweep said nothing for a minute where dask's scheduler had died."""
    tries, told = list[int](), list[str]()

    def late() -> Executor:
        tries.append(1)
        if len(tries) < 4:
            raise ConnectionRefusedError("nobody there")
        return two_threads()

    with FuturesPool[str](
        late, partial(work, tmp_path), 2, 90.0, tell=told.append, quiet=0.0
    ) as pool:
        ended = [event for event in pool.run([*"ab"]) if isinstance(event, Ended)]
    assert [event.error for event in ended] == ["", ""]
    assert told == [
        "the executor does not open (ConnectionRefusedError: nobody there); it is tried again for "
        "90 s"
    ]


@final
class Waiting(Executor):
    """Its tasks end once it was asked three times whether it waits."""

    def __init__(self) -> None:
        self.asked, self.futures = 0, list[Future[Any]]()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        self.futures.append(Future())
        return self.futures[-1]

    @property
    def waits(self) -> str:
        self.asked += 1
        if self.asked < 4:
            return "no worker is there"
        for future in self.futures:
            if not future.done():
                future.set_result(("", ""))
        return ""


def test_what_an_executor_waits_for_is_told_once(tmp_path: Path) -> None:
    told = list[str]()
    with FuturesPool[str](Waiting, partial(work, tmp_path), 2, tell=told.append, quiet=0.0) as pool:
        ended = [event for event in pool.run([*"ab"], 0.01) if isinstance(event, Ended)]
    assert len(ended) == 2 and told == ["no worker is there"]


OPENED: list[str] = []


def noted_threads() -> Executor:
    """Two threads; that they were asked for is noted."""
    OPENED.append("two")
    return ThreadPoolExecutor(2)


@pytest.mark.slow
@pytest.mark.processes
def test_one_executor_serves_a_sweep_and_a_survey(tmp_path: Path) -> None:
    """Named as the commands name it; what is left is what processes of this machine leave."""
    OPENED.clear()
    named = f"{__name__}:noted_threads"
    study = {"replicas": 2, "block": 1, "grid": {"row": "bsp-sgd", "problem": "quadratic-sc",
             "n": 2, "steps": 5, "seed": [1, 2, 3]}}  # fmt: skip
    quiet = Console(file=io.StringIO())
    swept = rateproof.sweep(study, tmp_path / "sweep", executor=named, console=quiet)
    assert not swept.failures and set(swept.frame.seed) == {1, 2, 3}
    assert OPENED == ["two"]
    todo = fake_survey.cells(["a:1", "b:1", "raise:1"])
    versions, out = dict.fromkeys(todo, "fake"), tmp_path / "survey"
    code = survey_job("fake", todo, fake_survey.run_cell, out, quiet, versions, named)
    assert (code, OPENED) == (1, ["two", "two"]), "one cell raised"
    table = pd.read_parquet(out / "results.parquet")
    assert dict(zip(table["row"], table["verdict"], strict=True)) == {
        "a": "supported", "b": "supported", "raise": "error",
    }  # fmt: skip
    assert (out / "index.html").is_file()


def test_what_names_no_executor_is_told() -> None:
    assert opening(f"{__name__}:two_threads") is two_threads
    with pytest.raises(ValueError, match=r"executor must be dask://HOST:PORT, or MODULE:FUNCTION"):
        pool_of("slurm", print, 2)
    with pytest.raises(ValueError, match="executor='nowhere:made' cannot be had: No module"):
        opening("nowhere:made")
    with pytest.raises(ValueError, match="width must be at least 1 task, got width=0"):
        FuturesPool[str](two_threads, print, 0)


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class DaskCluster:
    """A scheduler and workers of dask.distributed as processes of their own."""

    def __init__(self) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self.begun: list[subprocess.Popen[bytes]] = []
        self.scheduler = self.schedule()

    def start(self, module: str, *options: str) -> subprocess.Popen[bytes]:
        """One of dask's programs."""
        command = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{module}", *options]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen([*command, "--no-dashboard"], stdout=quiet, stderr=quiet)
        self.begun.append(process)
        return process

    def schedule(self) -> subprocess.Popen[bytes]:
        """The scheduler, at the same address each time."""
        host, _, port = self.address.partition(":")
        return self.start("dask_scheduler", "--host", host, "--port", port)

    def worker(self) -> subprocess.Popen[bytes]:
        """One worker of one thread, that waits for its scheduler."""
        return self.start(
            "dask_worker", f"tcp://{self.address}", "--nthreads", "1", "--no-nanny",
            "--death-timeout", "300",
        )  # fmt: skip

    def end(self) -> None:
        """Kill all that was started."""
        for process in self.begun:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()


@pytest.mark.processes
@pytest.mark.slow
def test_work_on_dask_survives_a_dead_worker_and_a_new_scheduler(tmp_path: Path) -> None:
    tasks = [f"task{k}" for k in range(60)]
    cluster = DaskCluster()
    workers = [cluster.worker(), cluster.worker()]

    def trouble() -> None:
        _until(tmp_path, 5)
        workers[0].kill()
        _until(tmp_path, 10)
        cluster.scheduler.kill()
        cluster.scheduler.wait()
        cluster.scheduler = cluster.schedule()
        cluster.worker()

    troubles = threading.Thread(target=trouble)
    try:
        troubles.start()
        opened = opening(f"dask://{cluster.address}")
        with FuturesPool[str](opened, partial(slowly, str(tmp_path)), 4, patience=300) as pool:
            ended = [event for event in pool.run(tasks) if isinstance(event, Ended)]
    finally:
        troubles.join()
        cluster.end()
    assert sorted(event.task for event in ended) == sorted(tasks)
    assert [event.error for event in ended] == [""] * len(tasks)
    assert {path.name for path in tmp_path.iterdir()} == set(tasks)


def test_what_dask_logs_is_not_shown_while_its_executor_is_open() -> None:
    """It logs a traceback for each time that it finds no scheduler; the pool says that in words."""
    logs = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    before = [log.level for log in logs]
    client: Any = SimpleNamespace(
        scheduler_comm=None, get_executor=lambda pure: ThreadPoolExecutor(1),
        close=lambda timeout: None, _scheduler_identity={},
    )  # fmt: skip
    executor = _OnDask(client)
    assert not any(log.isEnabledFor(logging.ERROR) for log in logs)
    assert executor.waits == ""
    executor.shutdown()
    assert [log.level for log in logs] == before


@pytest.mark.processes
@pytest.mark.slow
def test_a_scheduler_without_workers_is_told_of(tmp_path: Path) -> None:
    cluster, told = DaskCluster(), list[str]()

    def tell(sentence: str) -> None:
        told.append(sentence)
        if sentence.startswith("no worker"):
            cluster.worker()

    try:
        opened = opening(f"dask://{cluster.address}")
        run = partial(slowly, str(tmp_path))
        with FuturesPool[str](opened, run, 4, patience=300, tell=tell) as pool:
            ended = [event for event in pool.run(["a", "b"]) if isinstance(event, Ended)]
    finally:
        cluster.end()
    assert [event.error for event in ended] == ["", ""]
    assert told[-1] == f"no worker is at the scheduler tcp://{cluster.address}; tasks wait for one"


def _until(folder: Path, files: int, limit: float = 300.0) -> None:
    end = time.monotonic() + limit
    while len(list(folder.iterdir())) < files and time.monotonic() < end:
        time.sleep(0.05)
