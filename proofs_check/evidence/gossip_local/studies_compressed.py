"""Studies: where local SGD over compressed gossip converges."""

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
from proofs_check.evidence.gossip_local.closed_forms_moments import (
    Recursion,
    boundary,
    lazy_complete,
)
from proofs_check.evidence.gossip_local.studies import (
    GAMMA,
    RINGS,
    along_slowest,
    alternating,
    longest,
    pictured,
)
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import StudyResult, noise_free_rate, study
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
_N, _D, _REPLICAS, _ROUNDS, _SEED = (
    4,
    16,
    4,
    240,
    92,
)
_CASES = ((0.5, 1 / 4, 0.4), (1.0, 1 / 2, 0.5))  # gap, delta, gamma_c of the simulations
_ROW, _PROBLEM = "gossip-local-sgd", "quadratic of mixed curvature"


def compressed(gap: float, delta: float, gamma_c: float, period: float) -> Recursion:
    """The exact recursion of one setting."""
    a = alternating(_N)
    return Recursion(lazy_complete(_N, gap), a, 0 * a, GAMMA, period, delta, gamma_c)


def longest_compressed(gap: float, delta: float, gamma_c: float, precision: float = 1e-7) -> float:
    """H* with this gamma_c, a real number."""
    growth = lambda h: compressed(gap, delta, gamma_c, h).growth()  # noqa: E731
    return boundary(growth, 1e-5, 1e3, precision)


def plain_longest(gap: float) -> float:
    """H* without compression."""
    return longest(lazy_complete(_N, gap), alternating(_N))


def best(gap: float, delta: float) -> float:
    """H* at the largest gamma_c with which it is still that of the gap gamma_c gap."""
    low, high = 0.0, 1.0
    while high - low > 1e-3:
        middle = 1.0 if low == 0.0 and high == 1.0 else (low + high) / 2
        inside = compressed(gap, delta, middle, 0.999 * plain_longest(middle * gap)).growth() < 0
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
        problem=_PROBLEM,
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
            problem=_PROBLEM,
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
    x0 = torch.from_numpy(np.random.default_rng(_SEED).normal(size=_D))
    problem = MixedCurvature(_PROBLEM, a, torch.zeros_like(a), x0)
    method = build(ConstantStep(GAMMA), gossip, period)
    early, late = _ROUNDS // 2 * period, _ROUNDS * period
    norms = {
        m.t: float(method.models(m.state).norm())
        for m in path(
            method,
            problem,
            late,
            seed=_SEED,
            replicas=_REPLICAS,
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
        problem=_PROBLEM,
        claim=f"{operator.name}: shrinks at H={periods[0]}, grows at H={periods[1]}, "
        f"H* = {edge:.4g}, gap={gap:g}, gamma_c={gamma_c:g}",
        check="boundary in simulation",
        outcome=Outcome.SUPPORTED if below < 0 < above else Outcome.REFUTED,
        statistic=above,
        bound=0.0,
        evidence=f"growth per round {below:.4g} and {above:.4g}; plain gossip at the gap "
        f"{gap * gamma_c:g}: "
        f"{compressed(gap * gamma_c, 1.0, 1.0, periods[0]).growth():.4g} "
        f"and "
        f"{compressed(gap * gamma_c, 1.0, 1.0, periods[1]).growth():.4g}",
        provenance=f"seed {_SEED}, {_REPLICAS} replicas, {_ROUNDS} rounds, d={_D}, n={_N}",
    )


@study(
    _ROW,
    _PROBLEM,
    "the longest period H* at which local SGD over compressed gossip converges",
    "spectral gap",
    "longest period H* [local steps]",
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
