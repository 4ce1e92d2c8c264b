r"""SSP's regret on logistic regression, gradient by gradient, under its bound.

A parameter server adds every gradient undivided, times are exponential; the objective is without a
regulariser and all samples have length 1, so that components are convex and 1-Lipschitz. A
gradient's loss is that of its worker's whole shard at the view it was computed on: its mean over
the minibatch, which does not depend on the view. Regret is against the minimiser of the regularised
problem, any point being allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from torch import Tensor

from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.regularisers import L2
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Exponential
from algorithms.synchronisation.stale import SSP
from proofs_check.curves import PanelLine, band
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.regret import regrets
from proofs_check.instruments.study import StudyResult, study
from proofs_check.instruments.under_bound import curve_under_bound
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.constants import Constants
from theory.theorems.ssp_constant_step import ssp_constant_step as theorem

Build = Callable[[int], Barrier]

_N, _CLOCKS, _SEED = 8, 60, 171
_REPLICAS = 64  # a mean r times its bound is refuted by 31 / log r: 64 see 1.7 times the bound
_STALENESS = (0, 1, 4)
_COMPARED = 0.1  # regulariser of the point compared with


def setting(lead: int) -> tuple[Logistic, Tensor, Constants]:
    """The problem, the point it is compared with ``[d]``, and what the theorem needs."""
    data = breast_cancer(_N, L2(_COMPARED)).double()
    unit = replace(data, rows=data.rows / data.rows.norm(dim=-1, keepdim=True))
    problem, point = replace(unit, regulariser=L2(0.0)), unit.x_star
    assert point is not None
    square = float((problem.start() - point).square().sum())
    return problem, point, Constants(n=_N, lead=lead, lipschitz=1.0, R2=square, convex=True)


def regret(barrier: Barrier, lead: int, weighting: Weighting) -> tuple[Floats, Floats, float]:
    """Average regret ``[R, clocks]`` after whole clocks, its bound ``[clocks]``, the stepsize."""
    problem, point, c = setting(lead)
    step = theorem.stepsize(c, _CLOCKS * _N)
    ticks = (_CLOCKS + lead) * _N
    server = ParameterServer(step, ticks, Exponential(), barrier, weighting, replicas=_REPLICAS)
    found = regrets(
        server, problem, point, _CLOCKS * _N, seed=_SEED, replicas=_REPLICAS, ticks=ticks - 1
    )  # fmt: skip
    return found.average, theorem.bound(c, step, found.gradients), step(0)


@study(
    "ssp",
    "logistic regression, lam 0",
    "average regret of SSP stays under its bound for every lead",
    "gradients",
    "average regret",
    name="ssp_regret",
)
def measure(build: Build = SSP, weighting: Weighting = Weighting.SUM) -> StudyResult:
    """Regret for three bounds on the lead."""
    verdicts: list[Verdict] = []
    curves: list[PanelLine] = []
    for lead in _STALENESS:
        series, bound, gamma = regret(build(lead), lead, weighting)
        verdicts.append(
            curve_under_bound(
                series, bound, ALPHA, subject="ssp", problem="logistic regression, lam 0",
                claim=f"s={lead}: average regret under {theorem.name}", floor=1e-13,
                provenance=f"{theorem.source}; {_N} workers, {series.shape[1]} clocks, "
                f"{_REPLICAS} replicas, seed {_SEED}, gamma={gamma:.4g}, error {ALPHA:g}",
            )
        )  # fmt: skip
        x = _N * np.arange(1.0, len(bound) + 1)
        curves += [
            PanelLine(f"s={lead}", x, *band(series)),
            PanelLine(f"s={lead} bound", x, bound, theory=True),
        ]
    return StudyResult(tuple(verdicts), curves)
