r"""Uploads that lazily aggregated gradients need, against gradient descent's.

Chen et al. 2018 (arXiv:1805.09965) give 5283 uploads for gradient descent and 1756 for LAG by the
server's rule on three UCI sets with nine workers; here the same set-up on three sets that
scikit-learn brings. On curvatures that rise from worker to worker, uploads follow L_i.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from algorithms.problems.least_squares import LeastSquares
from algorithms.problems.least_squares_data import dealt, packaged, rising
from proofs_check.curves import PanelLine
from proofs_check.figure_runs.uploads import ACCURACY, Contender, Uploads, contenders, race
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Outcome, Verdict

_SPLIT, _POINTS = 3, 200
_THIRD, _TREND, _SLOWER = 1 / 3, 0.9, 2.0
_LAZY = ("LAG-PS", "LAG-WK", "LAQ")
_PAPER = "Chen et al. 2018, arXiv:1805.09965, Section 4 and Table 5"

Entries = Callable[[LeastSquares], tuple[Contender, ...]]


@study(
    "lag",
    "least squares, three data sets",
    "fewer uploads to the same accuracy",
    "uploads",
    "n (f(x_t) - f*)",
    name="lag_uploads",
)
def measure(entries: Entries = contenders) -> StudyResult:
    """Uploads until n (f - f*) < 1e-8, and who uploads."""
    problem = dealt(packaged(), _SPLIT, "diabetes, wine, breast cancer")
    races = {entry.name: race(entry, problem) for entry in entries(problem)}
    verdicts = []
    for name in _LAZY:
        verdicts += [_fewer(races[name], races["GD"]), _no_slower(races[name], races["GD"])]
    made = rising()
    verdicts += [
        _follows(race(entry, made), made) for entry in entries(made) if entry.name in _LAZY
    ]
    drawn: list[PanelLine] = []
    for name, run in races.items():
        at = _thinned(len(run.error))
        drawn += [PanelLine(name, run.uploads[at], run.error[at])]
    return StudyResult(tuple(verdicts), drawn)


def _fewer(mine: Uploads, plain: Uploads) -> Verdict:
    share = mine.total / plain.total
    good = mine.reached and share <= _THIRD
    return _verdict(
        mine, f"{mine.name} needs a third of gradient descent's uploads at most", "uploads saved",
        good, share, _THIRD,
        f"{mine.total} uploads against {plain.total}; {mine.bits / 1e6:.3g} Mbit against "
        f"{plain.bits / 1e6:.3g}",
    )  # fmt: skip


def _no_slower(mine: Uploads, plain: Uploads) -> Verdict:
    ratio = mine.steps / plain.steps
    return _verdict(
        mine, f"{mine.name} keeps the order of gradient descent's rate", "steps kept",
        mine.reached and ratio <= _SLOWER, ratio, _SLOWER,
        f"{mine.steps} steps against {plain.steps}",
    )  # fmt: skip


def _follows(mine: Uploads, problem: LeastSquares) -> Verdict:
    trend = float(scipy.stats.spearmanr(problem.smoothness, mine.by_worker).statistic)
    return _verdict(
        mine, f"{mine.name}: a worker's uploads rise with its L_i", "trend in L_i",
        mine.reached and trend >= _TREND, trend, _TREND,
        f"uploads {', '.join(str(count) for count in mine.by_worker)} at L_i from "
        f"{min(problem.smoothness):.3g} to {max(problem.smoothness):.3g}, rank correlation",
        problem.name,
    )  # fmt: skip


def _verdict(
    mine: Uploads, claim: str, check: str, good: bool, statistic: float, bound: float,
    evidence: str, problem: str = "least squares, three data sets",
) -> Verdict:  # fmt: skip
    return Verdict(
        subject="laq" if mine.name == "LAQ" else "lag", problem=problem, claim=claim, check=check,
        outcome=Outcome.SUPPORTED if good else Outcome.REFUTED, statistic=statistic, bound=bound,
        evidence=evidence + ("" if mine.reached else "; the accuracy was not reached"),
        provenance=f"{_PAPER}; n (f - f*) < {ACCURACY:g}, n = {len(mine.by_worker)}, gamma = 1/L, "
        "seed 0 of the made problem, else no randomness",
    )  # fmt: skip


def _thinned(count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """At most so many places of a curve, its ends among them."""
    return np.unique(np.linspace(0, count - 1, min(count, _POINTS)).astype(np.int64))
