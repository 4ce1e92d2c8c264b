"""Studies: consensus distance, transient length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import StaticTopology, Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.torus import Torus
from proofs_check.curves import PanelLine, band
from proofs_check.evidence.gossip.studies import slowest_mode
from proofs_check.instruments.evidence import mean_value
from proofs_check.instruments.graph_ladder import (
    GrowingGraphs,
    families,
    mean_error,
    modes,
    noise_spread,
    unlike_spread,
)
from proofs_check.instruments.rates import rational
from proofs_check.instruments.study import StudyResult, exponent, noise_free_rate, study
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

# D-PSGD's consensus distance from noise alone: gamma^2 sigma^2 times a sum over the modes of W.
#
# f_i(x) = a ||x||^2 / 2 for all: E (1/n) sum ||x_i - xbar||^2 = gamma^2 sigma^2 (1/n) sum_k (1 -
# |q_k|^{2T}) / (1 - |q_k|^2), q_k = l_k - gamma a, exactly. Bounds have gamma^2 sigma^2 / (1 -
# lam^2) instead: right in gamma, but noise that is independent from worker to worker excites all
# modes alike, and on a ring only a few of them are slow: the distance grows as gap^(-1/2).


Build = Callable[[Stepsize, Topology], Method[Any]]

_A, _D, _REPLICAS, _CONSENSUS_DISTANCE_SEED = 1.0, 4, 512, 91
_GAMMAS = (0.05, 0.1, 0.2, 0.4)
_SMALL = np.geomspace(1e-5, 1e-3, 5)
_LONG = 1e12  # steps after which nothing changes


def graphs() -> tuple[StaticTopology, ...]:
    """The graphs on which the study is run."""
    return (Ring(8), Ring(16), Torus(4, 4), StaticExponential(16), Complete(16))


def measured(build: Build, graph: StaticTopology, gamma: float, steps: int, seed: int) -> Floats:
    """(1/n) sum ||x_i - xbar||^2 per coordinate ``[R]`` after ``steps`` steps from consensus."""
    zero = torch.zeros((graph.n, _D), dtype=torch.float64)
    problem = Quadratic.from_arrays(torch.full_like(zero, _A), zero, sigma2=float(_D))
    method = build(ConstantStep(gamma), graph)
    trace = run(method, problem, steps=steps, seed=seed, replicas=_REPLICAS, points=2)
    return np.asarray(trace.consensus[:, -1] / _D)


def consensus_distance_simulated(build: Build) -> tuple[Verdict, ...]:
    """Five graphs at one stepsize, the ring of 8 at four, against the sum over modes; and the torus
    at a large one, where neighbours that come a step late make it 40 % smaller, not 4 %."""
    settings = [(g, 0.1, 60) for g in graphs()] + [(Ring(8), g, 25) for g in _GAMMAS]
    settings.append((Torus(4, 4), 0.4, 25))
    return tuple(
        mean_value(
            "d-psgd",
            f"E consensus distance = gamma^2 sigma^2 (1/n) sum 1/(1-|q_k|^2) on {graph.name}, "
            f"gamma {gamma:g}",
            measured(build, graph, gamma, steps, _CONSENSUS_DISTANCE_SEED + k),
            noise_spread(graph, gamma, _A, steps),
            check="exact moments",
            problem="quadratic",
            provenance=f"{_REPLICAS} replicas of {_D} coordinates, {steps} steps, seed "
            f"{_CONSENSUS_DISTANCE_SEED + k}",
        )
        for k, (graph, gamma, steps) in enumerate(settings)
    )


def in_stepsize(graph: StaticTopology) -> tuple[Floats, Verdict]:
    """Exponent of gamma in the exact distance."""
    y = np.array([noise_spread(graph, float(g), _A, _LONG) for g in _SMALL])
    verdict = noise_free_rate(
        _SMALL, y, 2.0, 0.02, tight=True, variable="gamma", subject="d-psgd", problem="quadratic",
        claim=f"consensus distance from noise grows as gamma^2 on {graph.name}",
        provenance="exact moments, no seed, gamma from 1e-5 to 1e-3: gamma/gap <= 0.02",
    )  # fmt: skip
    return y, verdict


def in_gap(family: GrowingGraphs) -> tuple[Floats, Floats]:
    """1/gap and the limit of distance / gamma^2 as gamma vanishes, along a family."""
    y = np.array([noise_spread(g, 1e-9, _A, _LONG) / 1e-18 for g in family.graphs])
    return 1 / family.gaps, y


def on_rings(family: GrowingGraphs) -> Verdict:
    """Square root of 1/gap on rings."""
    x, y = in_gap(family)
    return noise_free_rate(
        x, y, 0.5, 0.02, tight=True, variable="1/gap", subject="d-psgd", problem="quadratic",
        claim="consensus distance from noise grows as gap^(-1/2) on rings (the bound: gap^-1)",
        provenance=f"exact moments, no seed, gamma to 0, n from {int(family.sizes[0])} to "
        f"{int(family.sizes[-1])}; the sum is n/8 and a constant",
    )  # fmt: skip


def below_bound(members: tuple[GrowingGraphs, ...]) -> Verdict:
    """Largest share of gamma^2 sigma^2 / (1 - lam^2) over all graphs, with the slopes found."""
    shares, slopes = [], []
    for family in members:
        x, y = in_gap(family)
        lam = np.array([np.abs(modes(g)).max() for g in family.graphs])
        shares.append(float((y * (1 - lam**2)).max()))
        slopes.append(f"{family.label} {exponent(x, y):.3f}")
    worst = max(shares)
    return Verdict(
        subject="d-psgd", problem="quadratic",
        claim="consensus distance from noise <= gamma^2 sigma^2 / (1 - lam^2) on every graph",
        check="bound in 1/gap", statistic=worst, bound=1.0, tightness=worst,
        outcome=Outcome.SUPPORTED if worst <= 1 else Outcome.REFUTED,
        evidence=f"largest share {worst:.4f}; exponents of 1/gap: {', '.join(slopes)} (the "
        "bound's is 1)",
        provenance=f"exact moments, no seed, gamma to 0, "
        f"{sum(len(f.graphs) for f in members)} graphs",
    )  # fmt: skip


@study(
    "d-psgd",
    "quadratic",
    "gamma^2 and the gap in the consensus distance from noise",
    "stepsize gamma",
    "E (1/n) sum (x_i - xbar)^2 per coordinate",
)
def consensus_distance_measure(build: Build = DPSGD) -> StudyResult:
    """Simulation against exact moments, exponents of both variables, the bound."""
    members = families()
    y, in_gamma = in_stepsize(Ring(16))
    verdicts = (
        *consensus_distance_simulated(build),
        in_gamma,
        on_rings(members[0]),
        below_bound(members),
    )
    curves: list[PanelLine] = [PanelLine("ring of 16, exact", _SMALL, y)]
    runs = np.array(
        [
            measured(build, Ring(8), g, 25, _CONSENSUS_DISTANCE_SEED + 5 + k)
            for k, g in enumerate(_GAMMAS)
        ]
    )
    curves.append(PanelLine("ring of 8, measured", np.array(_GAMMAS), *band(runs.T)))
    exact = np.array([noise_spread(Ring(8), g, _A, 25) for g in _GAMMAS])
    curves += [PanelLine("ring of 8, exact", np.array(_GAMMAS), exact, theory=True)]
    return StudyResult(verdicts, curves)


# How long D-PSGD is slower than centralised SGD: the transient against n on three families.
#
# One quadratic Hessian, the mean of the workers' errors, gamma = c sqrt(n/T). Both methods' error
# is known exactly for every horizon T; the transient is the horizon from which on D-PSGD's is less
# than twice centralised SGD's, so where consensus costs what is left. Equating gamma^2 S with gamma
# sigma^2 / 2n gives
#
#     noise alone:             T = 4 c^2 n^3 S^2,    S = (1/n) sum_k 1/(1 - l_k^2) <= 1/(1 - lam^2)
#     minimisers that differ:  T = 4 c^2 n^3 S^2,    S = zeta^2 / gap^2 along the slowest mode,
#
# up to a constant where gamma is not small against the gap: n^5 on rings where noise is alone, n^11
# where workers differ. The bound of Lian et al. 2017 asks for n^5 / gap^2 and n^5 / gap^4: n^9 and
# n^13 on rings, n^7 and n^9 on tori, n^5 times a power of log n on exponential graphs; later bounds
# (Koloskova et al. 2020, arXiv:2003.10422) have n^3.

Spread = Callable[[StaticTopology, float, float], float]

_C, _START, _TRANSIENT_LENGTH_SEED = 1.0, 1.0, 94


def noise_alone(graph: StaticTopology, gamma: float, steps: float) -> float:
    """The consensus distance where workers share one objective."""
    return noise_spread(graph, gamma, _A, steps)


def unlike(graph: StaticTopology, gamma: float, steps: float) -> float:
    """With minimisers of mean square 1 along a mode as slow as the slowest, without noise's."""
    return unlike_spread(graph, gamma, _A, steps)


