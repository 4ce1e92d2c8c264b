"""Studies: gossip local compressed, gossip local compressed rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.methods.base import Method
from algorithms.methods.gossip.choco import ChocoRound
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD
from algorithms.problems.mixed_curvature import MixedCurvature
from algorithms.topologies.base import Topology
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_local.closed_forms import ChocoBuild
from proofs_check.evidence.gossip_local.closed_forms_moments import (
    Recursion,
    boundary,
    lazy_complete,
    mean_square,
)
from proofs_check.evidence.gossip_local.studies import (
    GAMMA,
    RINGS,
    along_slowest,
    alternating,
    longest,
    moment_in_simulation,
    pictured,
    plain_errors,
    workers,
)
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import Study, StudyResult, noise_free_rate
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep
from theory.theorems.choco_gossip import consensus_stepsize

# Where local SGD over compressed gossip converges: H*(gap, delta).
#
# The setting of :mod:`proofs_check.evidence.gossip_local.studies` with CHOCO's exchange:
# unscaled rand-k (delta = k/d), consensus stepsize gamma_c; exact spectral radii of the second
# moments. What is found:
#
# - H* is that of plain gossip with I + gamma_c (W - I) in the place of W, hence with the gap
#   gamma_c gap, whatever delta is: on the boundary copies have caught up with models;
# - delta only bounds gamma_c: beyond about delta / gap the exchange itself diverges. The longest
#   period over all gamma_c is plain gossip's for gaps below about delta and stays there above it;
# - the theorem's gamma_c (Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, Theorem 2) is far from
#   that: on rings it is about gap delta / 7, so that H* falls as gap^2 delta.
#
# Top-k, which no linear recursion describes, is seen to follow the same boundary.


Build = Callable[[ConstantStep, ChocoRound, int], Method[Any]]
DELTAS = (1 / 8, 1 / 4, 1 / 2)
GAPS = np.array([0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0])
_N, _D, _GOSSIP_LOCAL_COMPRESSED_REPLICAS, _ROUNDS, _GOSSIP_LOCAL_COMPRESSED_SEED = (
    4,
    16,
    4,
    240,
    92,
)
_CASES = ((0.5, 1 / 4, 0.4), (1.0, 1 / 2, 0.5))  # gap, delta, gamma_c of the simulations
_ROW, _GOSSIP_LOCAL_COMPRESSED_PROBLEM = "gossip-local-sgd", "quadratic of mixed curvature"


def gossip_local_compressed_compressed(
    gap: float, delta: float, gamma_c: float, period: float
) -> Recursion:
    """The exact recursion of one setting."""
    a = alternating(_N)
    return Recursion(lazy_complete(_N, gap), a, 0 * a, GAMMA, period, delta, gamma_c)


def longest_compressed(gap: float, delta: float, gamma_c: float, precision: float = 1e-7) -> float:
    """H* with this gamma_c, a real number."""
    growth = lambda h: gossip_local_compressed_compressed(gap, delta, gamma_c, h).growth()  # noqa: E731
    return boundary(growth, 1e-5, 1e3, precision)


def plain_longest(gap: float) -> float:
    """H* without compression."""
    return longest(lazy_complete(_N, gap), alternating(_N))


def best(gap: float, delta: float) -> float:
    """H* at the largest gamma_c with which it is still that of the gap gamma_c gap."""
    low, high = 0.0, 1.0
    while high - low > 1e-3:
        middle = 1.0 if low == 0.0 and high == 1.0 else (low + high) / 2
        inside = (
            gossip_local_compressed_compressed(
                gap, delta, middle, 0.999 * plain_longest(middle * gap)
            ).growth()
            < 0
        )
        if inside and middle == 1.0:
            return plain_longest(gap)
        low, high = (middle, high) if inside else (low, min(middle, 0.999999))
    return plain_longest(low * gap)


def prescribed(topology: Topology, delta: float) -> float:
    """The theorem's gamma_c for this graph and delta."""
    return consensus_stepsize(topology.constants().state(delta=delta))


def on_ring(n: int, delta: float) -> float:
    """H* with the theorem's gamma_c, curvatures along the slowest mode of the ring of n."""
    gamma_c, identity_n = prescribed(Ring(n), delta), np.eye(n)
    return longest(identity_n + gamma_c * (Ring(n).matrix(0) - identity_n), along_slowest(n))


