"""Studies: settings, gossip local phase, gossip local rate."""

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
from proofs_check.instruments.evidence import ALPHA, identity, mean_value
from proofs_check.instruments.paths import path
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import Study, StudyResult, noise_free_rate
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
        mean_square(own.played(rounds), own.n, 0.0),
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
_ROUNDS, _GOSSIP_LOCAL_PHASE_SEED = 300, 91
_GOSSIP_LOCAL_PHASE_SMALL = (
    5  # gaps up to 0.2, where H* is proportional to the gap up to 10 percent
)
_ROW, _GOSSIP_LOCAL_PHASE_PROBLEM = "gossip-local-sgd", "quadratic of mixed curvature"


def simulated_growth(method: Method[Any], a: Floats, rounds: int, period: int) -> float:
    """log of what a round multiplies ||X|| by, over the last quarter of a run from x_0 = 1."""
    curvatures = torch.from_numpy(a)[:, None]
    problem = MixedCurvature(
        _GOSSIP_LOCAL_PHASE_PROBLEM, curvatures, 0 * curvatures, torch.ones(1, dtype=torch.float64)
    )
    early, late = rounds * 3 // 4, rounds
    norms = {
        m.t // period: float(method.models(m.state).norm())
        for m in path(method, problem, rounds * period, seed=_GOSSIP_LOCAL_PHASE_SEED)
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
                problem=_GOSSIP_LOCAL_PHASE_PROBLEM,
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
    told = f"exact spectral radii, no seed, gamma {GAMMA}"
    return (
        identity(
            _ROW,
            "H* gamma / gap tends to 1/s, s = 3 for curvatures 3 and -1",
            limit,
            1 / 3,
            check="law of the boundary",
            problem=_GOSSIP_LOCAL_PHASE_PROBLEM,
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
            problem=_GOSSIP_LOCAL_PHASE_PROBLEM,
            variable="gap",
            claim="H* falls as the gap where curvatures differ along the slowest mode of a ring",
            provenance=f"{told}; rings of {RINGS}; H* bends upward where the gap is not small",
        ),
        identity(
            _ROW,
            "curvatures that alternate: H* is the same on every ring, whatever its gap",
            alternate,
            alternate[0],
            check="law of the boundary",
            problem=_GOSSIP_LOCAL_PHASE_PROBLEM,
            tolerance=1e-6,
            provenance=told,
        ),
    )


def never_for_convex(trials: int = 300) -> Verdict:
    """Random convex curvatures in [0, 2/gamma], random H and gaps: no growth."""
    generator = np.random.default_rng(_GOSSIP_LOCAL_PHASE_SEED)
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
        provenance=f"seed {_GOSSIP_LOCAL_PHASE_SEED}",
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
        GAPS[:_GOSSIP_LOCAL_PHASE_SMALL],
        exact[:_GOSSIP_LOCAL_PHASE_SMALL],
        1.0,
        0.05,
        tight=True,
        subject=_ROW,
        problem=_GOSSIP_LOCAL_PHASE_PROBLEM,
        variable="gap",
        claim="H* falls as the gap on the lazy complete graph",
        provenance=f"exact spectral radii, no seed, gamma {GAMMA}, gaps up to "
        f"{GAPS[_GOSSIP_LOCAL_PHASE_SMALL - 1]:g}",
    )
    return StudyResult(
        (power, *_law(rings, slowest, alternate), *brackets, never_for_convex()), pictured(lines)
    )


GOSSIP_LOCAL_PHASE_STUDY = Study(
    "gossip_local_phase",
    _ROW,
    _GOSSIP_LOCAL_PHASE_PROBLEM,
    "the longest period H* at which local SGD over gossip converges",
    "spectral gap",
    "longest period H* [local steps]",
    gossip_local_phase_measure,
)


