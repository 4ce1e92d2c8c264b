"""A study: a grid of runs that is never held in memory as a whole.

A run has a number; which run that is follows from the number alone, so that 100,000 runs take no
more room than ten. Runs of one row on one problem lie together, seeds outermost: a study to which
seeds, rows or problems are added keeps the blocks of runs that it had.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, final


@final
@dataclass(frozen=True)
class RunPoint:
    """One run of a study.

    Attributes:
        row: key of the row.
        problem: name of the problem.
        n: number of workers.
        steps: steps T.
        tuning: ``"theorem"`` or ``"grid"``.
        gamma: a constant stepsize of one's own, None: what the tuning says.
        seed: seed of the run.
        settings: parameters of the row that are set, by name.
    """

    row: str
    problem: str
    n: int
    steps: int
    tuning: str
    gamma: float | None
    seed: int
    settings: tuple[tuple[str, str], ...]


@final
@dataclass(frozen=True)
class PairOfStudy:
    """One row on one problem: an axis for everything else that varies.

    Attributes:
        axes: names of the axes with their values, the outermost first; a setting's name begins
            with ``set.``.
    """

    row: str
    problem: str
    axes: tuple[tuple[str, tuple[Any, ...]], ...]

    @property
    def runs(self) -> int:
        """Number of its runs in the study."""
        return math.prod(len(values) for _, values in self.axes)

    def point(self, number: int) -> RunPoint:
        """Its run of a number from 0 to ``runs`` - 1."""
        found: dict[str, Any] = {}
        for name, values in reversed(self.axes):
            number, place = divmod(number, len(values))
            found[name] = values[place]
        settings = tuple(
            (name.removeprefix("set."), str(found[name]))
            for name, _ in self.axes
            if name.startswith("set.")
        )
        return RunPoint(
            self.row, self.problem, found["n"], found["steps"], found["tuning"], found["gamma"],
            found["seed"], settings,
        )  # fmt: skip


@final
@dataclass(frozen=True)
class RunBlock:
    """Runs of one pair that are played one after another and stored as one file.

    Attributes:
        pair: row and problem.
        first: number of its first run in the pair.
        size: how many runs.
        name: a hash of the runs, which the file is called by.
    """

    pair: PairOfStudy
    first: int
    size: int
    name: str

    @property
    def points(self) -> Iterator[RunPoint]:
        """Its runs in their order."""
        return map(self.pair.point, range(self.first, self.first + self.size))


@final
@dataclass(frozen=True)
class SweepStudy:
    """A grid of runs.

    Attributes:
        name: what it is called.
        replicas: replicas of every run.
        records: most records of a run.
        block: most runs of a file.
        pairs: rows on problems.
        settings: names of all parameters that some row has set.
        left_out: pairs that do not fit each other, with the reason, where the study skips them.
    """

    name: str
    replicas: int
    records: int
    block: int
    pairs: tuple[PairOfStudy, ...]
    settings: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    @property
    def runs(self) -> int:
        """Number of runs of the study."""
        return sum(pair.runs for pair in self.pairs)

    @property
    def blocks(self) -> int:
        """Number of files that they are stored in."""
        return sum(-(-pair.runs // self.block) for pair in self.pairs)

    def block_at(self, number: int) -> RunBlock:
        """The block of a number from 0 to ``blocks`` - 1.

        Raises:
            IndexError: there is no such block.
        """
        left = number
        for pair in self.pairs:
            blocks = -(-pair.runs // self.block)
            if 0 <= left < blocks:
                first = left * self.block
                size = min(self.block, pair.runs - first)
                return RunBlock(pair, first, size, self._hash(pair, first, size))
            left -= blocks
        raise IndexError(f"block must be below {self.blocks}, got block={number}")

    def _hash(self, pair: PairOfStudy, first: int, size: int) -> str:
        runs = [asdict(pair.point(first + k)) for k in range(size)]
        what = json.dumps([runs, self.replicas, self.records, self.settings], sort_keys=True)
        return hashlib.sha256(what.encode()).hexdigest()[:24]