def _effective_gap() -> Verdict:
    """H*(gap, delta, gamma_c) against plain gossip's at gamma_c gap."""
    cases = [(gap, delta, delta / 2) for gap in (0.1, 0.4, 1.0) for delta in DELTAS]
    return identity(
        _ROW,
        "H* with compression is plain gossip's at the gap gamma_c gap, for every delta",
        [longest_compressed(*case) for case in cases],
        [plain_longest(gap * gamma_c) for gap, _, gamma_c in cases],
        check="law of the boundary",
        problem=_GOSSIP_LOCAL_COMPRESSED_PROBLEM,
        tolerance=1e-6,
        provenance=f"exact second moments, no seed, {len(cases)} settings, gamma {GAMMA}, n={_N}",
    )


def _orders() -> tuple[Verdict, ...]:
    """Exponents of gap and delta with the theorem's gamma_c on rings."""
    rings, deltas = (16, 32, 64), np.array([1 / 32, 1 / 16, 1 / 8])
    gaps = np.array([1 - Ring(n).constants().need("lam") for n in rings])
    over_gap = np.array([on_ring(n, 0.25) for n in rings])
    over_delta = np.array([on_ring(16, k) for k in deltas])
    return tuple(
        noise_free_rate(
            x,
            y,
            order,
            0.1,
            tight=True,
            subject=_ROW,
            problem=_GOSSIP_LOCAL_COMPRESSED_PROBLEM,
            variable=variable,
            claim=f"rings, prescribed gamma_c: H* falls as {variable}^{order:g}",
            provenance=f"exact spectral radii, no seed, gamma {GAMMA}; gamma_c is itself "
            "a power of gap and delta up to 10 percent in this range",
        )
        for x, y, order, variable in (
            (gaps, over_gap, 2.0, "gap"),
            (deltas, over_delta, 1.0, "delta"),
        )
    )