def excess(graph: StaticTopology, spread: Spread, horizon: float) -> float:
    """log of consensus distance over centralised error at gamma = c sqrt(n/T)."""
    gamma = _C * (graph.n / horizon) ** 0.5
    central = mean_error(graph.n, gamma, _A, horizon, _START)
    return float(np.log(spread(graph, gamma, horizon) / central))


def transient(graph: StaticTopology, spread: Spread) -> float:
    """The last horizon at which D-PSGD's error is twice centralised SGD's."""
    low, high = np.log(16 * graph.n * _C**2), np.log(1e30)  # gamma <= 1/4
    grid = np.linspace(low, high, 120)
    values = np.array([excess(graph, spread, float(np.exp(t))) for t in grid])
    last = int(np.flatnonzero(values > 0)[-1])
    root = scipy.optimize.brentq(
        lambda t: excess(graph, spread, float(np.exp(t))), grid[last], grid[last + 1], xtol=1e-12
    )
    return float(np.exp(root))


def lengths(family: GrowingGraphs, spread: Spread) -> Floats:
    """Transients along a family."""
    return np.array([transient(graph, spread) for graph in family.graphs])


def transient_length_simulated(build: Build) -> tuple[Verdict, ...]:
    """The mean of the workers' errors against its exact value on the ring of 8, and on the torus at
    a large stepsize, where neighbours that come a step late show; both settings."""
    cases = ((Ring(8), 200), (Torus(4, 4), 100))
    return tuple(
        v for k, (g, steps) in enumerate(cases) for v in _simulated(build, g, steps, 2 * k)
    )


