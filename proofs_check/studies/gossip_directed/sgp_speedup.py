r"""SGP and its overlapped form over directed graphs err as BSP-SGD does: E||zbar - x*||^2 ~ 1/n.

Quadratic with noise and workers that differ, small constant stepsize, from the minimiser, on
directed graphs that change every step and whose in-degrees differ: \bar x moves by the plain mean
of the gradients whatever the graph, so the leading term \gamma\sigma^2/n is that of BSP-SGD
(Assran, Loizou, Ballas, Rabbat 2018, arXiv:1811.10792, Theorem 1; stated there to order only). The
time average of the last half of each run is compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.catalogue.gossip_directed import uneven_exponential
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_directed.overlap_sgp import OverlapSGP
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import MixingSequence
from proofs_check.curves import PanelLine, band
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.studies.shared.speedup_verdicts import error_ratio
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

_WORKERS = (4, 8, 16, 32)
_REPLICAS, _STEPS, _SEED, _WITHIN, _GROUPS = 128, 300, 160, 1.05, 32
_STEP = ConstantStep(0.04)
_TOLD = (
    f"seeds {_SEED} + n, {_REPLICAS} replicas, {_STEPS} steps from x*, gamma 0.04, uneven "
    f"exponential graphs, error {ALPHA:g}"
)

Build = Callable[[Stepsize, MixingSequence], Method[Any]]


def sgp(step: Stepsize, graph: MixingSequence) -> Method[Any]:
    """Stochastic gradient push along a graph."""
    return SGP(step, FixedLinks(graph))


def bulk(step: Stepsize, graph: MixingSequence) -> Method[Any]:
    """BSP-SGD, which needs no graph."""
    return BSP(step)


def measure(build: Build = sgp, overlapped: Build = OverlapSGP) -> StudyResult:
    """Ratios to BSP-SGD at every n, and SGP's exponent of n."""
    x = np.array(_WORKERS, dtype=np.float64)
    by = {
        label: np.stack([_errors(made, n) for n in _WORKERS], axis=1)
        for label, made in (("BSP-SGD", bulk), ("SGP", build), ("1-OSGP", overlapped))
    }
    verdicts = [
        _ratio(label, n, by[label][:, k], by["BSP-SGD"][:, k])
        for label in ("SGP", "1-OSGP")
        for k, n in enumerate(_WORKERS)
    ]
    fit = fit_power(x, by["SGP"], ALPHA, groups=_GROUPS)
    verdicts.append(
        rate_verdict(
            fit, -1.0, False, subject="sgp", variable="n", problem="quadratic-sc",
            claim="linear speedup on directed graphs: SGP's error falls as 1/n", provenance=_TOLD,
        )
    )  # fmt: skip
    return StudyResult(tuple(verdicts), _lines(x, by))


def _errors(build: Build, n: int) -> Floats:
    """||zbar - x*||^2 ``[R]``, averaged over the last half of a run."""
    problem = Quadratic.strongly_convex(n, 8, L=1.0, mu=0.25, zeta2=1.0)
    trace = run(
        build(_STEP, uneven_exponential(n)), problem, steps=_STEPS, seed=_SEED + n,
        replicas=_REPLICAS, points=_STEPS + 1, x0=problem.x_star,
    )  # fmt: skip
    return np.asarray(trace.squared_distance[:, _STEPS // 2 :].mean(axis=1))


def _ratio(label: str, n: int, errors: Floats, bulk_errors: Floats) -> Verdict:
    found = error_ratio(
        errors, bulk_errors, _WITHIN, subject="sgp", problem="quadratic-sc", told=_TOLD,
        claim=f"{label} on directed graphs errs at most {_WITHIN:g} times as BSP-SGD, n={n}",
    )  # fmt: skip
    evidence = f"{found.statistic:.4f} +- {found.uncertainty:.2g} times the error of BSP-SGD"
    return replace(found, check="error against BSP-SGD", evidence=evidence)


def _lines(x: Floats, by: dict[str, Floats]) -> list[PanelLine]:
    lines: list[PanelLine] = []
    for label, y in by.items():
        lines.append(PanelLine(label, x, *band(y)))
    return lines


STUDY = Study(
    "sgp_speedup",
    "sgp",
    "quadratic-sc",
    "1/n for SGP over directed graphs that change with time",
    "workers n",
    "E||zbar - x*||^2 [x^2]",
    measure,
)
