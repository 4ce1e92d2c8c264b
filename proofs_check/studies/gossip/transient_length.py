r"""How long D-PSGD is slower than centralised SGD: the transient against n on three families.

One quadratic Hessian, the mean of the workers' errors, gamma = c sqrt(n/T). Both methods' error is
known exactly for every horizon T; the transient is the horizon from which on D-PSGD's is less than
twice centralised SGD's, so where consensus costs what is left. Equating gamma^2 S with gamma
sigma^2 / 2n gives

    noise alone:             T = 4 c^2 n^3 S^2,    S = (1/n) sum_k 1/(1 - l_k^2) <= 1/(1 - lam^2)
    minimisers that differ:  T = 4 c^2 n^3 S^2,    S = zeta^2 / gap^2 along the slowest mode,

up to a constant where gamma is not small against the gap: n^5 on rings where noise is alone, n^11
where workers differ. The bound of Lian et al. 2017 asks for
n^5 / gap^2 and n^5 / gap^4: n^9 and n^13 on rings, n^7 and n^9 on tori, n^5 times a power of log n
on exponential graphs; later bounds (Koloskova et al. 2020, arXiv:2003.10422) have n^3.
"""

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
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.curves import PanelLine
from proofs_check.instruments.evidence import mean_value
from proofs_check.instruments.rates import rational
from proofs_check.instruments.study import Study, StudyResult, exponent, noise_free_rate
from proofs_check.studies.gossip.settings import slowest_mode
from proofs_check.studies.shared.graph_ladder import (
    GrowingGraphs,
    families,
    mean_error,
    noise_spread,
    unlike_spread,
)
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Stepsize, Topology], Method[Any]]
Spread = Callable[[StaticTopology, float, float], float]

_A, _C, _START, _D, _REPLICAS, _SEED = 1.0, 1.0, 1.0, 4, 512, 94


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


def simulated(build: Build) -> tuple[Verdict, ...]:
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
        trace = run(method, problem, steps=steps, seed=_SEED + k, replicas=_REPLICAS, points=2)
        errors = (trace.squared_distance + trace.consensus)[:, -1] / _D
        verdicts.append(
            mean_value(
                "d-psgd",
                f"E (1/n) sum (x_i - x*)^2 per coordinate is its exact value on {graph.name}, "
                f"{label}",
                errors, central + noise_alone(graph, gamma, steps) + spread,
                check="exact moments", problem=problem.name,
                provenance=f"T = {steps}, gamma = sqrt(n/T), {_REPLICAS} replicas of "
                f"{_D} coordinates, seed {_SEED + k}",
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


def measure(build: Build = DPSGD) -> StudyResult:
    """Two settings, three families."""
    members = families()
    ring, torus, _ = members
    verdicts = (
        *simulated(build),
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


STUDY = Study(
    "transient_length",
    "d-psgd",
    "quadratic",
    "n in the transient before linear speedup",
    "workers n",
    "steps to twice centralised SGD's error",
    measure,
)