def _simulated(build: Build, graph: StaticTopology, steps: int, first: int) -> list[Verdict]:
    """On one graph, with seeds from _SEED + ``first`` on."""
    verdicts = []
    gamma = _C * (graph.n / steps) ** 0.5
    central = mean_error(graph.n, gamma, _A, steps, _START)
    modes = np.tile(slowest_mode(graph.matrix(0))[:, None], (1, _D))
    for k, (label, b, spread) in enumerate(
        (
            ("noise alone", np.zeros_like(modes), 0.0),
            ("minimisers that differ", modes, unlike(graph, gamma, steps)),
        ),
        start=first,
    ):
        rows = torch.from_numpy(b)
        x0 = torch.full((_D,), _START, dtype=torch.float64)
        problem = Quadratic.from_arrays(torch.full_like(rows, _A), rows, sigma2=float(_D), x0=x0)
        method = build(ConstantStep(gamma), graph)
        trace = run(
            method,
            problem,
            steps=steps,
            seed=_TRANSIENT_LENGTH_SEED + k,
            replicas=_REPLICAS,
            points=2,
        )
        errors = (trace.squared_distance + trace.consensus)[:, -1] / _D
        verdicts.append(
            mean_value(
                "d-psgd",
                f"E (1/n) sum (x_i - x*)^2 per coordinate is its exact value on {graph.name}, "
                f"{label}",
                errors, central + noise_alone(graph, gamma, steps) + spread,
                check="exact moments", problem=problem.name,
                provenance=f"T = {steps}, gamma = sqrt(n/T), {_REPLICAS} replicas of "
                f"{_D} coordinates, seed {_TRANSIENT_LENGTH_SEED + k}",
            )
        )  # fmt: skip
    return verdicts


