"""What the survey shows while it runs: a live display on a terminal, log lines elsewhere."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import final

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from proofs_check.cell import Cell


def title(cell: Cell) -> str:
    """The cell in words: row, problem, check."""
    what = " on ".join(part for part in (cell.row, cell.problem) if part)
    return f"{what}: {cell.check}" if what else cell.check


def duration(seconds: float) -> str:
    """``"42 s"``, ``"3 min 20 s"``, ``"1 h 05 min"``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


@final
class RemainingWork:
    """How far the work is, weighing each cell with the seconds it is expected to take."""

    def __init__(self, costs: Mapping[Cell, float], workers: int) -> None:
        self._costs = costs
        self._workers = workers
        self._weight = 0.0
        self._seconds = 0.0
        self.total = len(costs)
        self.done = 0

    def tick(self, cell: Cell, seconds: float) -> None:
        """Take note that a cell ended after so many seconds."""
        self._weight += self._costs[cell]
        self._seconds += seconds
        self.done += 1

    @property
    def left(self) -> str:
        """The time left in words; empty before the first cell is done."""
        if not self.done:
            return ""
        rest = sum(self._costs.values()) - self._weight
        return f"about {duration(self._seconds / self._weight * rest / self._workers)} left"


class Progress(ABC):
    """Told what happens; shows it."""

    costs: Mapping[Cell, float]

    @abstractmethod
    def __enter__(self) -> Progress: ...

    @abstractmethod
    def __exit__(self, *error: object) -> None: ...

    @abstractmethod
    def started(self, worker: int, cell: Cell) -> None:
        """A worker process has begun a cell."""

    @abstractmethod
    def ended(self, worker: int, cell: Cell, seconds: float, error: str) -> None:
        """A worker process ended a cell after so many seconds; ``error`` is empty if it went
        well."""

    @abstractmethod
    def beat(self) -> None:
        """Called now and then while nothing happens."""


@final
class PlainProgress(Progress):
    """One line per finished cell."""

    def __init__(self, console: Console, costs: Mapping[Cell, float], workers: int) -> None:
        self.costs = costs
        self._console = console
        self._clock = RemainingWork(costs, workers)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def started(self, worker: int, cell: Cell) -> None:
        pass

    def ended(self, worker: int, cell: Cell, seconds: float, error: str) -> None:
        self._clock.tick(cell, seconds)
        count = f"[{self._clock.done:>{len(str(self._clock.total))}}/{self._clock.total}]"
        what = f"error: {title(cell)}: {error}" if error else f"{title(cell)} ({seconds:.1f} s)"
        left = self._clock.left if self._clock.done < self._clock.total else "all done"
        self._console.print(
            f"{count} {what}, {left}", markup=False, highlight=False, soft_wrap=True
        )

    def beat(self) -> None:
        pass


@final
class LiveProgress(Progress):
    """A bar, the time left, and what each worker is busy with."""

    def __init__(self, console: Console, costs: Mapping[Cell, float], workers: int) -> None:
        self.costs = costs
        self._clock = RemainingWork(costs, workers)
        self._busy: dict[int, tuple[Cell, float]] = {}
        self._live = Live(self._table(), console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Progress:
        self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def started(self, worker: int, cell: Cell) -> None:
        self._busy[worker] = (cell, time.monotonic())
        self.beat()

    def ended(self, worker: int, cell: Cell, seconds: float, error: str) -> None:
        self._clock.tick(cell, seconds)
        self._busy.pop(worker, None)
        if error:
            self._live.console.print(
                f"error: {title(cell)}: {error}", style="red", markup=False, highlight=False
            )
        self.beat()

    def beat(self) -> None:
        self._live.update(self._table(), refresh=True)

    def _table(self) -> Table:
        grid = Table.grid(padding=(0, 2))
        clock = self._clock
        bar = ProgressBar(total=max(clock.total, 1), completed=clock.done, width=40)
        grid.add_row(bar, f"{clock.done} of {clock.total} cells", clock.left)
        for worker in sorted(self._busy):
            cell, since = self._busy[worker]
            took = duration(time.monotonic() - since)
            grid.add_row(
                f"[bold]{cell.row or '(no row)'}[/]",
                cell.problem or "(no problem)",
                f"{cell.check}, {took}",
            )
        return grid
