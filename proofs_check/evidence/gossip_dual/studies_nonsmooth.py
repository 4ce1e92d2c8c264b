"""Studies: nonsmooth settings, nonsmooth rounds, rounds lower bound, sliding rounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_dual.communication_sliding import CommunicationSliding
from algorithms.methods.gossip_dual.dual_accelerated import DualAccelerated
from algorithms.methods.gossip_dual.msda import MSDA
from algorithms.methods.gossip_dual.mspd import MSPD
from algorithms.methods.gossip_dual.ssda import SSDA
from algorithms.methods.parts.sliding_rules import ConvexSliding, SlidingRule, StronglyConvexSliding
from algorithms.problems.absolute import Absolute
from algorithms.problems.absolute_data import diabetes
from algorithms.problems.conjugate import LocalModel
from algorithms.problems.nesterov_chain import NesterovChain
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.complete import Complete
from algorithms.topologies.hypercube import Hypercube
from algorithms.topologies.laplacian import Laplacian
from algorithms.topologies.path import Path
from algorithms.topologies.ring import Ring
from proofs_check.curves import PanelLine, band
from proofs_check.evidence.gossip_dual.studies import Build
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import path
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import StudyResult, exponent, noise_free_rate, study
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.networks.optimal_rounds import optimal_time
from theory.stepsizes import ConstantStep, Stepsize

# What studies of MSPD and of sliding share: sorted absolute deviations, and the worst worker.


PERIODS = (8, 16, 32, 64)


@lru_cache(maxsize=8)
def problem(n: int, lam: float = 0.0, batch: int = 0) -> Absolute:
    """The data over n workers; made once."""
    return diabetes(n, lam=lam, batch=batch)


def ratio(p: Absolute) -> float:
    """R / L_l [x^2 / f]: distance of the start over the root mean square of Lipschitz constants."""
    lipschitz = math.sqrt(np.mean(np.square(p.local_lipschitz)))
    return math.sqrt(p.constants().need("R2")) / lipschitz


def worst_error(method: Method[Any], p: Absolute, steps: int) -> float:
    """f - f* at the model of the worst worker."""
    rows = run(method, p, steps=steps, points=2).rows[0]
    return float(p.value(rows).max()) - p.f_star


# MSPD on least absolute deviations: error against rounds of messages, and across networks.
#
# Diabetes data sorted by target over 8 workers (16 for the longest path), M subgradients in each of
# M outer steps: at most O(1/rounds) for the worst worker, while D-PSGD, one subgradient a round
# with the best constant step for its horizon, R/(L sqrt T), takes its rate from T^{-1/2}. The outer
# steps to a given error do not depend on the eigengap: Chebyshev's polynomial pays for it in
# rounds.


NonsmoothRoundsBuild = Callable[[Stepsize, StaticTopology, int], Method[Any]]
_NETWORKS: tuple[StaticTopology, ...] = (Complete(8), Ring(8), Path(8), Path(16))
_ROUNDS = (16, 32, 64, 128)


def errors(build: NonsmoothRoundsBuild, topology: StaticTopology) -> Floats:
    """Errors after M outer steps of M subgradients, for each M."""
    p = problem(topology.n)
    step = ConstantStep(ratio(p))
    return np.array([worst_error(build(step, topology, m), p, m * m) for m in PERIODS])


@study(
    "mspd",
    "lad-diabetes-sorted",
    "MSPD: error O(1/rounds) on non-smooth convex functions, whatever the eigengap",
    "rounds of messages",
    "f - f* at the worst worker",
)
def nonsmooth_rounds_measure(build: NonsmoothRoundsBuild = MSPD) -> StudyResult:
    """Exponents of rounds, independence of the eigengap, D-PSGD beside."""
    found = {topology: errors(build, topology) for topology in _NETWORKS}
    x = np.array(PERIODS, dtype=np.float64)
    description = (
        "diabetes sorted by target, whitened; M = T = 8 to 64, scale R/L, seed 0 (nothing is drawn)"
    )
    verdicts = [
        noise_free_rate(
            x, y, -1.0, 0.0, tight=False, variable="rounds", subject="mspd",
            problem=problem(topology.n).name, provenance=f"{description}; {topology.name}",
            claim="MSPD: error of the worst worker at most O(1/rounds)",
        )
        for topology, y in found.items()
    ]  # fmt: skip
    ring = found[_NETWORKS[1]]
    p, topology = problem(8), _NETWORKS[1]
    plain = np.array(
        [worst_error(DPSGD(ConstantStep(ratio(p) / t**0.5), topology), p, t) for t in _ROUNDS]
    )
    curves: list[PanelLine] = []
    for network, y in found.items():
        curves.append(PanelLine(f"MSPD, {network.name}", x * Laplacian(network).degree, y))
    rounds = np.array(_ROUNDS, dtype=np.float64)
    scale = p.constants().need("R2") / ratio(p) / Laplacian(topology).gamma ** 0.5
    curves += [
        PanelLine("D-PSGD, ring(n=8)", rounds, plain),
        PanelLine("lower bound's order, ring(n=8)", rounds, scale / rounds, theory=True),
    ]
    verdicts += [_independent(found, description), _plain(rounds, plain, x, ring)]
    return StudyResult(tuple(verdicts), curves)


def _independent(found: dict[StaticTopology, Floats], description: str) -> Verdict:
    """Errors at the longest run over paths, against the complete graph: 1/gamma up to 103."""
    ends = {topology.name: y[-1] for topology, y in found.items()}
    complete = ends[_NETWORKS[0].name]
    worst = max(ends.values()) / complete
    gap = max(1 / Laplacian(topology).gamma for topology in found)
    return Verdict(
        subject="mspd",
        problem="lad-diabetes-sorted",
        claim="after equally many outer steps the error hardly depends on the eigengap",
        check="ratio of errors",
        outcome=Outcome.SUPPORTED if worst <= gap**0.25 else Outcome.REFUTED,
        statistic=worst,
        bound=gap**0.25,
        evidence=f"errors at most {worst:.3g} times the complete graph's for 1/gamma up to "
        f"{gap:.4g} (limit: its fourth root; without Chebyshev's polynomial its square root)",
        provenance=description,
    )


def _plain(rounds: Floats, plain: Floats, x: Floats, mspd: Floats) -> Verdict:
    """MSPD's exponent of rounds is below D-PSGD's."""
    own, other = exponent(x, mspd), exponent(rounds, plain)
    return Verdict(
        subject="mspd",
        problem="lad-diabetes-sorted",
        claim="in rounds MSPD's error falls faster than D-PSGD's",
        check="exponents of rounds",
        outcome=Outcome.SUPPORTED if own < other else Outcome.REFUTED,
        statistic=own,
        bound=other,
        evidence=f"exponents {own:.3f} and {other:.3f} on the ring of 8",
        provenance=f"MSPD M = T = 8 to 64; D-PSGD T = {_ROUNDS}, step R/(L sqrt T), seed 0",
    )


# Rounds on the lower bound's own instance: measured against what no method can undercut.
#
# Nesterov's chain split between the ends of a path of n workers, kappa_l = 900: after R rounds no
# worker is nearer to x* than the tail of x* beyond coordinate R/(n - 1), so that accuracy epsilon
# (every worker, relative to ||x*||) takes at least (n - 1) j rounds, j the first coordinate whose
# tail is below it. Beside the order sqrt(kappa/gamma) ln(1/epsilon), which hides constants. The
# distance from the bound grows as sqrt(n) here, because two workers of n carry the curvature; the
# paper's proof lets a constant share of them do so.


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


@study(
    "ssda-msda",
    f"relay, kappa = {_KAPPA:g}",
    "on the hard instance the optimal methods stay above its lower bound, within a factor",
    "1 / normalised eigengap",
    "rounds to accuracy",
)
def rounds_lower_bound_measure(
    ssda: Build = SSDA, msda: Build = MSDA, fista: Build = DualAccelerated
) -> StudyResult:
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
            steps_needed(build(Path(p.n), LocalModel.from_problem(p)), p)
            * (lap.degree if chebyshev else 1)
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


# Communication sliding on least absolute deviations: error against outer steps.
#
# N outer steps of two rounds of messages and N gradients each, on a hypercube of 8 workers: at most
# O(1/N) where f_i is convex, with exact and with sampled subgradients, and O(1/N^2) where a
# quadratic makes it strongly convex; hence O(1/eps) and O(1/sqrt eps) rounds, O(1/eps^2) and
# O(1/eps) gradients.


SlidingRoundsBuild = Callable[[SlidingRule, StaticTopology, int], Method[Any]]
_N, _LAM, _BATCH, _REPLICAS, _SEED = 8, 1.0, 4, 16, 63


def exact(build: SlidingRoundsBuild, rule: SlidingRule, p: Absolute) -> Floats:
    """Errors of the worst worker for each N, without noise."""
    return np.array([worst_error(build(rule, Hypercube(_N), m), p, m * m) for m in PERIODS])


def sampled(build: SlidingRoundsBuild, rule: SlidingRule, p: Absolute) -> Floats:
    """Errors of the worst worker ``[R, K]`` with stochastic subgradients."""
    columns = []
    for m in PERIODS:
        trace = run(
            build(rule, Hypercube(_N), m), p, steps=m * m, points=2, replicas=_REPLICAS, seed=_SEED
        )
        columns.append(p.value(trace.rows).amax(-1).numpy() - p.f_star)
    return np.stack(columns, axis=1)


@study(
    "dcs",
    "lad-diabetes-sorted",
    "communication sliding: error O(1/rounds) convex, O(1/rounds^2) strongly convex",
    "rounds of messages",
    "f - f* at the worst worker",
)
def sliding_rounds_measure(build: SlidingRoundsBuild = CommunicationSliding) -> StudyResult:
    """Fit the three exponents of N, the number of outer steps."""
    x = np.array(PERIODS, dtype=np.float64)
    convex, noisy, strong = problem(_N), problem(_N, batch=_BATCH), problem(_N, lam=_LAM)
    rule = ConvexSliding(ratio(convex))
    plain, samples = exact(build, rule, convex), sampled(build, rule, noisy)
    curved = exact(build, StronglyConvexSliding(_LAM), strong)
    description = f"diabetes sorted by target, whitened; hypercube of {_N}, N = T = 8 to 64, seed 0"
    fit = fit_power(x, samples, ALPHA)
    verdicts = (
        noise_free_rate(
            x, plain, -1.0, 0.0, tight=False, variable="N", subject="dcs", problem=convex.name,
            claim="DCS, convex: error at most O(1/N) in outer steps", provenance=description,
        ),
        rate_verdict(
            fit, -1.0, False, subject="dcs", problem=noisy.name, variable="N",
            claim="SDCS, convex: error at most O(1/N) in outer steps",
            provenance=f"{description}, batches of {_BATCH}, {_REPLICAS} replicas of seed {_SEED}",
        ),
        noise_free_rate(
            x, curved, -2.0, 0.0, tight=False, variable="N", subject="dcs", problem=strong.name,
            claim="DCS, strongly convex: error at most O(1/N^2) in outer steps",
            provenance=f"{description}, mu = {_LAM:g}",
        ),
    )  # fmt: skip
    return StudyResult(
        verdicts,
        [
            PanelLine("DCS, convex", 2 * x, plain),
            PanelLine("SDCS, convex", 2 * x, *band(samples)),
            PanelLine("DCS, strongly convex", 2 * x, curved),
            PanelLine("1/rounds", 2 * x, plain[0] * x[0] / x, theory=True),
            PanelLine("1/rounds^2", 2 * x, curved[0] * (x[0] / x) ** 2, theory=True),
        ],
    )  # fmt: skip
