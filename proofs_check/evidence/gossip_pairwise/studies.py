"""Studies: pairwise rates, randomised gossip contraction."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import Exchange, RandomLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD
from algorithms.methods.gossip_pairwise.saps_psgd import SAPSPSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Exponential
from algorithms.topologies.bandwidth_matching import BandwidthMatching, drawn_bandwidth
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.complete import Complete
from algorithms.topologies.random_mixing import RandomEdge, RandomMixing
from algorithms.topologies.ring import Ring
from proofs_check.curves import PanelLine
from proofs_check.evidence.gossip_pairwise.closed_forms_averaging import standing
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import path
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.scaling import (
    ScalingLaw,
    ScalingRuns,
    average_gradient,
    scaling,
)
from proofs_check.instruments.study import Study, StudyResult, noise_free_rate, study
from proofs_check.instruments.under_bound import curve_under_bound
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.randomised_gossip import averaging_times

# Orders in T of AD-PSGD and SAPS-PSGD, compared with those their papers state.
#
# Both state O(1/sqrt T) for the mean squared gradient of smooth functions, with constants that are
# not known for certain, so nothing is asserted. gamma is c/sqrt T; a step is one worker's gradient
# for AD-PSGD and one of everybody's for SAPS-PSGD. Noise and different objectives; strongly convex,
# where the noise floor alone, gamma L sigma^2, is of that order.


_N, _PAIRWISE_RATES_REPLICAS, _PAIRWISE_RATES_SEED = 8, 32, 53


def _rated(
    name: str, row: str, make: Callable[[Stepsize, int], Method[Any]], scale: float,
    horizons: tuple[int, ...],
) -> Study:  # fmt: skip
    """Mean squared gradient over the run against T, gamma = ``scale`` / sqrt T."""
    return scaling(
        name, "order 1/sqrt T", "steps T", "(1/T) sum E||grad f(x_t)||^2",
        ScalingLaw(
            row, "quadratic-sc", "T", -0.5, compared=True,
            claim="the mean squared gradient falls as fast as 1/sqrt T with gamma = c/sqrt T",
            source="an order only, without constants",
        ),
        ScalingRuns(
            horizons,
            lambda _: Quadratic.strongly_convex(_N, 10, L=1.0, mu=0.1, zeta2=0.5, R2=4.0),
            lambda build, _, steps: build(ConstantStep(scale / steps**0.5), steps),
            steps=None, seeds=(_PAIRWISE_RATES_SEED,) * len(horizons),
            replicas=_PAIRWISE_RATES_REPLICAS, metric=average_gradient, points=2, every=4,
            note=f"n={_N}, c={scale:g}",
        ),
        make, lambda x, y: y.mean(axis=0)[0] * (x / x[0]) ** -0.5,
    )  # fmt: skip


def _asynchronous(rule: Stepsize, steps: int) -> Method[Any]:
    """AD-PSGD on a ring, exponential times."""
    return ADPSGD(rule, steps, Exponential(), Ring(_N), replicas=_PAIRWISE_RATES_REPLICAS)


def _masked(rule: Stepsize, _: int) -> Method[Any]:
    """SAPS-PSGD, a quarter of the coordinates a step."""
    return SAPSPSGD(rule, BandwidthMatching(drawn_bandwidth(_N, _PAIRWISE_RATES_SEED)), 4.0)


ad_psgd_rate = _rated("ad_psgd_rate", "ad-psgd", _asynchronous, 8.0, (256, 512, 1024))
saps_psgd_rate = _rated("saps_psgd_rate", "saps-psgd", _masked, 2.0, (128, 256, 512))


# Randomised gossip on rings needs of the order of n^3 ticks, on the complete graph n.
#
# From the slowest mode of E W, E||z_t||^2 <= lambda_2(E W)^t ||z_0||^2, so the time to lose a
# factor e is at most 1/ln(1/lambda_2): about n^3/(2 pi^2) on the ring and n on the complete graph
# (Boyd, Ghosh, Prabhakar, Shah 2006, Theorem 3 and Section IV). Ticks for a factor e, measured on
# groups of replicas. A ring is up to twice as fast as its bound, being slowed by what other modes
# put back; the rate that is left in the end, an eigenvalue of M -> E W M W, has the power n^3 too.
# Rings of these sizes are no pure power law, so that their fitted exponent is only set beside 3.
# And the eps-averaging time, which Theorem 3 puts between two numbers a factor 6 apart.


RandomisedGossipContractionBuild = Callable[[Exchange], Method[Any]]

_RINGS, _COMPLETE = (12, 16, 24, 32), (16, 32, 64, 128)
_REPLICAS, _GROUPS, _SEED, _EPS = (
    512,
    16,
    97,
    0.2,
)
_ROW, _PROBLEM = "randomised-gossip", "consensus"


def slowest(meetings: RandomMixing) -> Floats:
    """Unit eigenvector ``[n, 1]`` of the second eigenvalue of E W, a multiple one on rings and
    complete graphs: the one nearest to a cosine, whatever basis the eigenspace is given in."""
    values, vectors = np.linalg.eigh(meetings.expected() - 1.0 / meetings.n)
    space = vectors[:, values > values[-1] - 1e-9]
    cosine = np.cos(2 * np.pi * np.arange(meetings.n) / meetings.n)
    nearest = space @ (space.T @ cosine[:, None])
    return np.ascontiguousarray(nearest / np.linalg.norm(nearest))


def decay(
    build: RandomisedGossipContractionBuild, meetings: RandomMixing, ticks: int, points: int = 9
) -> tuple[Floats, Floats]:
    """Ticks ``[K]`` and ||z||^2 ``[R, K]`` from the slowest mode, where it is 1."""
    due = np.unique(np.linspace(0, ticks, points).round().astype(int))
    seen = []
    moments = path(
        build(RandomLinks(meetings)),
        standing(slowest(meetings)),
        ticks,
        seed=_SEED,
        replicas=_REPLICAS,
    )
    for moment in moments:
        if moment.t in due:
            x = moment.state.x
            seen.append((x - x.mean(-2, keepdim=True)).square().sum((-2, -1)).numpy())
    return due.astype(np.float64), np.stack(seen, axis=1)


@study(
    _ROW,
    _PROBLEM,
    "n^3 ticks on rings, n on complete graphs",
    "workers n",
    "ticks for a factor e of E sum ||x_i - xbar||^2",
)
def randomised_gossip_contraction_measure(
    build: RandomisedGossipContractionBuild = GossipAveraging,
    rings: tuple[int, ...] = _RINGS,
    complete: tuple[int, ...] = _COMPLETE,
) -> StudyResult:
    """Ticks for a factor e against n on rings and complete graphs; the averaging time."""
    verdicts: list[Verdict] = []
    drawn: list[PanelLine] = []
    for label, family, sizes, order, lasting in (
        ("ring", Ring, rings, 3.0, 0.5), ("complete graph", Complete, complete, 1.0, 1.0)
    ):  # fmt: skip
        ticks = np.stack([_ticks(build, family(n), lasting, verdicts) for n in sizes], axis=1)
        x = np.array(sizes, dtype=np.float64)
        exact = np.array([-1 / math.log(RandomEdge(family(n)).contraction()) for n in sizes])
        verdicts.append(
            rate_verdict(
                fit_power(x, ticks, ALPHA, groups=_GROUPS), order, False, variable="n",
                subject=_ROW, problem=_PROBLEM,
                claim=f"{label}: ticks for a factor e grow no faster than n^{order:g}",
                provenance=f"{_described()}, n in {sizes}",
            )
        )  # fmt: skip
        drawn += [PanelLine(label, x, ticks.mean(axis=0))]
        drawn += [PanelLine(f"{label}, 1/ln(1/lambda_2)", x, exact, theory=True)]
    verdicts += [*_exact_powers(), *_averaging_time(build)]
    return StudyResult(tuple(verdicts), drawn)


def _ticks(
    build: RandomisedGossipContractionBuild,
    topology: StaticTopology,
    lasting: float,
    verdicts: list[Verdict],
) -> Floats:
    """Ticks for a factor e of each group of replicas ``[G]``, over ``lasting``/ln(1/lambda_2); the
    curve goes under its bound."""
    meetings = RandomEdge(topology)
    lam = meetings.contraction()
    times, z = decay(build, meetings, math.ceil(-lasting / math.log(lam)))
    verdicts.append(
        curve_under_bound(
            z[:, 1:],
            lam ** times[1:],
            ALPHA,
            subject=_ROW,
            problem=_PROBLEM,
            claim=f"{meetings.name}: E sum ||x_i - xbar||^2 under lambda_2(E W)^t",
            provenance=_described(),
        )
    )
    last = z[:, -1].reshape(_GROUPS, -1).mean(axis=1)
    lost: Floats = -times[-1] / np.log(last)
    return lost


def _exact_powers() -> tuple[Verdict, Verdict]:
    """1/ln(1/lambda_2) of rings and the time of the slowest second moment, without randomness."""
    found = []
    for what, sizes, time, tolerance in (
        ("1/ln(1/lambda_2(E W))", (64, 128, 256, 512), _bound_time, 0.002),
        ("the time in which the slowest second moment falls by e", (16, 32, 64), moment_time, 0.05),
    ):
        x = np.array(sizes, dtype=np.float64)
        found.append(
            noise_free_rate(
                x,
                np.array([time(n) for n in sizes]),
                3.0,
                tolerance,
                tight=True,
                subject=_ROW,
                problem=_PROBLEM,
                variable="n",
                claim=f"ring: {what} grows as n^3",
                provenance=f"eigenvalues, no seed, n in {sizes}; lower powers of n are in the "
                "tolerance",
            )
        )
    return found[0], found[1]


def _bound_time(n: int) -> float:
    return -1 / math.log(RandomEdge(Ring(n)).contraction())


def moment_time(n: int) -> float:
    r"""-1/ln of the second eigenvalue of M -> E W M W on a ring.

    The law of calls is the same after a shift, so M may be averaged over shifts: a circulant, n
    numbers c_k, and a single edge stands for all. The first eigenvalue, 1, is the sum's.
    """
    where = (np.arange(n)[:, None] - np.arange(n)[None, :]) % n
    image = np.empty((n, n))
    for k in range(n):
        moment = (where == k).astype(np.float64)
        moment[:2] = moment[:2].mean(axis=0)
        moment[:, :2] = moment[:, :2].mean(axis=1, keepdims=True)
        image[:, k] = np.bincount(where.ravel(), moment.ravel(), minlength=n) / n
    second = np.sort(np.linalg.eigvals(image).real)[-2]
    return -1 / math.log(second)


def _averaging_time(build: RandomisedGossipContractionBuild) -> tuple[Verdict, Verdict]:
    """From the slowest mode: P(||x - xbar|| >= eps ||x_0||) above eps at the lower end of
    Theorem 3, not above it at the upper end."""
    meetings = RandomEdge(Ring(12))
    low, high = averaging_times(meetings.contraction(), _EPS)
    found = []
    for name, ticks, above in (("lower", math.floor(low), True), ("upper", math.ceil(high), False)):
        z = decay(build, meetings, ticks, 2)[1][:, -1]
        count = int((z >= _EPS**2).sum())
        test = "less" if above else "greater"  # the claim's opposite must not be sure
        p = scipy.stats.binomtest(count, len(z), _EPS, alternative=test).pvalue
        found.append(
            Verdict(
                subject=_ROW,
                problem=_PROBLEM,
                check="averaging time",
                claim=f"after {ticks} ticks, the {name} end of Theorem 3, the distance is still "
                f"eps ||x_0|| with probability {'above' if above else 'at most'} eps={_EPS:g}",
                outcome=Outcome.REFUTED if p <= ALPHA else Outcome.SUPPORTED,
                statistic=count / len(z),
                bound=_EPS,
                evidence=f"{count} of {len(z)} replicas; p = {p:.3g} for the contrary",
                provenance=f"ring of 12, {_described()}",
            )
        )
    return found[0], found[1]


def _described() -> str:
    return f"{_REPLICAS} replicas, seed {_SEED}, error {ALPHA:g}"