def predicted(family: GrowingGraphs, spread: Spread) -> Floats:
    """4 c^2 n^3 S^2, S the limit of distance / gamma^2 as gamma vanishes."""
    tiny, long = 1e-12, 1e25
    s = np.array([spread(graph, tiny, long) / tiny**2 for graph in family.graphs])
    return np.asarray(4 * _C**2 * family.sizes**3 * s**2)


def as_predicted(family: GrowingGraphs, spread: Spread, label: str, power: float) -> Verdict:
    """Exponent of the prediction along a family, with that of n beside Lian's."""
    y, logs = lengths(family, spread), "" if family.power else " and logarithms"
    return noise_free_rate(
        predicted(family, spread), y, 1.0, 0.02, tight=True, variable="n^3 S^2", subject="d-psgd",
        problem="quadratic",
        claim=f"transient on the {family.label} is proportional to n^3 S^2, {label}",
        provenance=f"exact moments, no seed; exponent of n {exponent(family.sizes, y):.3f}, "
        f"Lian's bound n^{5 + power * family.power:g}{logs}",
    )  # fmt: skip


def on(
    family: GrowingGraphs, spread: Spread, label: str, power: float, tolerance: float, bound: float
) -> tuple[Verdict, ...]:
    """Exponent of n on one family: equal to ``power``, below the bound's."""
    y = lengths(family, spread)
    slope = exponent(family.sizes, y)
    local = np.diff(np.log(y)) / np.diff(np.log(family.sizes))
    first = noise_free_rate(
        family.sizes, y, power, tolerance, tight=True, variable="n", subject="d-psgd",
        problem="quadratic", claim=f"transient on the {family.label} grows as n^{power:g}, {label}",
        provenance=f"exact moments, no seed; slopes between neighbours from {local.min():.3f} to "
        f"{local.max():.3f}, n from {int(family.sizes[0])} to {int(family.sizes[-1])}",
    )  # fmt: skip
    second = Verdict(
        subject="d-psgd", problem="quadratic",
        claim=f"transient on the {family.label} is no longer than Lian's bound says, n^{bound:g}, "
        f"{label}",
        check="rate in n",
        kind=CheckKind.RATE, outcome=Outcome.SUPPORTED if slope <= bound else Outcome.REFUTED,
        statistic=slope, bound=bound, order=f"n^{bound:g}", exponent=rational(bound),
        evidence=f"exponent of n {slope:.3f}, slopes between neighbours from {local.min():.3f} to "
        f"{local.max():.3f}",
        provenance="exact moments, no seed; D-PSGD's bound at gamma = sqrt(n/T): n^5 / gap^2 "
        "steps, n^5 / gap^4 where workers differ",
    )  # fmt: skip
    return first, second


@study(
    "d-psgd",
    "quadratic",
    "n in the transient before linear speedup",
    "workers n",
    "steps to twice centralised SGD's error",
)
def transient_length_measure(build: Build = DPSGD) -> StudyResult:
    """Two settings, three families."""
    members = families()
    ring, torus, _ = members
    verdicts = (
        *transient_length_simulated(build),
        *(as_predicted(family, noise_alone, "noise alone", 2.0) for family in members),
        *(as_predicted(family, unlike, "minimisers that differ", 4.0) for family in members),
        *on(ring, noise_alone, "noise alone", 5.0, 0.1, 9.0),
        *on(ring, unlike, "minimisers that differ", 11.0, 0.1, 13.0),
        *on(torus, unlike, "minimisers that differ", 7.0, 0.1, 9.0),
    )
    curves: list[PanelLine] = []
    for family in members:
        for label, spread in (("noise", noise_alone), ("unlike", unlike)):
            curves.append(
                PanelLine(f"{family.label}, {label}", family.sizes, lengths(family, spread))
            )
    return StudyResult(verdicts, curves)
