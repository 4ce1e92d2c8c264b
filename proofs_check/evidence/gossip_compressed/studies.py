"""Studies: d2 bias, d2 limit, quantimed rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, final

import numpy as np
import torch

from algorithms.compressors.fixed_point import FixedPoint
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.d2 import D2, D2State
from algorithms.methods.gossip_compressed.quantimed import QuanTimed
from algorithms.problems import entries
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import ShiftedExponential
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.curves import PanelLine, RateSeries
from proofs_check.evidence.gossip.studies import slowest_mode
from proofs_check.evidence.gossip_compressed.closed_forms_difference import apart
from proofs_check.instruments.evidence import ALPHA, identity
from proofs_check.instruments.paths import path
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.networks.compressed_gossip import D2_LIMIT, d2_limit
from theory.networks.mixing import spectrum
from theory.stepsizes import ConstantStep, Stepsize

# Heterogeneity: D-PSGD is off by gamma a zeta/(1 - lambda + gamma a), D-squared by nothing.
#
# f_i(x) = a ||x - b_i||^2 / 2 with b along the slowest mode of the lazy ring of 8, torus of 16 and
# complete graph of 8, no noise; zeta^2 = mean_i ||grad f_i - grad f||^2 from 1e-2 to 1e2. (The bias
# is derived in closed_forms/gossip_compressed/d2.py; Tang, Lian, Yan, Zhang, Liu 2018,
# arXiv:1803.07068: no zeta in the rate.)


D2BiasBuild = Callable[[Stepsize, Topology], Method[Any]]

_GAMMA, _STEPS = 0.2, 250
_ZETAS = (1e-2, 1e-1, 1.0, 1e1, 1e2)
_ABSENT = 1e-10  # of zeta
_GRAPHS: tuple[Topology, ...] = (Lazy(Ring(8)), Lazy(Torus(4, 4)), Lazy(Complete(8)))


def bias(build: D2BiasBuild, topology: Topology, zeta: float) -> float:
    """Root mean square distance of the workers from the minimiser in the end."""
    b = torch.from_numpy(zeta * slowest_mode(topology.matrix(0)))[:, None]
    problem = Quadratic.from_arrays(torch.ones_like(b), b)
    trace = run(build(ConstantStep(_GAMMA), topology), problem, steps=_STEPS, points=2)
    assert problem.x_star is not None
    return float((trace.rows[0] - problem.x_star).square().mean().sqrt())


@study(
    "d2",
    "quadratic",
    "heterogeneity bias of D-PSGD, absent in D-squared",
    "zeta [f/x]",
    "rms distance from the minimiser [x]",
)
def d2_bias_measure(build: D2BiasBuild = D2, beside: D2BiasBuild = DPSGD) -> StudyResult:
    """Three graphs, five zeta, both methods."""
    verdicts: list[Verdict] = []
    picture: list[PanelLine] = []
    zetas = np.array(_ZETAS)
    description = f"no noise, no seed: nothing is drawn; {_STEPS} steps, gamma a = {_GAMMA}"
    for topology in _GRAPHS:
        lam = spectrum(topology.matrix(0)).lam_2
        off = np.array([bias(beside, topology, float(z)) for z in zetas])
        gone = np.array([bias(build, topology, float(z)) for z in zetas])
        stated = _GAMMA / (1 - lam + _GAMMA) * zetas
        verdicts += (
            identity(
                "d-psgd", f"bias/zeta = gamma a/(1 - lambda + gamma a) on {topology.name}",
                off / zetas, stated / zetas, check="heterogeneity bias", problem="quadratic",
                tolerance=1e-10, provenance=description,
            ),
            identity(
                "d2", f"no bias whatever zeta on {topology.name}",
                gone / zetas, 0.0, check="heterogeneity bias", problem="quadratic",
                tolerance=_ABSENT, provenance=description,
            ),
        )  # fmt: skip
        for label, y in (("D-PSGD", off), ("D-squared", gone)):
            picture.append(PanelLine(f"{label}, {topology.name}", zetas, np.maximum(y, 1e-18)))
    return StudyResult(tuple(verdicts), picture)


# D-squared's limit lambda_n > -1/3, found by simulation.
#
# Rings of 8 whose workers keep the share s of their own row have lambda_n = 2 s - 1. At each
# stepsize the lambda_n at which disagreement stops to fall and begins to grow is bisected by
# running the method; the characteristic equation puts it at -1/(3 - 2 gamma a), which tends to
# -1/3. (Tang, Lian, Yan, Zhang, Liu 2018, arXiv:1803.07068, ask for lambda_n > -1/3; necessity
# derived.)


D2LimitBuild = Callable[..., Method[Any]]

_N, _D2_LIMIT_SEED = 8, 91
_CURVATURES = (1e-9, 0.15, 0.3, 0.5)
_EARLY, _LATE = 80, 120  # steps between which growth is judged
_BISECTIONS = 15
_RESOLUTION = 0.25 * 2.0**-_BISECTIONS


def keeping(least: float) -> FixedMatrix:
    """The ring of 8 with lambda_n = ``least``: own weight (1 + least)/2."""
    own = (1 + least) / 2
    beside = np.roll(np.eye(_N), 1, axis=0) + np.roll(np.eye(_N), -1, axis=0)
    return FixedMatrix(own * np.eye(_N) + (1 - own) / 2 * beside, f"ring, own weight {own:.8f}")


def grows(build: D2LimitBuild, least: float, curvature: float) -> bool:
    """Whether disagreement grows between two late steps, from a random start."""
    ones = torch.ones((_N, 1), dtype=torch.float64)
    problem = Quadratic.from_arrays(ones, torch.zeros_like(ones))
    start = torch.from_numpy(np.random.default_rng(_D2_LIMIT_SEED).normal(size=(1, _N, 1)))
    method = build(ConstantStep(curvature), keeping(least), allow_unstable=True)
    moments = path(method, problem, _LATE, state=D2State(start, (1 - curvature) * start))
    seen = {m.t: float(apart(m.state.x)) for m in moments if m.t in (_EARLY, _LATE)}
    return seen[_LATE] > seen[_EARLY]


def limit(build: D2LimitBuild, curvature: float) -> float:
    """lambda_n where growth begins, between -0.65 and -0.2; the end where it never changes."""
    low, high = -0.65, -0.2
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if grows(build, middle, curvature) else (low, middle)
    return (low + high) / 2


@study(
    "d2",
    "quadratic",
    "lambda_n > -1/3",
    "gamma a",
    "lambda_n at which disagreement begins to grow",
    scales=("linear", "linear"),
)
def d2_limit_measure(build: D2LimitBuild = D2) -> StudyResult:
    """The limit at four stepsizes against -1/(3 - 2 gamma a), and at gamma -> 0 against -1/3."""
    x: Floats = np.array(_CURVATURES)
    y: Floats = np.array([limit(build, float(c)) for c in x])
    expected: Floats = np.array([d2_limit(float(c)) for c in x])
    description = (
        f"rings of {_N} with lambda_n = 2 s - 1, {_BISECTIONS} bisections, growth between steps "
        f"{_EARLY} and {_LATE}, seed {_D2_LIMIT_SEED} for the start"
    )
    verdicts = (
        identity(
            "d2", "the limit of lambda_n as gamma -> 0, found by running the method, is -1/3",
            y[0], D2_LIMIT, check="limit by bisection", problem="quadratic",
            tolerance=2 * _RESOLUTION, provenance=description,
        ),
        identity(
            "d2", "at stepsize gamma the limit of lambda_n is -1/(3 - 2 gamma a)",
            y, expected, check="limit by bisection", problem="quadratic",
            tolerance=2 * _RESOLUTION, provenance=description,
        ),
    )  # fmt: skip
    line = RateSeries(x, y, y - _RESOLUTION, y + _RESOLUTION, expected, expected)
    return StudyResult(verdicts, (line,))


# QuanTimed-DSGD's stated rates, measured and compared.
#
# Strongly convex: with alpha ~ T^(-delta/2) and epsilon ~ T^(-3 delta/2) every worker ends
# O(T^-delta) away, here for delta = 1/4 and 0.4. Non-convex: with alpha ~ T^(-1/6) and epsilon ~
# T^(-1/2) gradients and disagreement fall as T^(-1/3) in the mean. (Reisizadeh, Taheri, Mokhtari,
# Hassani, Pedarsani 2019, arXiv:1907.10595, Theorems 1 and 2, quoted from memory: the exponents are
# compared, not asserted. That they are slower than the T^-1 and T^-1/2 of exact gossip is the price
# of a quantiser whose error does not shrink.)


QuantimedRatesBuild = Callable[..., Method[Any]]

_QUANTIMED_RATES_SEED = 131
_GRID = FixedPoint(4, 16)
_TIMES, _DEADLINE, _MOST = ShiftedExponential(0.5, 0.5), 2.0, 3


@final
class Powers(NamedTuple):
    """alpha = size T^-alpha, epsilon = share T^-epsilon, over ``horizons``."""

    alpha: float
    epsilon: float
    size: float
    share: float
    horizons: tuple[int, ...]

    def method(self, build: QuantimedRatesBuild, n: int, horizon: int) -> Method[Any]:
        """QuanTimed-DSGD with the stepsizes of this horizon."""
        alpha = ConstantStep(self.size * horizon**-self.alpha)
        epsilon = ConstantStep(min(1.0, self.share * horizon**-self.epsilon))
        return build(alpha, epsilon, Complete(n), _GRID, _TIMES, _DEADLINE, _MOST)


CONVEX = {
    delta: Powers(delta / 2, 1.5 * delta, 0.25, 4.0, (50, 100, 200, 400, 800))
    for delta in (0.25, 0.4)
}
NONCONVEX = Powers(1 / 6, 1 / 2, 2.0, 4.0, (100, 200, 400, 800))


def distances(
    build: QuantimedRatesBuild, problem: Problem, powers: Powers, replicas: int
) -> Floats:
    """Mean over workers of ||x_i - x*||^2 after T steps, ``[R, K]``."""
    centre, ends = problem.x_star, []
    assert centre is not None
    for horizon in powers.horizons:
        method = powers.method(build, problem.n, horizon)
        *_, last = path(method, problem, horizon, seed=_QUANTIMED_RATES_SEED, replicas=replicas)
        ends.append((method.models(last.state) - centre).square().sum(-1).mean(-1).numpy())
    return np.stack(ends, axis=1)


def averages(
    build: QuantimedRatesBuild, problem: Problem, powers: Powers, replicas: int
) -> tuple[Floats, Floats]:
    """Averages over t of ||grad f(x_t)||^2 and of the disagreement, ``[R, K]`` each."""
    gradients, apart = [], []
    for horizon in powers.horizons:
        trace = run(
            powers.method(build, problem.n, horizon),
            problem,
            steps=horizon,
            seed=_QUANTIMED_RATES_SEED,
            replicas=replicas,
            points=20,
            every=10,
        )
        gradients.append(trace.average_squared_gradient[:, -1])
        apart.append(trace.consensus[:, 1:].mean(1))
    return np.stack(gradients, axis=1), np.stack(apart, axis=1)


def compared(
    horizons: tuple[int, ...], y: Floats, order: float, claim: str, problem: Problem
) -> Verdict:
    """The exponent of T beside the stated one."""
    fit = fit_power(np.array(horizons, dtype=np.float64), y, ALPHA, floor=0.0)
    verdict = rate_verdict(
        fit,
        order,
        False,
        subject="quantimed-dsgd",
        problem=problem.name,
        claim=claim,
        provenance=f"Reisizadeh et al. 2019, arXiv:1907.10595, from memory; seed "
        f"{_QUANTIMED_RATES_SEED}, "
        f"{y.shape[0]} replicas, complete graph of {problem.n}, {_GRID.name}",
    )
    return replace(verdict, outcome=Outcome.COMPARED)


@study(
    "quantimed-dsgd",
    "quadratic-sc",
    "T^-delta strongly convex, T^-1/3 non-convex",
    "T",
    "distance [x^2], squared gradient [(f/x)^2], disagreement [x^2]",
)
def quantimed_rates_measure(build: QuantimedRatesBuild = QuanTimed) -> StudyResult:
    """Two delta on a quadratic, and the non-convex logistic regression."""
    verdicts: list[Verdict] = []
    picture: list[PanelLine] = []
    quadratic = Quadratic.strongly_convex(
        _N, 8, mu=0.5, sigma2=1.0, zeta2=1.0, seed=_QUANTIMED_RATES_SEED
    )
    for delta, powers in CONVEX.items():
        y = distances(build, quadratic, powers, 12)
        claim = f"E||x_i - x*||^2 falls as T^-delta, delta={delta:g}"
        verdicts.append(compared(powers.horizons, y, -delta, claim, quadratic))
        picture += lines(f"distance, delta={delta:g}", powers.horizons, y, -delta)
    shards = entries.problem("nonconvex-breast-cancer", _N)
    gradients, apart = averages(build, shards, NONCONVEX, 8)
    for name, y in (("squared gradient", gradients), ("disagreement", apart)):
        claim = f"{name} falls as T^-1/3 in the mean over steps, non-convex"
        verdicts.append(compared(NONCONVEX.horizons, y, -1 / 3, claim, shards))
        picture += lines(name, NONCONVEX.horizons, y, -1 / 3)
    return StudyResult(tuple(verdicts), picture)


def lines(label: str, horizons: tuple[int, ...], y: Floats, order: float) -> list[PanelLine]:
    """Measured means and the stated power through the first of them."""
    x, mean = np.array(horizons, dtype=np.float64), y.mean(0)
    return [
        PanelLine(label, x, mean),
        PanelLine(f"{label}, stated", x, mean[0] * (x / x[0]) ** order, theory=True),
    ]
