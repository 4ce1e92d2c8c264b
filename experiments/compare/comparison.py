"""Rows beside each other at one budget: standings, pictures, tidy data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from algorithms.engine.replicas import HEAVY, LEVEL, centre, middle
from experiments.compare.axes import AXES, Axis
from experiments.compare.ranking import (
    CHANCE,
    ComparedRow,
    Entrant,
    enough_replicas,
    error_at,
    paired,
    spent_to,
)
from proofs_check.curves import typical
from theory.arrays import Floats

if TYPE_CHECKING:  # what draws is imported by what is drawn: half a second that standings save
    import pandas as pd
    from matplotlib.figure import Figure


@final
@dataclass(frozen=True)
class Comparison:
    """Rows beside each other at one budget of ``axis``, made by
    :func:`experiments.compare.comparing.compare_rows`.

    Attributes:
        problem: the problem's name.
        n: number of workers.
        seed: seed of all runs.
        axis: what is equal.
        budget: how much of it every row may spend.
        quantity: what the error is.
        target: the error that ``spent`` is about.
        entrants: the rows in the order in which they were named.
        heavy: whether errors have no mean, so that medians are compared.
    """

    problem: str
    n: int
    seed: int
    axis: Axis
    budget: float
    quantity: str
    target: float
    entrants: tuple[Entrant, ...]
    heavy: bool = False

    @property
    def tested(self) -> str:
        """Meaning of the error and its p, in words."""
        if not self.heavy:
            return "p: paired t test against the best over replicas, times the number of pairs"
        return f"{HEAVY}; p: sign test against the best, times the number of pairs"

    @property
    def standings(self) -> tuple[ComparedRow, ...]:
        """Standings of the rows, the best first."""
        ends = {one.key: error_at(one, self.budget) for one in self.entrants}
        ordered = sorted(self.entrants, key=lambda one: self._typical(ends[one.key]))
        best = ends[ordered[0].key]
        return tuple(self._standing(one, ends[one.key], best) for one in ordered)

    @property
    def _pairs(self) -> int:
        """Number of tests: the best is chosen among the rows, so that any pair may be tested."""
        return math.comb(len(self.entrants), 2)

    def _typical(self, end: Floats) -> float:
        return float(centre(end[:, None], self.heavy)[0])

    def _standing(self, one: Entrant, end: Floats, best: Floats) -> ComparedRow:
        error, low, high = (float(part[0]) for part in middle(end[:, None], self.heavy))
        least = self._typical(best)
        return ComparedRow(
            one.key, error, low, high, error / least if least else math.nan,
            paired(end, best, self._pairs, self.heavy),
            spent_to(one, self.target, self.heavy), one.description, self._enough(end, best),
        )  # fmt: skip

    def _enough(self, end: Floats, best: Floats) -> float:
        """Replicas that would tell a row from the best; medians have no such count."""
        if self.heavy or end is best:
            return math.nan
        return enough_replicas(end, best, self._pairs)

    @property
    def frame(self) -> pd.DataFrame:
        """Tidy data: row, replica, record, what was spent, error."""
        import pandas as pd

        parts = []
        for one in self.entrants:
            replicas, records = one.error.shape
            parts.append(
                pd.DataFrame(
                    {
                        "row": one.key,
                        "problem": self.problem,
                        "n": self.n,
                        "seed": self.seed,
                        "replica": np.repeat(np.arange(replicas), records),
                        "record": np.tile(np.arange(records), replicas),
                        self.axis: one.x.ravel(),
                        "error": one.error.ravel(),
                    }
                )
            )
        return pd.concat(parts, ignore_index=True)

    def figure(self) -> Figure:
        """One line a row, with its band, against what is equal."""
        from experiments.figures.lines import DrawnLine, LineCurves
        from experiments.figures.lines_figure import lines_figure

        lines = []
        for one in self.entrants:
            lines.append(DrawnLine(one.key, one.x.mean(0), *typical(one.error, self.heavy)))
        title = f"{self.problem}, n = {self.n}, {len(self.entrants[0].error)} replicas"
        title += ", medians" if self.heavy else ""
        return lines_figure(LineCurves(title, AXES[self.axis], self.quantity, tuple(lines)))

    def replicas_figure(self) -> Figure:
        """The distribution of each row's errors at the budget, and who beats whom."""
        from experiments.figures.replicas import ReplicaErrors, replicas_figure

        ends = {one.key: error_at(one, self.budget) for one in self.entrants}
        order = [one.key for one in self.standings]
        apart = {
            (a, b): paired(ends[a], ends[b], self._pairs, self.heavy) <= CHANCE
            for a in order
            for b in order
            if a != b
        }
        title = f"{self.problem}, n = {self.n}: {self.budget:.4g} {AXES[self.axis]}"
        errors = {key: ends[key] for key in order}
        return replicas_figure(ReplicaErrors(title, self.quantity, errors, apart))

    def differences_figure(self) -> Figure:
        """What the test looks at: each row's paired differences from the best over replicas, in
        units of the best's error, with their interval."""
        from experiments.figures.forest import ForestLine, ForestPlot, forest_figure

        ends = {one.key: error_at(one, self.budget) for one in self.entrants}
        best, *others = (one.key for one in self.standings)
        unit = self._typical(ends[best]) or 1.0
        lines = []
        for key in others:
            apart = ((ends[key] - ends[best]) / unit)[:, None]
            at, low, high = (float(part[0]) for part in middle(apart, self.heavy))
            lines.append(ForestLine(key, at, low, high))
        title = f"{self.problem}, n = {self.n}: {self.budget:.4g} {AXES[self.axis]}"
        label = f"error minus that of {best}, in units of it"
        interval = f"{LEVEL:.0%} interval over replicas"
        return forest_figure(ForestPlot(title, label, interval, tuple(lines)))

    def _repr_html_(self) -> str:
        import pandas as pd

        from experiments.figures.html import block, frame_html, picture

        title = f"{self.problem}, n = {self.n}: {self.quantity} at {self.budget:.4g} {self.axis}"
        shown = picture(self.figure, f"{title}, a line a row")
        spread = picture(self.replicas_figure, f"{title}, replicas and pairs")
        return block(title, frame_html(pd.DataFrame(self.standings)), shown, spread)
