r"""Rounds on the lower bound's own instance: measured against what no method can undercut.

Nesterov's chain split between the ends of a path of n workers, kappa_l = 900: after R rounds no
worker is nearer to x* than the tail of x* beyond coordinate R/(n - 1), so that accuracy epsilon
(every worker, relative to ||x*||) takes at least (n - 1) j rounds, j the first coordinate whose
tail is below it. Beside the order sqrt(kappa/gamma) ln(1/epsilon), which hides constants. The
distance from the bound grows as sqrt(n) here, because two workers of n carry the curvature; the
paper's proof lets a constant share of them do so.
"""

from __future__ import annotations

import numpy as np

from algorithms.methods.base import Method
from algorithms.methods.gossip_dual.dual_accelerated import DualAccelerated
from algorithms.methods.gossip_dual.msda import MSDA
from algorithms.methods.gossip_dual.ssda import SSDA
from algorithms.problems.conjugate import LocalModel
from algorithms.problems.nesterov_chain import NesterovChain
from algorithms.topologies.laplacian import Laplacian
from algorithms.topologies.path import Path
from proofs_check.curves import PanelLine
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.studies.gossip_dual.settings import Build
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.networks.optimal_rounds import optimal_time

_SIZES, _D, _KAPPA, _ACCURACY, _LIMIT = (4, 6, 9, 13), 150, 900.0, 1e-3, 6000


def least_rounds(problem: NesterovChain) -> int:
    """(n - 1) j for the first j whose tail of x* beyond it is below the accuracy."""
    squares = problem.x_star.square()
    tails = (squares.flip(0).cumsum(0).flip(0) - squares).sqrt()
    reached = tails <= _ACCURACY * problem.x_star.norm()
    return (problem.n - 1) * int(reached.to(int).argmax())


def steps_needed(method: Method[object], problem: NesterovChain) -> int:
    """Steps until every worker stays within the accuracy.

    Raises:
        ArithmeticError: not within the limit.
    """
    limit, last = _ACCURACY * float(problem.x_star.norm()), 0
    for moment in path(method, problem, _LIMIT):
        rows = method.models(moment.state)[0]
        if float((rows - problem.x_star).norm(dim=-1).max()) > limit:
            last = moment.t
        elif moment.t > 1.2 * last + 25:
            return last + 1
    raise ArithmeticError(f"{method.name} is not within {_ACCURACY:g} after {_LIMIT} steps")


def measure(ssda: Build = SSDA, msda: Build = MSDA, fista: Build = DualAccelerated) -> StudyResult:
    """Rounds of three methods on paths of several lengths, and the bound."""
    problems = [NesterovChain(n, _D, 1.0, _KAPPA) for n in _SIZES]
    laplacians = [Laplacian(Path(n)) for n in _SIZES]
    least = np.array([least_rounds(p) for p in problems], dtype=np.float64)
    x = np.array([1 / lap.gamma for lap in laplacians])
    found: dict[str, tuple[str, Floats]] = {}
    for label, row, build, chebyshev in (
        ("SSDA", "ssda-msda", ssda, False),
        ("MSDA", "ssda-msda", msda, True),
        ("dual accelerated", "dual-accelerated", fista, False),
    ):
        steps = [
            steps_needed(build(Path(p.n), LocalModel.of(p)), p) * (lap.degree if chebyshev else 1)
            for p, lap in zip(problems, laplacians, strict=True)
        ]
        found[label] = row, np.array(steps, dtype=np.float64)
    curves = [PanelLine("lower bound on this instance", x, least, theory=True)]
    order = np.array([optimal_time(_KAPPA, lap.gamma, 1.0, _ACCURACY) for lap in laplacians])
    curves += [PanelLine("lower bound's order, tau = 1", x, order, theory=True)]
    for label, (_, rounds) in found.items():
        curves += [PanelLine(label, x, rounds)]
    verdicts = (_above(label, row, rounds / least) for label, (row, rounds) in found.items())
    return StudyResult(tuple(verdicts), curves)


def _above(label: str, row: str, ratios: Floats) -> Verdict:
    """Do all measured rounds respect the bound?"""
    return Verdict(
        subject=row,
        problem=f"relay, kappa = {_KAPPA:g}",
        claim=f"{label} takes at least the rounds that the instance's lower bound demands",
        check="lower bound in rounds",
        outcome=Outcome.SUPPORTED if ratios.min() >= 1 else Outcome.REFUTED,
        statistic=float(ratios.min()),
        bound=1.0,
        tightness=float(1 / ratios.min()),
        evidence=f"rounds over the bound: {', '.join(f'{r:.2f}' for r in ratios)} on paths of "
        f"{', '.join(map(str, _SIZES))} workers",
        provenance=f"accuracy {_ACCURACY:g}, {_D} coordinates, seed 0 (nothing is drawn)",
    )


STUDY = Study(
    "rounds_lower_bound",
    "ssda-msda",
    f"relay, kappa = {_KAPPA:g}",
    "on the hard instance the optimal methods stay above its lower bound, within a factor",
    "1 / normalised eigengap",
    "rounds to accuracy",
    measure,
)