def simulated(build: Build, gossip: ChocoRound, period: int) -> float:
    """log growth per round of the norm of all models, second half of the run."""
    a = torch.from_numpy(alternating(_N))[:, None].expand(_N, _D).contiguous()
    x0 = torch.from_numpy(np.random.default_rng(_GOSSIP_LOCAL_COMPRESSED_SEED).normal(size=_D))
    problem = MixedCurvature(_GOSSIP_LOCAL_COMPRESSED_PROBLEM, a, torch.zeros_like(a), x0)
    method = build(ConstantStep(GAMMA), gossip, period)
    early, late = _ROUNDS // 2 * period, _ROUNDS * period
    norms = {
        m.t: float(method.models(m.state).norm())
        for m in path(
            method,
            problem,
            late,
            seed=_GOSSIP_LOCAL_COMPRESSED_SEED,
            replicas=_GOSSIP_LOCAL_COMPRESSED_REPLICAS,
        )
        if m.t in (early, late)
    }
    return math.log(norms[late] / norms[early]) / (_ROUNDS - _ROUNDS // 2)


def _bracket(build: Build, operator: Compressor, gap: float, gamma_c: float) -> Verdict:
    """Shrinks a fifth below the boundary, grows a fifth above it."""
    edge = plain_longest(gap * gamma_c)
    periods = (math.floor(0.85 * edge), math.ceil(1.15 * edge))
    gossip = ChocoRound(FixedMatrix(lazy_complete(_N, gap), f"gap {gap:g}"), operator, gamma_c)
    below, above = (simulated(build, gossip, h) for h in periods)
    return Verdict(
        subject=_ROW,
        problem=_GOSSIP_LOCAL_COMPRESSED_PROBLEM,
        claim=f"{operator.name}: shrinks at H={periods[0]}, grows at H={periods[1]}, "
        f"H* = {edge:.4g}, gap={gap:g}, gamma_c={gamma_c:g}",
        check="boundary in simulation",
        outcome=Outcome.SUPPORTED if below < 0 < above else Outcome.REFUTED,
        statistic=above,
        bound=0.0,
        evidence=f"growth per round {below:.4g} and {above:.4g}; plain gossip at the gap "
        f"{gap * gamma_c:g}: "
        f"{gossip_local_compressed_compressed(gap * gamma_c, 1.0, 1.0, periods[0]).growth():.4g} "
        f"and "
        f"{gossip_local_compressed_compressed(gap * gamma_c, 1.0, 1.0, periods[1]).growth():.4g}",
        provenance=f"seed {_GOSSIP_LOCAL_COMPRESSED_SEED}, "
        f"{_GOSSIP_LOCAL_COMPRESSED_REPLICAS} replicas, {_ROUNDS} rounds, d={_D}, "
        f"n={_N}",
    )


def gossip_local_compressed_measure(build: Build = GossipLocalSGD) -> StudyResult:
    """Boundaries over gap and delta, exact and in simulation."""
    brackets = tuple(
        _bracket(build, operator, gap, gamma_c)
        for gap, delta, gamma_c in _CASES
        for operator in (RandK(int(delta * _D), scaled=False), TopK(int(delta * _D)))
    )
    lines: dict[str, tuple[Floats, Floats]] = {
        "no compression": (GAPS, np.array([plain_longest(g) for g in GAPS]))
    }
    for delta in DELTAS:
        label = f"delta = 1/{1 / delta:g}"
        lines[f"{label}, best gamma_c"] = (GAPS, np.array([best(g, delta) for g in GAPS]))
    small = np.array([1 - Ring(n).constants().need("lam") for n in RINGS])
    told = np.array([on_ring(n, 1 / 4) for n in RINGS])
    lines["rings of 8 to 64, delta = 1/4, prescribed gamma_c"] = (small, told)
    return StudyResult((_effective_gap(), *_orders(), *brackets), pictured(lines))


GOSSIP_LOCAL_COMPRESSED_STUDY = Study(
    "gossip_local_compressed",
    _ROW,
    _GOSSIP_LOCAL_COMPRESSED_PROBLEM,
    "the longest period H* at which local SGD over compressed gossip converges",
    "spectral gap",
    "longest period H* [local steps]",
    gossip_local_compressed_measure,
)


# At what rate local SGD over compressed gossip converges: delta, gap and H.
#
# The setting of :mod:`proofs_check.evidence.gossip_local.studies` over CHOCO's exchange
# with unscaled rand-k, gamma_c = delta/2; exact second moments in the long run. What is found:
#
# - the mean model's error is that of plain gossip with I + gamma_c (W - I): delta is felt only
#   through the gamma_c that it allows, the gap being gamma_c gap;
# - the leading term is that of parallel SGD, and the transient 1/gamma* grows as
#   n H^2 / (gamma_c gap)^2, hence as n H^2 / (delta gap)^2 where gamma_c is proportional to delta.


_GOSSIP_LOCAL_COMPRESSED_RATE_PROBLEM = "quadratic"
_DELTAS, _GAPS, _PERIODS = (1 / 8, 1 / 4, 1 / 2), (0.05, 0.1, 0.2), (1, 2, 4, 8)

_GOSSIP_LOCAL_COMPRESSED_RATE_SEED, _GOSSIP_LOCAL_COMPRESSED_RATE_REPLICAS = 94, 96


def gossip_local_compressed_rate_compressed(
    period: int, gap: float, delta: float, gamma: float
) -> Recursion:
    """CHOCO's exchange with gamma_c = delta/2."""
    a, c = workers(_N)
    w = lazy_complete(_N, gap)
    return Recursion(w, a, c, gamma, period, delta, delta / 2, variance=1.0)


def error(period: int, gap: float, delta: float, gamma: float) -> float:
    """E (xbar - x*)^2 in the long run over that of parallel SGD."""
    parallel = gamma / (_N * (2 - gamma))
    return (
        mean_square(
            gossip_local_compressed_rate_compressed(period, gap, delta, gamma).rest(), _N, 0.0
        )
        / parallel
    )


def plain_error(period: int, gap: float, gamma: float) -> float:
    """The same for plain gossip."""
    return sum(plain_errors(_N, period, gap, gamma))


def transient(period: int, gap: float, delta: float) -> float:
    """1 / the gamma at which the error is twice that of parallel SGD."""
    return 1 / boundary(lambda gamma: error(period, gap, delta, gamma) - 2, 1e-8, 0.1, 1e-3)


def _same_as_plain() -> Verdict:
    """Errors with compression over those of plain gossip with the gap gamma_c gap."""
    settings = [
        (h, g, delta, gamma) for h in (1, 4) for g in (0.2, 1.0) for delta in _DELTAS
        for gamma in (1e-4, 1e-2)
    ]  # fmt: skip
    ratios = [
        error(h, g, delta, gamma) / plain_error(h, delta / 2 * g, gamma)
        for h, g, delta, gamma in settings
    ]
    return identity(
        _ROW,
        "the mean model's error is that of plain gossip with the gap gamma_c gap, to 0.5 percent",
        ratios,
        1.0,
        check="exact second moments",
        problem=_GOSSIP_LOCAL_COMPRESSED_RATE_PROBLEM,
        tolerance=5e-3,
        provenance=f"no seed; {len(settings)} settings, gamma up to 0.01, n={_N}",
    )


def _transients() -> tuple[Verdict, ...]:
    """Exponents of H, 1/gap and 1/delta in the transient."""
    sweeps = (
        ("H", np.array(_PERIODS, dtype=float), [transient(h, 0.1, 0.25) for h in _PERIODS]),
        ("1/gap", 1 / np.array(_GAPS)[::-1], [transient(4, g, 0.25) for g in _GAPS[::-1]]),
        ("1/delta", 1 / np.array(_DELTAS)[::-1], [transient(4, 0.1, k) for k in _DELTAS[::-1]]),
    )
    return tuple(
        noise_free_rate(
            x,
            np.array(y),
            2.0,
            0.1,
            tight=True,
            subject=_ROW,
            problem=_GOSSIP_LOCAL_COMPRESSED_RATE_PROBLEM,
            variable=name,
            claim=f"rand-k, gamma_c = delta/2: the transient 1/gamma* grows as {name}^2",
            provenance="exact second moments, no seed; gap 0.1, delta 1/4, H = 4 but for the "
            f"variable; n={_N}",
        )
        for name, x, y in sweeps
    )


def _in_simulation(build: ChocoBuild) -> Verdict:
    """E (xbar - x*)^2 after 60 rounds of H = 4, delta = 1/4, against the recursion."""
    period, gap, delta, gamma, rounds = 4, 0.5, 0.25, 0.02, 60
    own = gossip_local_compressed_rate_compressed(period, gap, delta, gamma)
    gossip = ChocoRound(
        FixedMatrix(own.w, f"gap {gap:g}"), RandK(int(delta * _D), scaled=False), delta / 2
    )
    return moment_in_simulation(
        _ROW,
        f"rand-k: E (xbar - x*)^2 after {rounds} rounds, H={period}, delta={delta:g}",
        build(ConstantStep(gamma), gossip, period),
        own,
        rounds,
        seed=_GOSSIP_LOCAL_COMPRESSED_RATE_SEED,
        replicas=_GOSSIP_LOCAL_COMPRESSED_RATE_REPLICAS,
        d=_D,
    )


def gossip_local_compressed_rate_measure(build: ChocoBuild = GossipLocalSGD) -> StudyResult:
    """Laws, and errors over parallel SGD's against 1/gamma."""
    gammas = np.geomspace(1e-5, 0.1, 9)
    lines = {
        f"delta = 1/{1 / delta:g}, H={h}": (
            1 / gammas, np.array([error(h, 0.2, delta, g) for g in gammas]),
        )
        for delta in (1 / 8, 1 / 2) for h in (1, 8)
    }  # fmt: skip
    for h in (1, 8):
        ideal = np.array([plain_error(h, 0.2, g) for g in gammas])
        lines[f"no compression, H={h}"] = (1 / gammas, ideal)
        scaled = np.array([plain_error(h, 0.2 / 16, g) for g in gammas])
        lines[f"no compression, gap/16, H={h}"] = (1 / gammas, scaled)
    return StudyResult((_same_as_plain(), *_transients(), _in_simulation(build)), pictured(lines))


GOSSIP_LOCAL_COMPRESSED_RATE_STUDY = Study(
    "gossip_local_compressed_rate",
    _ROW,
    _GOSSIP_LOCAL_COMPRESSED_RATE_PROBLEM,
    "transient of n H^2 / (gamma_c gap)^2 steps over compressed gossip, then parallel SGD's error",
    "1 / gamma [steps]",
    "E (xbar - x*)^2 over that of parallel SGD",
    gossip_local_compressed_rate_measure,
)
