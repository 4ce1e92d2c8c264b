r"""What delay compensation gives back on logistic regression: all of it, or a part.

The excess f - f* over the second half of a run against the number of workers, gradients as they
come and compensated. The exact Hessian (along the move) brings back the error of one worker; on
quadratics it does so tick by tick, an identity. The diagonal lam g*g of Zheng et al. 2016
(arXiv:1609.08326) only knows the gradient; what it gives back is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy

from algorithms.methods.base import Method
from algorithms.methods.parts.delay_compensation import (
    Correction,
    DiagonalCompensation,
    ExactHessian,
    NoCorrection,
)
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.curves import PanelLine, band
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import models
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

Build = Callable[[ParameterServer], Method[Any]]

_WORKERS = (1, 8, 16, 32)
_TICKS, _REPLICAS, _GAMMA, _SEED = 300, 64, 2.0, 5
_KEPT = 1.2  # of the error of one worker, which the exact Hessian is allowed
_ROW, _PROBLEM = "dc-asgd", "logistic, synthetic"
_LINES: dict[str, Correction[Any]] = {
    "none": NoCorrection(),
    "diagonal, lam = 4": DiagonalCompensation(4.0),
    "diagonal, lam = 16": DiagonalCompensation(16.0),
    "adaptive, lam = 0.5": DiagonalCompensation(0.5, adaptive=True),
    "exact Hessian": ExactHessian(),
}


def measure(
    build: Build = lambda server: server, labels: tuple[str, ...] = tuple(_LINES)
) -> StudyResult:
    """Excess of the corrections ``labels``, of which the first is none, against n."""
    errors = {
        label: np.stack([_excess(build, _LINES[label], n) for n in _WORKERS], axis=1)
        for label in labels
    }
    plain, exact = errors["none"], errors["exact Hessian"]
    verdicts = [_exact(plain, exact)]
    for label, e in errors.items():
        if label not in ("none", "exact Hessian"):
            verdicts.append(_share(label, plain, e))
    drawn: list[PanelLine] = []
    for label, e in errors.items():
        drawn.append(PanelLine(label, np.array(_WORKERS, dtype=np.float64), *band(e)))
    return StudyResult(tuple(verdicts), drawn)


def _excess(build: Build, used: Correction[Any], n: int) -> Floats:
    """f - f* over the second half of each replica's run ``[R]``; all workers share the samples."""
    one = synthetic(1, 200, 10, L2(0.01), batch=8, seed=3)
    problem = replace(one, rows=one.rows.expand(n, -1, -1).contiguous())
    method = build(
        ParameterServer(
            ConstantStep(_GAMMA), _TICKS, Exponential(), correction=used, replicas=_REPLICAS
        )
    )
    x = models(method, problem, _TICKS, seed=_SEED, replicas=_REPLICAS)[_TICKS // 2 :]
    assert one.f_star is not None
    return np.asarray((one.value(x) - one.f_star).mean(0).numpy())  # every worker's is the same


def _half(a: Floats) -> float:
    """Half-width of the mean of ``[R]`` at ALPHA, one-sided."""
    return float(scipy.stats.t.isf(ALPHA, a.size - 1) * a.std(ddof=1) / a.size**0.5)


def _exact(plain: Floats, exact: Floats) -> Verdict:
    """At the most workers: excess with the exact Hessian against 1.2 times that of one worker."""
    over = exact[:, -1] - _KEPT * plain[:, 0]
    half = _half(over)
    ratio, without = (float(e[:, -1].mean() / plain[:, 0].mean()) for e in (exact, plain))
    return Verdict(
        subject=_ROW, problem=_PROBLEM,
        claim=f"with the exact Hessian {_WORKERS[-1]} workers err as one, up to {_KEPT:g}",
        check="delay compensated",
        outcome=Outcome.REFUTED if over.mean() > half else Outcome.SUPPORTED,
        statistic=ratio, bound=_KEPT, uncertainty=half / float(plain[:, 0].mean()),
        resolution=2 * half / float(plain[:, 0].mean()),
        evidence=f"excess {ratio:.3f} times that of one worker; {without:.3f} times uncorrected",
        provenance=_told(),
    )  # fmt: skip


def _share(label: str, plain: Floats, e: Floats) -> Verdict:
    """Share of the delay's cost that a correction gives back at the most workers."""
    cost = float((plain[:, -1] - plain[:, 0]).mean())
    back = plain[:, -1] - e[:, -1]
    half = _half(back) / cost
    share = float(back.mean()) / cost
    return Verdict(
        subject=_ROW, problem=_PROBLEM,
        claim=f"{label}: gives back a part of what delay costs",
        check="delay compensated in part",
        outcome=Outcome.SUPPORTED if share > half else Outcome.COMPARED,
        statistic=share, bound=1.0, uncertainty=half, resolution=2 * half,
        evidence=f"{100 * share:.0f} % +- {100 * half:.0f} % of the excess that {_WORKERS[-1]} "
        "workers have over one",
        provenance=_told(),
    )  # fmt: skip


def _told() -> str:
    return (
        f"gamma = {_GAMMA:g}, {_TICKS} ticks, exponential times, {_REPLICAS} replicas, seed "
        f"{_SEED}, error {ALPHA:g}"
    )


STUDY = Study(
    "delay_compensation",
    _ROW,
    _PROBLEM,
    "delay compensation brings back the error without delay",
    "workers n",
    "f(x_t) - f*, second half of the run",
    measure,
)
