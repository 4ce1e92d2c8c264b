"""The contest of a study: all rows tuned by one grid at the budget that they are compared at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from algorithms.catalogue import Row
from algorithms.problems.base import Problem
from algorithms.tuning.grid import SEED, Best, search
from experiments.compare.axes import AXES, Axis, spending
from experiments.compare.clustered import OnCluster, clocked
from experiments.compare.comparing import compare_rows, price_of_step
from experiments.compare.ranking import error_at
from experiments.compare.tuned_rows import Chosen
from proofs_check.cell import CellResult
from proofs_check.curves import LinePanel, PanelLine, typical
from proofs_check.facts import ContestFacts, StandingFacts, TunedFacts
from proofs_check.verdict import CheckKind, Outcome, Verdict

TRIALS = 4
"""Replicas of a run of the grid."""

REPLICAS = "replica"
"""Label of the axis of the panel that has each replica's error."""

_MOST = 50  # times the steps of the first row: the longest run of the grid
_SHOWN: tuple[Axis, ...] = ("steps", "bits", "seconds")


@final
@dataclass(frozen=True)
class ContestBudget:
    """Runs as long as the budget of the comparison buys.

    Attributes:
        total: how much of ``axis`` each row may spend.
        axis: what is equal.
        most: steps that no run may exceed.
        replicas: independent runs at each place of the grid.
    """

    total: float
    axis: Axis
    most: int
    replicas: int = TRIALS

    def steps(self, row: Row, problem: Problem) -> int:
        """Steps of the row that the budget buys.

        Raises:
            ValueError: the row spends nothing of the axis.
        """
        return max(1, min(self.most, round(self.total / price(row, problem, self.axis, self.most))))


def price(row: Row, problem: Problem, axis: Axis, steps: int) -> float:
    """Cost of a step of the row along an axis.

    Raises:
        ValueError: the row spends nothing of the axis.
    """
    timing = OnCluster().timing(row, problem)
    return price_of_step(
        Chosen(clocked(row, timing), None, ""), problem, axis, steps, SEED, timing
    )  # fmt: skip


def tuned(row: Row, problem: Problem, budget: ContestBudget) -> CellResult:
    """The best place of the grid at the budget, as facts.

    Raises:
        ValueError: as :func:`algorithms.tuning.grid.search`.
    """
    best = search(row, problem, budget)
    step = best.step(problem)
    facts = TunedFacts(
        row.key, best.method, best.power, None if step is None else step.gamma,
        tuple(best.settings), tuple(best.settings.values()), best.score, best.places,
        budget.steps(row, problem), budget.replicas,
    )  # fmt: skip
    return CellResult((), facts=(facts,))


def best_of(found: TunedFacts) -> Best:
    """The place of the grid that facts tell of."""
    settings = dict(zip(found.settings, found.values, strict=True))
    return Best(found.method, found.power, settings, found.score, found.places)


def at_best(row: Row, found: TunedFacts, problem: Problem) -> Chosen:
    """The row with the stepsize and parameters that were found, and no others."""
    best = best_of(found)
    made = best.row(row)
    why = "it is compared at its best step"
    recipe = replace(made.ready(), practice=None, theorems=(), why=why)
    return Chosen(replace(made, recipe=recipe), best.step(problem), best.description)


def contested(
    rows: Sequence[tuple[Row, TunedFacts]], problem: Problem, *, axis: Axis, steps: int,
    replicas: int, seed: int,
) -> CellResult:  # fmt: skip
    """The rows at one budget, that of ``steps`` steps of the first: curves with bands against
    steps, bits and seconds, every replica's error at the budget, and the standings.

    Raises:
        ValueError, Diverged: as :func:`~experiments.compare.comparing.compare_rows`.
    """
    found = compare_rows(
        [at_best(row, best, problem) for row, best in rows], problem, axis=axis,
        steps=steps, replicas=replicas, seed=seed,
    )  # fmt: skip
    title = f"{found.problem}, n = {found.n}, {replicas} replicas"
    panels = []
    for along in _SHOWN:
        lines = []
        for one in found.entrants:
            assert one.trace is not None
            x = spending(one.trace, along).mean(0)
            if np.isfinite(x).all() and x[-1] > 0:
                lines.append(PanelLine(one.key, x, *typical(one.error, found.heavy)))
        if lines:
            panels.append(
                LinePanel(title, AXES[along], found.quantity, ("log", "log"), tuple(lines))
            )
    ends = tuple(
        PanelLine(one.key, np.arange(replicas, dtype=float), error_at(one, found.budget))
        for one in found.entrants
    )
    panels.append(LinePanel(title, REPLICAS, found.quantity, ("linear", "log"), ends))
    lengths = {one.key: int(one.trace.steps[-1]) for one in found.entrants if one.trace}
    standings = tuple(
        StandingFacts(
            one.key, one.error, one.low, one.high, one.ratio, one.p, one.spent,
            lengths[one.key], one.verdict,
        )
        for one in found.standings
    )  # fmt: skip
    facts = ContestFacts(
        axis, found.budget, found.quantity, found.target, found.tested, standings, found.heavy
    )
    verdicts = tuple(
        Verdict(
            subject=one.row, problem=problem.name, kind=CheckKind.STUDY,
            check=f"comparison at equal {axis}", outcome=Outcome.COMPARED, statistic=one.error,
            bound=standings[0].error, uncertainty=(one.high - one.low) / 2,
            claim=f"its {found.quantity} at {found.budget:.4g} {AXES[axis]} is that of the best",
            evidence=f"{one.error:.4g} in [{one.low:.4g}, {one.high:.4g}], "
            f"{one.ratio:.3g} times the best's: {one.standing}",
            provenance=f"seed {seed}, {replicas} replicas, {one.steps} steps",
        )
        for one in standings
    )  # fmt: skip
    return CellResult(verdicts, tuple(panels), (facts,))
