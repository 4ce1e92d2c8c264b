r"""DGD and projected DGD under their bounds, over the whole curve.

The setting of :mod:`proofs_check.studies.gossip_convex.dual_averaging_gap`: logistic regression on
shards sorted by label, every sample's gradient at most 1 long; stochastic gradients, the stepsize
that the theorem prescribes for the horizon. What is held is f at the average of the mean models so
far.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd
from algorithms.sets.ball import Ball
from algorithms.sets.base import ConvexSet
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from proofs_check.curves import PanelLine
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import models
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.instruments.under_bound import curve_under_bound
from proofs_check.studies.gossip_convex.settings import setting, stated
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize
from theory.theorem import Theorem
from theory.theorems.dgd import dgd
from theory.theorems.projected_dgd import projected_dgd as projected

Build = Callable[[Stepsize, Topology, ConvexSet], Method[Any]]
_N, _STEPS, _SEED = 16, 400, 99
_REPLICAS = 64  # a mean r times its bound is refuted by 32 / log r: 64 see twice the bound


def unconstrained(step: Stepsize, topology: Topology, domain: ConvexSet) -> Method[Any]:
    """DGD with stochastic gradients."""
    return DPSGD(step, topology)


def under_bound(
    row: str, build: Build, theorem: Theorem, graph: Topology
) -> tuple[Verdict, list[PanelLine]]:
    """f(average) - f(x*) after 1, 2, ... steps under the theorem's bound."""
    problem, point = setting(graph.n)
    c, x = stated(graph, point), np.arange(1.0, _STEPS + 1)
    step = theorem.stepsize(c, _STEPS)
    method = build(step, graph, Ball(float(point.norm())))
    path = models(method, problem, _STEPS - 1, seed=_SEED, replicas=_REPLICAS)
    averages = path.cumsum(0) / torch.from_numpy(x)[:, None, None]
    series = (problem.value(averages) - problem.value(point)).T.numpy()
    bound = theorem.bound(c, step, x)
    verdict = curve_under_bound(
        series, bound, ALPHA, subject=row, problem="logistic regression, lam 0", floor=1e-13,
        claim=f"average of the mean models under {theorem.name} on {graph.name}",
        provenance=f"{theorem.source}; {step}, {_STEPS} steps, {_REPLICAS} replicas, seed {_SEED}, "
        f"sorted by label, error {ALPHA:g}",
    )  # fmt: skip
    label = f"{row}, {graph.name}"
    return verdict, [
        PanelLine(label, x, series.mean(axis=0)),
        PanelLine(f"{label}, bound", x, bound, theory=True),
    ]


def measure(build: Build = unconstrained, constrained: Build = projected_dgd) -> StudyResult:
    """Two graphs, two methods."""
    verdicts: list[Verdict] = []
    curves: list[PanelLine] = []
    for graph in (Ring(_N), StaticExponential(_N)):
        for row, method, theorem in (
            ("dgd", build, dgd),
            ("projected-dgd", constrained, projected),
        ):
            verdict, lines = under_bound(row, method, theorem, graph)
            verdicts.append(verdict)
            curves += lines
    return StudyResult(tuple(verdicts), curves)


STUDY = Study(
    "dgd_bound",
    "dgd",
    "logistic regression, lam 0",
    "DGD stays under its bound, projected or not",
    "steps",
    "f(average of the mean models) - f(x*)",
    measure,
)
