r"""What Downpour's two periods cost: error against n_fetch and against n_push.

Dean et al. 2012 (NIPS) fetch and push at periods of their own and state no theorem. With n_push = 1
and n_fetch growing, workers compute on their own older models and the server sums what they make of
them; with n_fetch = 1 and n_push growing, gradients arrive late and together. The excess f - f*
over the second half of a run of as many gradients is measured on a noisy quadratic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.base import Method
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.curves import PanelLine, band
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import models
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

Build = Callable[[Downpour], Method[Any]]

_PERIODS = (1, 2, 4, 6, 8)  # by 16 some runs have left the stable region
_WORKERS, _TICKS, _REPLICAS, _GAMMA, _SEED = 8, 600, 48, 0.05, 4
_ROW, _PROBLEM = "downpour", "quadratic-sc"


def measure(
    build: Build = lambda downpour: downpour, periods: tuple[int, ...] = _PERIODS
) -> StudyResult:
    """Excess against each period, the other being one."""
    lines = {
        "fetch every n": np.stack([_excess(build, 1, p) for p in periods], axis=1),
        "push every n": np.stack([_excess(build, p, 1) for p in periods], axis=1),
    }
    verdicts = tuple(_grows(label, e, periods) for label, e in lines.items())
    drawn: list[PanelLine] = []
    for label, e in lines.items():
        drawn.append(PanelLine(label, np.array(periods, dtype=np.float64), *band(e)))
    return StudyResult(verdicts, drawn)


def _excess(build: Build, n_push: int, n_fetch: int) -> Floats:
    """f - f* over the second half of each replica's run ``[R]``."""
    problem = Quadratic.strongly_convex(_WORKERS, 8, L=1.0, mu=0.1, sigma2=1.0, R2=1.0)
    method = build(
        Downpour(ConstantStep(_GAMMA), _TICKS, Exponential(), n_push, n_fetch, replicas=_REPLICAS)
    )
    x = models(method, problem, _TICKS, seed=_SEED, replicas=_REPLICAS)[_TICKS // 2 :]
    return np.asarray((problem.value(x) - problem.f_star).mean(0).numpy())


def _grows(label: str, e: Floats, periods: tuple[int, ...]) -> Verdict:
    """The error at the longest period against that at one."""
    rise = e[:, -1] - e[:, 0]
    half = float(scipy.stats.t.isf(ALPHA, _REPLICAS - 1) * rise.std(ddof=1)) / _REPLICAS**0.5
    one = float(e[:, 0].mean())
    listed = ", ".join(f"{p}: {m / one:.3f}" for p, m in zip(periods, e.mean(axis=0), strict=True))
    return Verdict(
        subject=_ROW, problem=_PROBLEM, claim=f"error grows with the period: {label}",
        check="cost of a period",
        outcome=Outcome.SUPPORTED if rise.mean() > half else Outcome.REFUTED,
        statistic=float(rise.mean()) / one, bound=0.0, uncertainty=half / one,
        resolution=half / one,
        evidence=f"excess relative to a period of one, by period {listed}",
        provenance=f"{_WORKERS} workers, gamma = {_GAMMA}, {_TICKS} gradients, {_REPLICAS} "
        f"replicas, seed {_SEED}, error {ALPHA:g}",
    )  # fmt: skip


STUDY = Study(
    "downpour_periods",
    _ROW,
    _PROBLEM,
    "the error grows with both of Downpour's periods",
    "gradients between fetches, or between pushes",
    "f(x_t) - f*, second half of the run",
    measure,
)
