"""The survey: every cell of a preset, in two worker processes, each result kept as it finishes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import final

from rich.console import Console

from experiments.processes.executors import pool_of
from experiments.processes.pool import Ended, Started
from experiments.processes.progress import LiveProgress, PlainProgress, Progress, title
from experiments.storage.store import CorruptResult, Store, Stored, cell_name
from proofs_check.cell import Cell, CellKind, CellResult

WORKERS = 2
_SHORT = 3.0  # seconds that a cell may take which is run early
_USUAL = {
    CellKind.MUTANTS: 50.0, CellKind.INFLUENCES: 7.0, CellKind.STUDY: 4.0, CellKind.RUN: 0.5,
    CellKind.EFFECT: 2.2, CellKind.OPERATOR: 1.1, CellKind.WORKERS: 0.5, CellKind.PROBLEM: 0.5,
    CellKind.CLOSED_FORM: 0.4, CellKind.BOUND: 0.6, CellKind.PROOF: 0.2, CellKind.TOPOLOGY: 0.02,
    CellKind.PUSH: 0.02, CellKind.TABLE_IV: 1.7, CellKind.WATCHED: 0.4,
    CellKind.SYSTEM: 0.5, CellKind.LIMIT: 0.2,
}  # fmt: skip
"""Seconds of a cell of each kind, where nothing is known of it: means of a quick survey's cells, of
effects, runs, operators, closed forms, bounds and watched runs of ten and more drawn from them,
once kernels are compiled."""

_ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")


class SurveyInterrupted(BaseException):
    """A signal asked the survey to end; ``exit_code`` is 128 + its number."""

    def __init__(self, signum: int) -> None:
        super().__init__(signal.Signals(signum).name)
        self.exit_code = 128 + signum


@final
@dataclass(frozen=True)
class Failure:
    """A cell that raised, or whose process died.

    Attributes:
        error: what it raised, or how the process died.
    """

    cell: Cell
    error: str


@final
@dataclass(frozen=True)
class Survey:
    """All finished cells in their order, those that failed, and how much was reused.

    Attributes:
        failures: cells without a result.
        seconds: how long the survey ran.
        versions: of each cell, the version of what it depends on.
        missing: cells still to run, where it is not over.
    """

    finished: tuple[tuple[Cell, Stored], ...]
    failures: tuple[Failure, ...]
    reused: int
    seconds: float
    versions: Mapping[Cell, str]
    missing: int = 0


def _nothing(cell: Cell, stored: Stored) -> None:
    pass


def run_survey(
    cells: Sequence[Cell],
    run_cell: Callable[[Cell], CellResult],
    store: Store,
    console: Console,
    workers: int = WORKERS,
    tick: Callable[[], None] = lambda: None,
    then: Callable[[Cell, Stored], None] = _nothing,
    executor: str = "",
) -> Survey:
    """Run the cells that are not in the store yet; ``run_cell`` must be importable by name.

    ``tick`` is called at least twice a second, and must not wait. ``then`` is called in the worker
    once a cell's result is stored, and must not raise. ``executor`` as of
    :func:`experiments.processes.executors.pool_of`; its workers must see the store under the same
    name.

    Raises:
        ValueError: the executor is none.
        ExecutorLost: it broke and did not open again.
        SurveyInterrupted: SIGINT, SIGTERM or SIGHUP came. No worker process is left, what was
            finished is in the store.
    """
    begin = time.monotonic()
    for sentence in store.unknown_files():
        console.print(
            f"warning: {sentence}", style="yellow", markup=False, highlight=False, soft_wrap=True
        )
    kept = {cell: stored for cell in cells if (stored := _trusted(store, cell, console))}
    todo = [cell for cell in cells if cell not in kept]
    console.print(
        f"reused {len(kept)} of {len(cells)} cells, {len(todo)} to run",
        highlight=False,
    )
    failures: tuple[Failure, ...] = ()
    if todo:
        with _single_threaded(), _progress(console, todo, store, workers) as progress:
            work = partial(_compute, run_cell, store, then)
            failures = _run(todo, work, progress, store, workers, tick, executor)
    fresh = {cell: stored for cell in todo if (stored := _trusted(store, cell, console))}
    done = kept | fresh
    store.remember(fresh)
    return Survey(
        finished=tuple((cell, done[cell]) for cell in cells if cell in done),
        failures=failures,
        reused=len(kept),
        seconds=time.monotonic() - begin,
        versions=store.versions,
    )


def _compute(
    run_cell: Callable[[Cell], CellResult],
    store: Store,
    then: Callable[[Cell, Stored], None],
    cell: Cell,
) -> None:
    """In a worker: run the cell and keep its result before anybody hears of it."""
    with suppress(CorruptResult):
        if store.load(cell) is not None:  # another survey on this folder was sooner
            return
    begin, processor = time.monotonic(), _processor_seconds()
    result = run_cell(cell)
    seconds, used = time.monotonic() - begin, _processor_seconds() - processor
    stored = Stored(result, seconds, used)
    store.save(cell, stored)
    then(cell, stored)


def _processor_seconds() -> float:
    """Of this process and its children that have ended."""
    now = os.times()
    return now.user + now.system + now.children_user + now.children_system


def _run(
    todo: Sequence[Cell],
    work: Callable[[Cell], None],
    progress: Progress,
    store: Store,
    workers: int,
    tick: Callable[[], None],
    executor: str,
) -> tuple[Failure, ...]:
    failures: list[Failure] = []
    with pool_of(executor, work, min(workers, len(todo))) as pool:
        for event in pool.run(in_order(progress.costs)):
            tick()
            if isinstance(event, Started):
                progress.started(event.worker, event.task)
            elif isinstance(event, Ended):
                progress.ended(event.worker, event.task, event.seconds, event.error)
                if event.error:
                    failures.append(Failure(event.task, event.error))
                    store.keep_trace(event.task, f"{event.error}\n\n{event.detail}")
            else:
                progress.heartbeat()
    return tuple(failures)


def in_order(costs: Mapping[Cell, float]) -> list[Cell]:
    """A short cell of each row first, so that the report soon shows something of all; then the
    longest first, so that the workers end together.
    """
    first: dict[str, Cell] = {}
    for cell in sorted(costs, key=lambda cell: costs[cell]):
        if costs[cell] <= _SHORT:
            first.setdefault(cell.row, cell)
    early = set(first.values())
    rest = (cell for cell in costs if cell not in early)
    return [*first.values(), *sorted(rest, key=lambda cell: costs[cell], reverse=True)]


def _trusted(store: Store, cell: Cell, console: Console) -> Stored | None:
    try:
        return store.load(cell)
    except CorruptResult as error:
        console.print(
            f"warning: {error}; {title(cell)} is computed again",
            style="yellow",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
        return None


def _progress(console: Console, todo: Sequence[Cell], store: Store, workers: int) -> Progress:
    costs = expected_seconds(todo, store)
    kind = LiveProgress if console.is_terminal else PlainProgress
    return kind(console, costs, workers)


def expected_seconds(todo: Sequence[Cell], store: Store) -> dict[Cell, float]:
    """Seconds each cell is expected to take: what it took before, under whatever code; else what
    its kind usually takes."""
    before = store.timings()
    return {cell: before.get(cell_name(cell), _USUAL.get(cell.kind, 1.0)) for cell in todo}


@contextmanager
def _single_threaded() -> Iterator[None]:
    """One thread in each worker: two busy pools on two cores would fight."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def stopping() -> Iterator[None]:
    """Turn the stop signals into :class:`SurveyInterrupted`, once."""
    stops = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def stop(signum: int, frame: FrameType | None) -> None:
        for other in stops:
            signal.signal(other, signal.SIG_IGN)
        raise SurveyInterrupted(signum)

    before = {signum: signal.signal(signum, stop) for signum in stops}
    try:
        yield
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
