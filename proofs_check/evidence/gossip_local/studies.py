"""Studies: settings of local SGD over gossip, and where it converges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.problems.mixed_curvature import MixedCurvature
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.ring import Ring
from proofs_check.curves import PanelLine
from proofs_check.evidence.gossip_local.closed_forms import Build, plain
from proofs_check.evidence.gossip_local.closed_forms_moments import (
    Recursion,
    boundary,
    lazy_complete,
    mean_square,
)
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import StudyResult, noise_free_rate, study
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

# What studies of local SGD over gossip share: workers, exact moments, runs against them.


GAMMA = 0.01
RINGS = (8, 16, 32, 64)


def alternating(n: int) -> Floats:
    """Curvatures 3, -1, 3, -1, ... ``[n]``: mean 1."""
    return np.where(np.arange(n) % 2 == 0, 3.0, -1.0)


def along_slowest(n: int) -> Floats:
    """1 + 2 sqrt(2) cos(2 pi i / n) ``[n]``: mean and variance as those that alternate."""
    return np.asarray(1 + 2 * np.sqrt(2) * np.cos(2 * np.pi * np.arange(n) / n))


def longest(w: Floats, a: Floats, gamma: float = GAMMA) -> float:
    """H* of plain gossip, a real number."""
    return boundary(lambda h: Recursion(w, a, 0 * a, gamma, h).growth(), 1e-6, 1e4)


def pictured(lines: dict[str, tuple[Floats, Floats]]) -> tuple[PanelLine, ...]:
    """Lines by label, as a picture's."""
    return tuple(PanelLine(label, x, y) for label, (x, y) in lines.items())


def workers(n: int) -> tuple[Floats, Floats]:
    """Curvatures and slopes ``[n]``: x* = 0, zeta^2 = 1/2 there, correlated with the curvature."""
    wave = np.cos(2 * np.pi * np.arange(n) / n)
    return 1 + 0.5 * wave, wave


def plain_errors(n: int, period: int, gap: float, gamma: float) -> tuple[float, float]:
    """Bias squared and variance of the mean model in the long run, over parallel SGD's variance."""
    a, c = workers(n)
    mean, covariance = Recursion(lazy_complete(n, gap), a, c, gamma, period, variance=1.0).settled()
    parallel = gamma / (n * (2 - gamma))
    return float(mean.mean() ** 2) / parallel, float(covariance.sum() / n**2) / parallel


def moment_in_simulation(
    row: str,
    quantity: str,
    method: Method[Any],
    own: Recursion,
    rounds: int,
    *,
    seed: int,
    replicas: int,
    d: int,
) -> Verdict:
    """E (xbar - x*)^2 of ``method`` after so many rounds against the recursion ``own``.

    It runs in ``d`` coordinates that are alike; ``quantity`` says what is compared, in words.
    """
    columns = [
        torch.from_numpy(v)[:, None].expand(own.n, d).contiguous() for v in (own.a, own.c / own.a)
    ]
    problem = Quadratic.from_arrays(*columns, sigma2=float(d))
    steps = rounds * int(own.period)
    trace = run(method, problem, steps=steps, seed=seed, replicas=replicas, points=2)
    return mean_value(
        row, quantity, trace.squared_distance[:, -1] / d,
        mean_square(own.simulated(rounds), own.n, 0.0),
        check="exact second moments", problem="quadratic",
        provenance=f"seed {seed}, {replicas} replicas, {d} coordinates",
    )  # fmt: skip


# Where local SGD over gossip converges: the longest period H*(gap), without compression.
#
# f_i(x) = a_i x^2 / 2 with a_i = 3 or -1: f is strongly convex, some f_i curve downward. A round is
# X <- W diag((1 - gamma a_i)^H) X, so the run converges if and only if the spectral radius of that
# matrix is below 1. What is found:
#
# - convex f_i (0 <= a_i <= 2/gamma): neither factor expands, so no H and no gap diverges;
# - otherwise there is H*, and for small gaps H* = gap / (gamma s), where s solves
#   (1/n) \sum_i s / (s + a_i) = 1: here s = 3. H* falls as gap^1 and as 1/gamma;
# - it is the gap of the modes along which curvatures differ that counts: curvatures that alternate
#   on a ring give one H* for every ring, along the slowest mode H* falls with the ring's gap.


N = 8
GAPS = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7])
_SIMULATED = (0.1, 0.2, 0.5)
_ROUNDS, _SEED = 300, 91
_SMALL = 5  # gaps up to 0.2, where H* is proportional to the gap up to 10 percent
_ROW, _PROBLEM = "gossip-local-sgd", "quadratic of mixed curvature"


def simulated_growth(method: Method[Any], a: Floats, rounds: int, period: int) -> float:
    """log of what a round multiplies ||X|| by, over the last quarter of a run from x_0 = 1."""
    curvatures = torch.from_numpy(a)[:, None]
    problem = MixedCurvature(
        _PROBLEM, curvatures, 0 * curvatures, torch.ones(1, dtype=torch.float64)
    )
    early, late = rounds * 3 // 4, rounds
    norms = {
        m.t // period: float(method.models(m.state).norm())
        for m in path(method, problem, rounds * period, seed=_SEED)
        if m.t in (early * period, late * period)
    }
    return float(np.log(norms[late] / norms[early]) / (late - early))


