r"""Projected DGD's neighbourhood of the constrained optimum is proportional to the stepsize.

f_i(x) = sum_j a_{ij} (x_j - b_{ij})^2 / 2 with unlike curvatures and minimisers, without noise, on
the simplex, a ball and a box: where the run stops, against the minimiser of the mean over the set,
which the KKT conditions give by the root of one multiplier.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd
from algorithms.methods.parts.gradients import Full, Gradients
from algorithms.problems.quadratic import Quadratic
from algorithms.sets.base import ConvexSet
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.gossip_convex.dgd import uneven
from proofs_check.closed_forms.gossip_convex.projected_dgd import DOMAINS, kkt
from proofs_check.curves import PanelLine
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.study import Study, StudyResult, noise_free_rate
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Stepsize, Topology, ConvexSet, Gradients], Method[Any]]

_GAMMAS = (0.004, 0.008, 0.016)
_TIMES, _N, _D, _SEED = 24.0, 4, 5, 103  # steps in units of 1/gamma


def distances(build: Build, name: str) -> tuple[Floats, Floats]:
    """Along the stepsizes: of the worst worker to the constrained minimiser, and to the set."""
    a, b = uneven(_N, _D, _SEED)
    b = b + 1.5 * np.random.default_rng(_SEED).normal(size=_D)  # what is common leaves the sets
    problem = Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b))
    best = kkt(name, a.mean(axis=0), (a * b).mean(axis=0))
    found, outside = [], []
    for gamma in _GAMMAS:
        method = build(ConstantStep(gamma), Ring(_N), DOMAINS[name], Full())
        trace = run(method, problem, steps=int(_TIMES / gamma), points=2)
        found.append(float(np.linalg.norm(trace.rows[0].numpy() - best, axis=1).max()))
        outside.append(float((trace.rows - DOMAINS[name].project(trace.rows)).norm(dim=-1).max()))
    return np.array(found), np.array(outside)


def measure(build: Build = projected_dgd) -> StudyResult:
    """Exponent of gamma on three sets."""
    x, verdicts = np.array(_GAMMAS), []
    curves: list[PanelLine] = []
    for name in DOMAINS:
        y, outside = distances(build, name)
        curves += [PanelLine(name, x, y)]
        verdicts.append(
            noise_free_rate(
                x, y, 1.0, 0.05, tight=True, variable="gamma", subject="projected-dgd",
                problem="quadratic",
                claim=f"the worst worker stops at a distance proportional to gamma from the "
                f"minimiser over the {name}",
                provenance=f"no noise, ring of {_N}, {_TIMES:g}/gamma steps, seed {_SEED}; "
                "minimiser from the KKT conditions; gamma/gap <= 0.024",
            )
        )  # fmt: skip
        verdicts.append(
            identity(
                "projected-dgd", f"all models lie in the {name}", outside, np.zeros_like(outside),
                check="feasible", problem="quadratic", provenance=f"as above, seed {_SEED}",
            )
        )  # fmt: skip
    return StudyResult(tuple(verdicts), curves)


STUDY = Study(
    "projected_neighbourhood",
    "projected-dgd",
    "quadratic",
    "gamma in projected DGD's neighbourhood",
    "stepsize gamma",
    "distance of the worst worker from the constrained minimiser [x]",
    measure,
)
