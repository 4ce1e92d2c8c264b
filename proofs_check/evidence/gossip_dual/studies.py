"""Studies: settings, rounds against condition, rounds against gap."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_dual.dual_accelerated import DualAccelerated
from algorithms.methods.gossip_dual.msda import MSDA
from algorithms.methods.gossip_dual.ssda import SSDA
from algorithms.problems.conjugate import LocalModel
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.laplacian import Laplacian
from algorithms.topologies.path import Path
from proofs_check.curves import PanelLine, band
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import path
from proofs_check.instruments.rates import PowerLawFit, fit_power, rational
from proofs_check.instruments.study import StudyResult, exponent, study
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.networks.optimal_rounds import msda_steps_at_most, optimal_time, ssda_rounds_at_most
from theory.stepsizes import ConstantStep

# What studies of dual methods share: problems side by side, steps to an accuracy, power laws.


Build = Callable[[StaticTopology, LocalModel], Method[Any]]
ACCURACY, REPLICAS, _COLUMNS = 1e-6, 16, 2
_LOGARITHM = 0.04  # what the logarithms of gamma and kappa beside the power may add to an exponent


def quadratics(n: int, kappa: float, seed: int) -> Quadratic:
    """``REPLICAS`` problems side by side, of ``_COLUMNS`` parameters each; workers differ."""
    generator = torch.Generator().manual_seed(seed)
    shape = (n, REPLICAS * _COLUMNS)
    a = torch.exp(torch.rand(shape, generator=generator, dtype=torch.float64) * math.log(kappa))
    a[0], a[-1] = 1.0, kappa
    b = torch.randn(shape, generator=generator, dtype=torch.float64)
    return Quadratic.from_arrays(a, b, name="quadratics")


def own_distance(problem: Quadratic) -> Floats:
    """Distance ``[R]`` of the workers' own minimisers, stacked, from x*."""
    return distance(problem.c / problem.a, problem)


def distance(rows: Tensor, problem: Quadratic) -> Floats:
    """Distance ``[R]`` of all workers' models ``[n, d]`` from x*, for each of the problems."""
    squares = (rows - problem.x_star).square().reshape(problem.n, REPLICAS, -1)
    return np.asarray(squares.sum((0, 2)).sqrt().numpy())


def steps_to(method: Method[Any], problem: Quadratic, accuracy: float, limit: int) -> Floats:
    """Steps of each replica ``[R]`` until its error stays below ``accuracy``; a dual method's first
    step makes its starting models.

    Raises:
        ArithmeticError: some replica is not there after ``limit`` steps.
    """
    last, unit = np.zeros(REPLICAS), own_distance(problem)
    for moment in path(method, problem, limit):
        if moment.t == 0:
            continue
        error = distance(method.models(moment.state)[0], problem)
        last[error > accuracy * unit] = moment.t
        if moment.t > 1.1 * last.max() + 25:
            return last
    raise ArithmeticError(f"{method.name} has not reached {accuracy:g} after {limit} steps")


@final
class Fitted(NamedTuple):
    """A measured power law: replicas' values ``[R, K]`` at x ``[K]``, and its fit.

    Attributes:
        samples: the replicas' values ``[R, K]``.
    """

    x: Floats
    samples: Floats
    fit: PowerLawFit

    def drawn(self, label: str) -> PanelLine:
        """Means with their band."""
        return PanelLine(label, self.x, *band(self.samples))


def line(x: Floats, samples: Floats) -> Fitted:
    """Fit a power law in x to the replicas' values."""
    return Fitted(x, samples, fit_power(x, samples, ALPHA))


