r"""Rounds and local minimisations to accuracy against the local condition number kappa_l.

Quadratics on a path of 12 workers, curvatures log-uniform in [1, kappa], the ends' 1 and kappa,
kappa = 9 to 576: rounds of SSDA and of FISTA on the dual, and MSDA's local minimisations, grow as
sqrt(kappa).
"""

from __future__ import annotations

import numpy as np

from algorithms.methods.gossip_dual.dual_accelerated import DualAccelerated
from algorithms.methods.gossip_dual.msda import MSDA
from algorithms.methods.gossip_dual.ssda import SSDA
from algorithms.problems.conjugate import LocalModel
from algorithms.topologies.laplacian import Laplacian
from algorithms.topologies.path import Path
from proofs_check.curves import PanelLine
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.studies.gossip_dual.settings import (
    ACCURACY,
    Build,
    line,
    power_verdict,
    quadratics,
    steps_to,
    under,
)
from theory.arrays import Floats
from theory.networks.optimal_rounds import msda_steps_at_most, optimal_time, ssda_rounds_at_most

_N, _KAPPAS, _SEED = 12, (9.0, 36.0, 144.0, 576.0), 62


def measured(build: Build) -> Floats:
    """Steps ``[R, K]`` for every condition number."""
    topology = Path(_N)
    steps = [
        steps_to(
            build(topology, LocalModel(1.0, kappa)),
            quadratics(_N, kappa, _SEED),
            ACCURACY,
            20_000,
        )
        for kappa in _KAPPAS
    ]
    return np.array(steps).T


def measure(ssda: Build = SSDA, msda: Build = MSDA, fista: Build = DualAccelerated) -> StudyResult:
    """Exponents of kappa, derived bounds, curves with the lower bound's order beside."""
    lap, x = Laplacian(Path(_N)), np.array(_KAPPAS)
    told = f"path of {_N} workers (K = {lap.degree}), kappa_l = {_KAPPAS}, accuracy {ACCURACY:g}, "
    told += f"seed {_SEED}"
    single, many = measured(ssda), measured(msda)
    lines = {
        "SSDA, rounds = minimisations": ("ssda-msda", line(x, single)),
        "dual accelerated, rounds": ("dual-accelerated", line(x, measured(fista))),
        "MSDA, minimisations": ("ssda-msda", line(x, many)),
    }
    verdicts = [
        power_verdict(row, found, 0.5, "kappa", f"{label} grow as kappa_l^0.5", told)
        for label, (row, found) in lines.items()
    ]
    gamma = lap.gamma
    most = np.array([ssda_rounds_at_most(kappa, gamma, ACCURACY) for kappa in _KAPPAS])
    steps = np.array([msda_steps_at_most(kappa, gamma, lap.degree, ACCURACY) for kappa in _KAPPAS])
    verdicts += [
        under("ssda-msda", single.max(0), most, "SSDA's rounds stay under the derived bound", told),
        under(
            "ssda-msda", many.max(0), steps, "MSDA's minimisations stay under the derived bound",
            told,
        ),
    ]  # fmt: skip
    beside = [
        PanelLine(
            "lower bound's order, tau = 0",
            x,
            np.array([optimal_time(kappa, gamma, 0.0, ACCURACY) for kappa in _KAPPAS]),
            theory=True,
        )
    ]
    drawn = [found.drawn(label) for label, (_, found) in lines.items()]
    return StudyResult(tuple(verdicts), [*drawn, *beside])


STUDY = Study(
    "rounds_against_condition",
    "ssda-msda",
    "quadratics",
    "rounds of SSDA and local minimisations of MSDA grow as sqrt(kappa_l)",
    "local condition number",
    "rounds, or local minimisations",
    measure,
)
