"""Display of the survey while it runs: live on a terminal, log lines elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping
from typing import final

from rich import progress
from rich.console import Console
from rich.progress import TaskID

from proofs_check.cell import Cell, CellKind


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
    """Progress of the work, weighing each cell with the seconds it is expected to take.

    What cells of a kind took corrects the expectation for those of that kind alone. The first cell
    of a row compiles kernels for those that follow: what it takes beyond its expectation is
    expected once more of each row that has not begun, and of no other cell.
    """

    def __init__(self, costs: Mapping[Cell, float], workers: int) -> None:
        self._costs = costs
        self._workers = workers
        self._rows = {cell.row for cell in costs}
        self._begun: set[str] = set()
        self._compiling = 0.0
        self._rest = defaultdict[CellKind, float](float)
        self._expected = defaultdict[CellKind, float](float)
        self._took = defaultdict[CellKind, float](float)
        for cell, cost in costs.items():
            self._rest[cell.kind] += cost
        self.total = len(costs)
        self.done = 0

    def tick(self, cell: Cell, seconds: float) -> None:
        """Take note that a cell ended after so many seconds."""
        cost = self._costs[cell]
        self._rest[cell.kind] -= cost
        self.done += 1
        if cell.row not in self._begun:
            self._begun.add(cell.row)
            self._compiling += max(seconds - cost, 0.0)
        else:
            self._expected[cell.kind] += cost
            self._took[cell.kind] += seconds

    @property
    def left(self) -> str:
        """The time left in words; empty before the first cell is done."""
        if not self.done:
            return ""
        rest = sum(cost * self._slower(kind) for kind, cost in self._rest.items())
        rest += self._compiling / len(self._begun) * len(self._rows - self._begun)
        return f"about {duration(rest / self._workers)} left"

    def _slower(self, kind: CellKind) -> float:
        """How many times longer than expected cells of this kind took; 1 where none was done."""
        expected = self._expected[kind]
        return self._took[kind] / expected if expected else 1.0


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
    def heartbeat(self) -> None:
        """Called now and then while nothing happens."""


@final
class PlainProgress(Progress):
    """One line per finished cell."""

    def __init__(self, console: Console, costs: Mapping[Cell, float], workers: int) -> None:
        self.costs = costs
        self._console = console
        self._left = RemainingWork(costs, workers)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def started(self, worker: int, cell: Cell) -> None:
        pass

    def ended(self, worker: int, cell: Cell, seconds: float, error: str) -> None:
        self._left.tick(cell, seconds)
        count = f"[{self._left.done:>{len(str(self._left.total))}}/{self._left.total}]"
        what = f"error: {title(cell)}: {error}" if error else f"{title(cell)} ({seconds:.1f} s)"
        left = self._left.left if self._left.done < self._left.total else "all done"
        self._console.print(
            f"{count} {what}, {left}", markup=False, highlight=False, soft_wrap=True
        )

    def heartbeat(self) -> None:
        pass


@final
class LiveProgress(Progress):
    """A bar, the time left, and what each worker is busy with."""

    def __init__(self, console: Console, costs: Mapping[Cell, float], workers: int) -> None:
        self.costs = costs
        self._left = RemainingWork(costs, workers)
        self._busy: dict[int, TaskID] = {}
        self._display = progress.Progress(
            progress.BarColumn(),
            progress.TextColumn("{task.description}", markup=False),
            progress.TextColumn("{task.fields[note]}", markup=False),
            console=console,
            auto_refresh=False,  # the pool calls beat(); a thread would draw between its lines
            transient=True,
        )
        self._all = self._display.add_task("", total=max(self._left.total, 1), note="")
        self._count()

    def __enter__(self) -> Progress:
        self._display.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._display.stop()

    def started(self, worker: int, cell: Cell) -> None:
        where = f"{cell.row or '(no row)'}  {cell.problem or '(no problem)'}"
        self._busy[worker] = self._display.add_task(where, total=None, note="", check=cell.check)
        self.heartbeat()

    def ended(self, worker: int, cell: Cell, seconds: float, error: str) -> None:
        self._left.tick(cell, seconds)
        if worker in self._busy:
            self._display.remove_task(self._busy.pop(worker))
        if error:
            self._display.console.print(
                f"error: {title(cell)}: {error}", style="red", markup=False, highlight=False
            )
        self._count()
        self.heartbeat()

    def heartbeat(self) -> None:
        for task in self._display.tasks:
            if task.id != self._all:
                note = f"{task.fields['check']}, {duration(task.elapsed or 0.0)}"
                self._display.update(task.id, note=note)
        self._display.refresh()

    def _count(self) -> None:
        left = self._left
        words = f"{left.done} of {left.total} cells"
        self._display.update(self._all, completed=left.done, description=words, note=left.left)