def power_verdict(
    row: str, found: Fitted, order: float, variable: str, claim: str, provenance: str
) -> Verdict:
    """Is the exponent ``order``, up to its interval and the logarithms beside the power?"""
    fit, slack = found.fit, found.fit.half_width + _LOGARITHM
    return Verdict(
        subject=row,
        problem="quadratics",
        claim=claim,
        check=f"rate in {variable}",
        kind=CheckKind.RATE,
        outcome=Outcome.SUPPORTED if abs(fit.slope - order) <= slack else Outcome.REFUTED,
        statistic=fit.slope,
        bound=order,
        order=f"{variable}^{order:g}",
        exponent=rational(order),
        uncertainty=slack,
        resolution=2 * slack,
        evidence=f"exponent {fit.slope:.4f} +- {fit.half_width:.4f} and {_LOGARITHM} for the "
        f"logarithms, on {fit.points} points, {fit.replicas} problems each",
        provenance=provenance,
    )


def under(row: str, worst: Floats, bound: Floats, claim: str, provenance: str) -> Verdict:
    """Does the slowest replica ``[K]`` stay under the derived ``bound`` ``[K]``?"""
    ratio = float((worst / bound).max())
    return Verdict(
        subject=row,
        problem="quadratics",
        claim=claim,
        check="derived bound",
        outcome=Outcome.SUPPORTED if ratio <= 1 else Outcome.REFUTED,
        statistic=ratio,
        bound=1.0,
        tightness=ratio,
        evidence=f"largest ratio to the bound {ratio:.4f} over {worst.size} settings of "
        f"{REPLICAS} problems",
        provenance=provenance,
    )


# Rounds and local minimisations to accuracy against the local condition number kappa_l.
#
# Quadratics on a path of 12 workers, curvatures log-uniform in [1, kappa], the ends' 1 and kappa,
# kappa = 9 to 576: rounds of SSDA and of FISTA on the dual, and MSDA's local minimisations, grow as
# sqrt(kappa).


_N, _KAPPAS, _ROUNDS_AGAINST_CONDITION_SEED = 12, (9.0, 36.0, 144.0, 576.0), 62


def rounds_against_condition_measured(build: Build) -> Floats:
    """Steps ``[R, K]`` for every condition number."""
    topology = Path(_N)
    steps = [
        steps_to(
            build(topology, LocalModel(1.0, kappa)),
            quadratics(_N, kappa, _ROUNDS_AGAINST_CONDITION_SEED),
            ACCURACY,
            20_000,
        )
        for kappa in _KAPPAS
    ]
    return np.array(steps).T