# What H and the gap cost local SGD over gossip: drift, spread, and when the leading term rules.
#
# Quadratics of unequal curvature a_i = 1 + cos(2 pi i/n)/2 and minimisers that differ along with
# it, W = (1 - gap) I + gap J, constant gamma; exact moments in the long run, and simulation. What
# is found:
#
# - without noise the models stop gamma H zeta lam / gap apart (root mean square) after a round;
#   noise alone spreads them by gamma^2 H sigma^2 lam^2 / (1 - lam^2) (mean square);
# - the mean model's error is that of parallel SGD, gamma sigma^2/(2n), whatever H and gap are,
#   plus a
#   bias squared of the order (gamma H zeta / gap)^2. The leading term rules once
#   gamma <= c gap^2 / (n H^2): a transient of T ~ 1/gamma ~ n H^2 / gap^2 steps (strongly convex).
#   With gamma = sqrt(n/T) the same condition reads T >= n^3 H^4 / gap^4, D-PSGD's for H = 1.


_GOSSIP_LOCAL_RATE_PROBLEM = "quadratic"
_PERIODS, _GAPS, _WORKERS = (1, 2, 4, 8), (0.02, 0.04, 0.08), (8, 16, 32)
_GOSSIP_LOCAL_RATE_SMALL, _GOSSIP_LOCAL_RATE_SEED, _REPLICAS, _D = 1e-4, 93, 64, 32
_SETTINGS = ((1, 0.4), (1, 0.1), (4, 0.4), (4, 0.1), (16, 0.1))  # H, gap of the lines drawn


def transient(n: int, period: int, gap: float) -> float:
    """1 / the largest gamma at which the bias squared is below parallel SGD's variance."""
    return 1 / boundary(lambda gamma: plain_errors(n, period, gap, gamma)[0] - 1, 1e-9, 0.5, 1e-6)


def _transients() -> tuple[Verdict, ...]:
    """Exponents of n, H and 1/gap in the transient; the variance there."""
    sweeps = (
        ("n", 1.0, np.array(_WORKERS, dtype=float), [transient(n, 4, 0.04) for n in _WORKERS]),
        ("H", 2.0, np.array(_PERIODS, dtype=float), [transient(8, h, 0.02) for h in _PERIODS]),
        ("1/gap", 2.0, 1 / np.array(_GAPS)[::-1], [transient(8, 8, g) for g in _GAPS[::-1]]),
    )  # fmt: skip
    ratios = [
        plain_errors(n, h, g, 0.01 / transient(n, h, g))[1]
        for n in _WORKERS for h in _PERIODS for g in (0.02, 0.08)
    ]  # fmt: skip
    powers = tuple(
        noise_free_rate(
            x,
            np.array(y),
            order,
            0.1,
            tight=True,
            subject=_ROW,
            problem=_GOSSIP_LOCAL_RATE_PROBLEM,
            variable=name,
            claim=f"the transient 1/gamma* grows as {name}^{order:g}",
            provenance="exact moments, no seed; lower orders take up to 5 percent",
        )
        for name, order, x, y in sweeps
    )
    leading = identity(
        _ROW, "the leading term is parallel SGD's, gamma sigma^2/(2n), for every H and gap",
        ratios, 1.0, check="leading term", problem=_GOSSIP_LOCAL_RATE_PROBLEM, tolerance=1e-3,
        provenance=f"exact moments at gamma*/100, no seed, {len(ratios)} settings",
    )  # fmt: skip
    return (*powers, leading)


def _settled(build: Build, problem: Quadratic, gap: float, period: int, replicas: int) -> Floats:
    """Consensus distance ``[R]`` after 20/gap rounds."""
    topology = FixedMatrix(lazy_complete(problem.n, gap), f"gap {gap:g}")
    steps = int(20 / gap) * period
    method = build(ConstantStep(_GOSSIP_LOCAL_RATE_SMALL), topology, period)
    trace = run(
        method, problem, steps=steps, seed=_GOSSIP_LOCAL_RATE_SEED, replicas=replicas, points=2
    )
    return np.asarray(trace.consensus[:, -1])