def _brackets(build: Build) -> tuple[tuple[Verdict, ...], Floats]:
    """Growth simulated on both sides of H* against the spectral radius; the last H to shrink."""
    verdicts, shrinking = [], []
    a = alternating(N)
    for gap in _SIMULATED:
        w = lazy_complete(N, gap)
        below = int(longest(w, a))
        periods = (below, below + 1)
        topology: Topology = FixedMatrix(w, f"lazy complete, gap {gap:g}")
        measured = [
            simulated_growth(build(ConstantStep(GAMMA), topology, h), a, _ROUNDS, h)
            for h in periods
        ]
        exact = [Recursion(w, a, 0 * a, GAMMA, h).growth() for h in periods]
        shrinking.append(
            max((h for h, g in zip(periods, measured, strict=True) if g < 0), default=0)
        )
        verdicts.append(
            identity(
                _ROW,
                f"shrinks at H={below}, grows at H={below + 1} as the spectral radius says, "
                f"gap={gap:g}",
                measured,
                exact,
                check="boundary in simulation",
                problem=_PROBLEM,
                tolerance=1e-9,
                provenance=f"no noise, no seed, {_ROUNDS} rounds, gamma {GAMMA}, n={N}",
            )
        )
    return tuple(verdicts), np.array(shrinking, dtype=np.float64)


def _on_rings(curvatures: Callable[[int], Floats]) -> Floats:
    """H* on each ring."""
    return np.array([longest(Ring(n).matrix(0), curvatures(n)) for n in RINGS])


def _law(gaps: Floats, slowest: Floats, alternate: Floats) -> tuple[Verdict, ...]:
    """H* gamma / gap -> 1/3, and the exponent of the gap, on rings."""
    a = alternating(N)
    limit = longest(lazy_complete(N, 1e-4), a, 1e-6) * 1e-6 / 1e-4
    description = f"exact spectral radii, no seed, gamma {GAMMA}"
    return (
        identity(
            _ROW,
            "H* gamma / gap tends to 1/s, s = 3 for curvatures 3 and -1",
            limit,
            1 / 3,
            check="law of the boundary",
            problem=_PROBLEM,
            tolerance=1e-4,
            provenance="no seed, gap 1e-4, gamma 1e-6; what is left is of the order of the gap",
        ),
        noise_free_rate(
            gaps,
            slowest,
            1.0,
            0.05,
            tight=True,
            subject=_ROW,
            problem=_PROBLEM,
            variable="gap",
            claim="H* falls as the gap where curvatures differ along the slowest mode of a ring",
            provenance=f"{description}; rings of {RINGS}; H* bends upward where the gap is not "
            f"small",
        ),
        identity(
            _ROW,
            "curvatures that alternate: H* is the same on every ring, whatever its gap",
            alternate,
            alternate[0],
            check="law of the boundary",
            problem=_PROBLEM,
            tolerance=1e-6,
            provenance=description,
        ),
    )


def never_for_convex(trials: int = 300) -> Verdict:
    """Random convex curvatures in [0, 2/gamma], random H and gaps: no growth."""
    generator = np.random.default_rng(_SEED)
    worst = -np.inf
    for _ in range(trials):
        a = generator.uniform(0, 2 / GAMMA, N)
        h, gap = int(generator.integers(1, 200)), generator.uniform(0.01, 1)
        w = lazy_complete(N, gap) if generator.random() < 0.5 else Ring(N).matrix(0)
        worst = max(worst, Recursion(w, a, 0 * a, GAMMA, h).growth())
    return Verdict(
        subject=_ROW,
        problem="convex quadratics",
        claim="convex f_i and gamma <= 2/L: no period and no gap makes it diverge",
        check="spectral radius",
        outcome=Outcome.SUPPORTED if worst <= 1e-12 else Outcome.REFUTED,
        statistic=worst,
        bound=0.0,
        evidence=f"largest growth per round {worst:.3g} over {trials} random settings; neither W "
        "nor |1 - gamma a_i|^H expands the Euclidean norm",
        provenance=f"seed {_SEED}",
    )


@study(
    _ROW,
    _PROBLEM,
    "the longest period H* at which local SGD over gossip converges",
    "spectral gap",
    "longest period H* [local steps]",
)
def gossip_local_phase_measure(build: Build = plain) -> StudyResult:
    """Boundaries over the gap, exact and in simulation."""
    a = alternating(N)
    exact = np.array([longest(lazy_complete(N, g), a) for g in GAPS])
    rings = np.array([1 - Ring(n).constants().need("lam") for n in RINGS])
    slowest, alternate = _on_rings(along_slowest), _on_rings(alternating)
    brackets, shrinking = _brackets(build)
    lines: dict[str, tuple[Floats, Floats]] = {
        "lazy complete graph of 8, exact": (GAPS, exact),
        "the same, largest H seen to shrink": (np.array(_SIMULATED), shrinking),
        "gap / (3 gamma)": (GAPS, GAPS / (3 * GAMMA)),
        "rings of 8 to 64, curvature along the slowest mode": (rings, slowest),
        "rings of 8 to 64, curvature alternating": (rings, alternate),
    }
    power = noise_free_rate(
        GAPS[:_SMALL],
        exact[:_SMALL],
        1.0,
        0.05,
        tight=True,
        subject=_ROW,
        problem=_PROBLEM,
        variable="gap",
        claim="H* falls as the gap on the lazy complete graph",
        provenance=f"exact spectral radii, no seed, gamma {GAMMA}, gaps up to {GAPS[_SMALL - 1]:g}",
    )
    return StudyResult(
        (power, *_law(rings, slowest, alternate), *brackets, never_for_convex()), pictured(lines)
    )