@study(
    "ssda-msda",
    "quadratics",
    "rounds of SSDA and local minimisations of MSDA grow as sqrt(kappa_l)",
    "local condition number",
    "rounds, or local minimisations",
)
def rounds_against_condition_measure(
    ssda: Build = SSDA, msda: Build = MSDA, fista: Build = DualAccelerated
) -> StudyResult:
    """Exponents of kappa, derived bounds, curves with the lower bound's order beside."""
    lap, x = Laplacian(Path(_N)), np.array(_KAPPAS)
    description = (
        f"path of {_N} workers (K = {lap.degree}), kappa_l = {_KAPPAS}, accuracy {ACCURACY:g}, "
    )
    description += f"seed {_ROUNDS_AGAINST_CONDITION_SEED}"
    single, many = rounds_against_condition_measured(ssda), rounds_against_condition_measured(msda)
    lines = {
        "SSDA, rounds = minimisations": ("ssda-msda", line(x, single)),
        "dual accelerated, rounds": (
            "dual-accelerated",
            line(x, rounds_against_condition_measured(fista)),
        ),
        "MSDA, minimisations": ("ssda-msda", line(x, many)),
    }
    verdicts = [
        power_verdict(row, found, 0.5, "kappa", f"{label} grow as kappa_l^0.5", description)
        for label, (row, found) in lines.items()
    ]
    gamma = lap.gamma
    most = np.array([ssda_rounds_at_most(kappa, gamma, ACCURACY) for kappa in _KAPPAS])
    steps = np.array([msda_steps_at_most(kappa, gamma, lap.degree, ACCURACY) for kappa in _KAPPAS])
    verdicts += [
        under("ssda-msda", single.max(0), most, "SSDA's rounds stay under the derived bound",
        description),
        under(
            "ssda-msda", many.max(0), steps, "MSDA's minimisations stay under the derived bound",
            description,
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


# Rounds to accuracy against the normalised eigengap gamma: SSDA, MSDA, FISTA on the dual, D-PSGD.
#
# Quadratics on paths of 8 to 64 workers, curvatures log-uniform in [1, 25], the ends' 1 and 25.
# SSDA and FISTA take sqrt(kappa/gamma) rounds, MSDA as many rounds but a number of local
# minimisations that does not grow; all stay under what ``theory.networks.optimal_rounds`` derives.
# D-PSGD, with the largest stepsize 2^{-k/8} whose fixed point is near enough, takes more rounds to
# 0.1 than MSDA to 1e-6. Accuracy is the distance of all workers' models from x* in units of that of
# their own minimisers, which is where the dual methods start.


_COARSE = 0.1
_KAPPA, _SIZES, _PLAIN, _ROUNDS_AGAINST_GAP_SEED = 25.0, (8, 16, 32, 64), (8, 16, 32), 61


def rounds_against_gap_measured(
    build: Build, sizes: tuple[int, ...] = _SIZES, accuracy: float = ACCURACY
) -> tuple[Floats, Floats]:
    """1/gamma ``[K]`` and steps ``[R, K]`` on paths."""
    topologies = [Path(n) for n in sizes]
    inverse = np.array([1 / Laplacian(t).gamma for t in topologies])
    local = LocalModel(1.0, _KAPPA)
    steps = [
        steps_to(
            build(t, local), quadratics(t.n, _KAPPA, _ROUNDS_AGAINST_GAP_SEED), accuracy, 20_000
        )
        for t in topologies
    ]
    return inverse, np.array(steps).T


def plain_gossip() -> tuple[Floats, Floats]:
    """1/gamma and D-PSGD's steps to the coarse accuracy, stepsize by its fixed point."""
    inverse, steps = [], []
    for n in _PLAIN:
        topology, problem = Path(n), quadratics(n, _KAPPA, _ROUNDS_AGAINST_GAP_SEED)
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


@study(
    "ssda-msda",
    "quadratics",
    "rounds to accuracy grow as 1/sqrt(gamma); MSDA's local minimisations do not grow",
    "1 / normalised eigengap",
    "rounds, or local minimisations",
)
def rounds_against_gap_measure(
    ssda: Build = SSDA, msda: Build = MSDA, fista: Build = DualAccelerated
) -> StudyResult:
    """Exponents of 1/gamma, derived bounds, curves with the lower bound's order beside."""
    description = (
        f"paths of {_SIZES} workers, kappa_l = {_KAPPA:g}, accuracy {ACCURACY:g}, seed "
        f"{_ROUNDS_AGAINST_GAP_SEED}"
    )
    x, single = rounds_against_gap_measured(ssda)
    _, many = rounds_against_gap_measured(msda)
    _, sequence = rounds_against_gap_measured(fista)
    degrees = np.array([Laplacian(Path(n)).degree for n in _SIZES])
    lines = {
        "SSDA, rounds = minimisations": line(x, single),
        "dual accelerated, rounds": line(x, sequence),
        "MSDA, rounds": line(x, many * degrees),
        "MSDA, minimisations": line(x, many),
    }
    wanted = (("ssda-msda", 0.5), ("dual-accelerated", 0.5), ("ssda-msda", 0.5), ("ssda-msda", 0.0))
    exponents = tuple(
        power_verdict(
            row, found, order, "1/gamma", f"{label} grow as 1/gamma^{order:g}", description
        )
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
        under("ssda-msda", single.max(0), most, "SSDA's rounds stay under the derived bound",
        description),
        under(
            "ssda-msda", many.max(0), steps, "MSDA's minimisations stay under the derived bound",
            description,
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
        provenance=f"paths of {_PLAIN} workers, seed {_ROUNDS_AGAINST_GAP_SEED}",
    )
