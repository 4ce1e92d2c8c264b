r"""Rounds to accuracy against the normalised eigengap gamma: SSDA, MSDA, FISTA on the dual, D-PSGD.

Quadratics on paths of 8 to 64 workers, curvatures log-uniform in [1, 25], the ends' 1 and 25. SSDA
and FISTA take sqrt(kappa/gamma) rounds, MSDA as many rounds but a number of local minimisations
that does not grow; all stay under what ``theory.networks.optimal_rounds`` derives. D-PSGD, with the
largest stepsize 2^{-k/8} whose fixed point is near enough, takes more rounds to 0.1 than MSDA to
1e-6. Accuracy is the distance of all workers' models from x* in units of that of their own
minimisers, which is where the dual methods start.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_dual.dual_accelerated import DualAccelerated
from algorithms.methods.gossip_dual.msda import MSDA
from algorithms.methods.gossip_dual.ssda import SSDA
from algorithms.problems.conjugate import LocalModel
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.laplacian import Laplacian
from algorithms.topologies.path import Path
from proofs_check.curves import PanelLine
from proofs_check.instruments.study import Study, StudyResult, exponent
from proofs_check.studies.gossip_dual.settings import (
    ACCURACY,
    Build,
    distance,
    line,
    own_distance,
    power_verdict,
    quadratics,
    steps_to,
    under,
)
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.networks.optimal_rounds import msda_steps_at_most, optimal_time, ssda_rounds_at_most
from theory.stepsizes import ConstantStep

_COARSE = 0.1
_KAPPA, _SIZES, _PLAIN, _SEED = 25.0, (8, 16, 32, 64), (8, 16, 32), 61


def measured(
    build: Build, sizes: tuple[int, ...] = _SIZES, accuracy: float = ACCURACY
) -> tuple[Floats, Floats]:
    """1/gamma ``[K]`` and steps ``[R, K]`` on paths."""
    topologies = [Path(n) for n in sizes]
    inverse = np.array([1 / Laplacian(t).gamma for t in topologies])
    local = LocalModel(1.0, _KAPPA)
    steps = [
        steps_to(build(t, local), quadratics(t.n, _KAPPA, _SEED), accuracy, 20_000)
        for t in topologies
    ]
    return inverse, np.array(steps).T


def plain_gossip() -> tuple[Floats, Floats]:
    """1/gamma and D-PSGD's steps to the coarse accuracy, stepsize by its fixed point."""
    inverse, steps = [], []
    for n in _PLAIN:
        topology, problem = Path(n), quadratics(n, _KAPPA, _SEED)
        step = largest_step(topology, problem)
        inverse.append(1 / Laplacian(topology).gamma)
        steps.append(steps_to(DPSGD(step, topology), problem, _COARSE, 60_000))
    return np.array(inverse), np.array(steps).T


def largest_step(topology: StaticTopology, problem: Quadratic) -> ConstantStep:
    """The largest 2^{-k/8} below 1/L whose fixed point is at half the coarse accuracy."""
    w = torch.from_numpy(topology.matrix(0).copy())
    eye = torch.eye(topology.n, dtype=w.dtype)
    power = math.ceil(8 * math.log2(problem.constants().need("L_max"))) + 8
    while True:
        gamma = 2.0 ** (-power / 8)
        step = gamma * torch.diag_embed(problem.a.T)
        fixed = torch.linalg.solve(eye - w + step, gamma * problem.c.T[..., None])[..., 0].T
        if (distance(fixed, problem) <= _COARSE / 2 * own_distance(problem)).all():
            return ConstantStep(gamma)
        power += 1


def measure(ssda: Build = SSDA, msda: Build = MSDA, fista: Build = DualAccelerated) -> StudyResult:
    """Exponents of 1/gamma, derived bounds, curves with the lower bound's order beside."""
    told = f"paths of {_SIZES} workers, kappa_l = {_KAPPA:g}, accuracy {ACCURACY:g}, seed {_SEED}"
    x, single = measured(ssda)
    _, many = measured(msda)
    _, sequence = measured(fista)
    degrees = np.array([Laplacian(Path(n)).degree for n in _SIZES])
    lines = {
        "SSDA, rounds = minimisations": line(x, single),
        "dual accelerated, rounds": line(x, sequence),
        "MSDA, rounds": line(x, many * degrees),
        "MSDA, minimisations": line(x, many),
    }
    wanted = (("ssda-msda", 0.5), ("dual-accelerated", 0.5), ("ssda-msda", 0.5), ("ssda-msda", 0.0))
    exponents = tuple(
        power_verdict(row, found, order, "1/gamma", f"{label} grow as 1/gamma^{order:g}", told)
        for (label, found), (row, order) in zip(lines.items(), wanted, strict=True)
    )
    gammas = 1 / x
    most = np.array([ssda_rounds_at_most(_KAPPA, g, ACCURACY) for g in gammas])
    steps = np.array(
        [
            msda_steps_at_most(_KAPPA, g, int(k), ACCURACY)
            for g, k in zip(gammas, degrees, strict=True)
        ]
    )
    bounds = (
        under("ssda-msda", single.max(0), most, "SSDA's rounds stay under the derived bound", told),
        under(
            "ssda-msda", many.max(0), steps, "MSDA's minimisations stay under the derived bound",
            told,
        ),
    )  # fmt: skip
    rough, plain = plain_gossip()
    lower = np.array([optimal_time(_KAPPA, g, 1.0, ACCURACY) for g in gammas])
    beside = [
        PanelLine(f"D-PSGD to {_COARSE:g}, rounds", rough, plain.mean(0)),
        PanelLine("lower bound's order, tau = 1", x, lower, theory=True),
    ]
    drawn = [found.drawn(label) for label, found in lines.items()]
    return StudyResult(
        (*exponents, *bounds, _slower(rough, plain, many * degrees)), [*drawn, *beside]
    )


def _slower(x: Floats, plain: Floats, rounds: Floats) -> Verdict:
    """D-PSGD's rounds to the coarse accuracy against MSDA's to the fine one, same problems."""
    ratio = plain.mean(0) / rounds.mean(0)[: x.size]
    return Verdict(
        subject="d-psgd",
        problem="quadratics",
        claim=f"D-PSGD takes more rounds to {_COARSE:g} than MSDA to {ACCURACY:g}",
        check="ratio of rounds",
        outcome=Outcome.SUPPORTED if ratio.min() > 1 else Outcome.REFUTED,
        statistic=float(ratio.min()),
        bound=1.0,
        evidence=f"ratios {', '.join(f'{r:.2f}' for r in ratio)} on {x.size} paths; D-PSGD's "
        f"exponent of 1/gamma {exponent(x, plain.mean(0)):.3f}, stepsizes 2^(-k/8)",
        provenance=f"paths of {_PLAIN} workers, seed {_SEED}",
    )


STUDY = Study(
    "rounds_against_gap",
    "ssda-msda",
    "quadratics",
    "rounds to accuracy grow as 1/sqrt(gamma); MSDA's local minimisations do not grow",
    "1 / normalised eigengap",
    "rounds, or local minimisations",
    measure,
)