def _spreads(build: Build) -> tuple[Verdict, ...]:
    """Exponents of H and 1/gap in drift and in spread by noise, in simulation."""
    a, c = (torch.from_numpy(v)[:, None] for v in workers(8))
    quiet = Quadratic.from_arrays(a, c / a)
    ones = torch.ones((8, _D), dtype=torch.float64)
    noisy = Quadratic.from_arrays(ones, 0 * ones, sigma2=1.0)
    gaps, periods = np.array([0.2, 0.1, 0.05]), np.array(_PERIODS, dtype=float)
    lam = 1 - gaps
    sweeps = (
        ("H", periods, periods, [(h, 0.1) for h in _PERIODS]),
        ("1/gap", lam / gaps, lam**2 / (1 - lam**2), [(2, float(g)) for g in gaps]),
    )
    verdicts = []
    for name, of_drift, of_noise, settings in sweeps:
        drift = np.array([_settled(build, quiet, g, h, 1)[0] ** 0.5 for h, g in settings])
        spread = np.stack([_settled(build, noisy, g, h, _REPLICAS) for h, g in settings], axis=1)
        verdicts += [
            noise_free_rate(
                of_drift,
                drift,
                1.0,
                0.02,
                tight=True,
                subject=_ROW,
                problem=_GOSSIP_LOCAL_RATE_PROBLEM,
                variable=name if name == "H" else "lam/gap",
                claim=f"drift without noise: exponent 1 of {name}",
                provenance=f"simulation without noise, no seed, gamma "
                f"{_GOSSIP_LOCAL_RATE_SMALL}, 20/gap rounds; "
                "unequal curvatures bend the law by gamma H",
            ),
            rate_verdict(
                fit_power(of_noise, spread, ALPHA, floor=0.0),
                1.0,
                True,
                subject=_ROW,
                problem=_GOSSIP_LOCAL_RATE_PROBLEM,
                variable=name if name == "H" else "lam^2/(1 - lam^2)",
                claim=f"spread by noise (mean square): exponent 1 of {name}",
                provenance=f"simulation, gamma {_GOSSIP_LOCAL_RATE_SMALL}, seed "
                f"{_GOSSIP_LOCAL_RATE_SEED}, {_REPLICAS} replicas, "
                f"error {ALPHA:g}",
            ),
        ]
    return tuple(verdicts)


def _moment_in_simulation(build: Build) -> Verdict:
    """E (xbar - x*)^2 after 80 rounds of H = 4 in simulation against the recursion."""
    n, period, gap, gamma, rounds = 8, 4, 0.1, 0.05, 80
    own = Recursion(lazy_complete(n, gap), *workers(n), gamma, period, variance=1.0)
    return moment_in_simulation(
        _ROW, f"E (xbar - x*)^2 after {rounds} rounds, H={period}, gap={gap:g}",
        build(ConstantStep(gamma), FixedMatrix(own.w, f"gap {gap:g}"), period), own, rounds,
        seed=_GOSSIP_LOCAL_RATE_SEED, replicas=_REPLICAS, d=_D,
    )  # fmt: skip


def gossip_local_rate_measure(build: Build = plain) -> StudyResult:
    """Laws, and the error of the mean model over parallel SGD's against 1/gamma."""
    gammas = np.geomspace(1e-5, 0.2, 12)
    lines = {
        f"H={period}, gap={gap:g}": (
            1 / gammas, np.array([sum(plain_errors(8, period, gap, g)) for g in gammas]),
        )
        for period, gap in _SETTINGS
    }  # fmt: skip
    verdicts = (*_transients(), *_spreads(build), _moment_in_simulation(build))
    return StudyResult(verdicts, pictured(lines))


GOSSIP_LOCAL_RATE_STUDY = Study(
    "gossip_local_rate",
    _ROW,
    _GOSSIP_LOCAL_RATE_PROBLEM,
    "transient of n H^2 / gap^2 steps, then the leading term of parallel SGD",
    "1 / gamma [steps]",
    "E (xbar - x*)^2 over that of parallel SGD",
    gossip_local_rate_measure,
)
