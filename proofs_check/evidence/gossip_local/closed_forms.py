"""Closed forms: gossip local, gossip local choco."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.top_k import TopK
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.cooperative.cooperative import Cooperative, Gossip
from algorithms.methods.exchanges.gossip_rounds import PlainRound
from algorithms.methods.gossip.choco import ChocoRound, ChocoSGD
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_local.closed_forms_moments import Recursion, consensus
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, mean_square_is, same
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

# Local SGD over gossip: H = 1, the complete graph, no network, and its exact moments.
#
# Fixed point without noise: X = W (K X + P), K = diag((1 - gamma a_i)^H), P_i what H steps add; for
# one curvature a and mode k of W, with q = 1 - (1 - gamma a)^H, b is scaled by lambda_k q / (1 -
# lambda_k (1 - q)): the drift that gossip leaves. Under noise, mode k has variance v_k = lambda_k^2
# ((1 - q)^2 v_k + s) after each round, s what H steps add.


Build = Callable[[ConstantStep, Topology, int], Method[Any]]

_GAMMA = 0.1
_STEP = ConstantStep(_GAMMA)
_ROW = "gossip-local-sgd"


def plain(step: ConstantStep, topology: Topology, period: int) -> Method[Any]:
    """H steps, then x <- W x."""
    return GossipLocalSGD(step, PlainRound(topology), period)


def uneven(n: int, d: int, seed: int, sigma2: float = 0.0) -> Quadratic:
    """Curvatures uniform in [0.2, 2], standard normal minimisers."""
    generator = np.random.default_rng(seed)
    a, b = generator.uniform(0.2, 2.0, (n, d)), generator.normal(size=(n, d))
    return Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b), sigma2=sigma2)


gossip_local = ClosedForms(_ROW, name="gossip_local")
"""Closed forms of gossip-local."""


@gossip_local.case("replay", "no noise, 24 steps, gamma 0.1, seed 61")
def replay(build: Build = plain) -> Iterator[Verdict]:
    """Models after 24 steps, without noise, against matrix products in numpy."""
    problem = uneven(8, 3, 61)
    a, c = problem.a.numpy(), problem.c.numpy()
    graphs: tuple[tuple[Topology, int], ...] = (
        (Ring(8), 1), (Ring(8), 4), (OnePeerExponential(8), 2), (OnePeerExponential(8), 3),
    )  # fmt: skip
    for topology, period in graphs:
        x, meeting = np.zeros_like(c), 0
        for t in range(24):
            x = x - _GAMMA * (a * x - c)
            if (t + 1) % period == 0:
                x, meeting = topology.matrix(meeting) @ x, meeting + 1
        trace = run(build(_STEP, topology, period), problem, steps=24, points=2)
        yield same(
            f"H steps, then W of the round's own number, on {topology.name}, H={period}",
            trace.rows[0].numpy(), x, on=problem,
        )  # fmt: skip


@gossip_local.case("special case", "seed 63, 3 replicas, 30 steps")
def special_cases() -> Iterator[Verdict]:
    """H = 1 is CHOCO-SGD or D-PSGD with the step before the mixing, bit for bit; J local SGD."""
    problem = uneven(8, 6, 62, sigma2=0.5)
    ring, rand = Ring(8), RandK(2, scaled=False)
    pairs: tuple[tuple[str, Method[Any], Method[Any], float], ...] = (
        (
            "H = 1, compressed: CHOCO-SGD bit for bit",
            GossipLocalSGD(_STEP, ChocoRound(ring, rand, 0.3), 1),
            ChocoSGD(_STEP, ring, rand, 0.3), 0.0,
        ),
        (
            "H = 1: W (X - gamma G), D-PSGD with the step before the mixing, bit for bit",
            plain(_STEP, ring, 1), Cooperative(_STEP, Gossip(ring), 1), 0.0,
        ),
        (
            "complete graph: local SGD, to rounding",
            plain(_STEP, Complete(8), 5), LocalSGD(_STEP, 5), 1e-13,
        ),
    )  # fmt: skip
    for claim, ours, other, tolerance in pairs:
        yield same(
            claim, run(ours, problem, steps=30, seed=63, replicas=3, points=2).rows.numpy(),
            run(other, problem, steps=30, seed=63, replicas=3, points=2).rows.numpy(),
            tolerance=tolerance, on=problem,
        )  # fmt: skip


@final
@dataclass(frozen=True)
class NoMixing(Topology):
    """W = I: what the checks of mixing matrices refuse, since it never agrees.

    Attributes:
        n: number of workers.
    """

    n: int

    @property
    def name(self) -> str:
        return f"alone(n={self.n})"

    @property
    def period(self) -> int:
        return 1

    def matrix(self, t: int) -> Floats:
        return np.eye(self.n)


@gossip_local.case("special case", "no noise, 2000 steps, seed 64")
def never_agrees() -> Verdict:
    """W = I: every worker ends at its own minimiser."""
    problem = uneven(8, 3, 64)
    trace = run(plain(_STEP, NoMixing(8), 4), problem, steps=2000, points=2)
    return same(
        "W = I: every worker stops at its own minimiser, the distance from consensus is that of "
        "the minimisers",
        trace.rows[0].numpy(), (problem.c / problem.a).numpy(), on=problem,
    )  # fmt: skip


@gossip_local.case("closed form of the drift")
def fixed_points(build: Build = plain) -> Iterator[Verdict]:
    """Limits of models, against the linear system (I - W K) X = W P."""
    problem = uneven(8, 3, 65)
    a, b = problem.a.numpy(), (problem.c / problem.a).numpy()
    for period in (1, 3, 8):
        kept = (1 - _GAMMA * a) ** period
        w = Ring(8).matrix(0)
        columns = [
            np.linalg.solve(np.eye(8) - w * kept[:, j], w @ ((1 - kept[:, j]) * b[:, j]))
            for j in range(3)
        ]
        steps = period * (2000 // period)
        trace = run(build(_STEP, Ring(8), period), problem, steps=steps, points=2)
        yield same(
            f"models stop at (I - W K)^-1 W P, K = (1 - gamma a_i)^H, H={period}",
            trace.rows[0].numpy(), np.stack(columns, axis=1), on=problem,
            words=f"no noise, {steps} steps, gamma 0.1, ring of 8, seed 65",
        )  # fmt: skip


@gossip_local.case("closed form of the variance")
def mode_variance(build: Build = plain) -> Iterator[Verdict]:
    """Variance of the slowest mode of the ring of 8 after 5 rounds, Gaussian noise."""
    n, d, rounds, replicas, sigma2 = 8, 4, 5, 400, 1.0
    lam = (1 + 2 * math.cos(2 * math.pi / n)) / 3
    mode = torch.cos(2 * math.pi * torch.arange(n, dtype=torch.float64) / n) / 2
    ones = torch.ones((n, d), dtype=torch.float64)
    problem = Quadratic.from_arrays(ones, 0 * ones, sigma2=sigma2)
    for period in (1, 4):
        kept, added = (1 - _GAMMA) ** period, 0.0
        added = _GAMMA**2 * sigma2 / d * sum((1 - _GAMMA) ** (2 * h) for h in range(period))
        variance = 0.0
        for _ in range(rounds):
            variance = lam**2 * (kept**2 * variance + added)
        steps = rounds * period
        method = build(_STEP, Ring(n), period)
        trace = run(method, problem, steps=steps, seed=66, replicas=replicas, points=2)
        amplitude = torch.einsum("i,rid->rd", mode, trace.rows)
        yield mean_square_is(
            f"variance of the slowest mode after {rounds} rounds, H={period}", amplitude, variance,
            on=problem, words=f"seed 66, {replicas} replicas, {d} coordinates, ring of {n}",
        )  # fmt: skip


# Local SGD over compressed gossip: its mean, its rest and its exact second moments.
#
# CHOCO's exchange keeps the mean model for any operator. At rest nothing is left to send, so models
# stop where plain gossip with I + gamma_c (W - I) stops: drift sees the gap gamma_c gap only, for
# every delta. On the way second moments obey the recursion of
# :mod:`proofs_check.evidence.gossip_local.closed_forms_moments`.


ChocoBuild = Callable[[ConstantStep, ChocoRound, int], Method[Any]]


gossip_local_choco = ClosedForms(_ROW, name="gossip_local_choco")
"""Closed forms of gossip-local-choco."""


@gossip_local_choco.case("closed form of the drift")
def compressed_fixed_points(build: ChocoBuild = GossipLocalSGD) -> Iterator[Verdict]:
    """Limits of models over compressed gossip: as over plain gossip with I + gamma_c (W - I)."""
    n, d, period, gamma_c = 6, 4, 3, 0.2
    problem = uneven(n, d, 71)
    a, b = problem.a.numpy(), (problem.c / problem.a).numpy()
    w = (1 - gamma_c) * np.eye(n) + gamma_c * Ring(n).matrix(0)
    kept = (1 - _GAMMA * a) ** period
    columns = [
        np.linalg.solve(np.eye(n) - w * kept[:, j], w @ ((1 - kept[:, j]) * b[:, j]))
        for j in range(d)
    ]
    operators: tuple[Compressor, ...] = (TopK(1), RandK(2, scaled=False), ScaledSign())
    for operator in operators:
        yield same(
            f"{operator.name}: models stop where plain gossip with I + gamma_c (W - I) stops",
            run(
                build(_STEP, ChocoRound(Ring(n), operator, gamma_c), period),
                problem,
                steps=1500,
                seed=72,
                points=2,
            )
            .rows[0]
            .numpy(), np.stack(columns, axis=1), tolerance=1e-10,
            on=problem,
            words=f"no noise, 1500 steps, H={period}, gamma_c={gamma_c}, seeds 71 and 72",
        )  # fmt: skip


@gossip_local_choco.case("exact second moments")
def compressed_moments(build: ChocoBuild = GossipLocalSGD) -> Iterator[Verdict]:
    """Consensus distance after 6 rounds of unscaled rand-k, against the exact recursion."""
    n, d, kept, rounds, replicas = 4, 4, 1, 6, 4000
    problem = uneven(n, d, 67, sigma2=0.5)
    w = Ring(n).matrix(0)
    for period in (1, 3):
        expected = 0.0
        for j in range(d):
            own = Recursion(
                w, problem.a[:, j].numpy(), problem.c[:, j].numpy(), _GAMMA, period, kept / d, 0.4,
                problem.sigma2 / d,
            )  # fmt: skip
            expected += consensus(own.simulated(rounds), n)
        gossip = ChocoRound(Ring(n), RandK(kept, scaled=False), 0.4)
        trace = run(
            build(_STEP, gossip, period), problem, steps=rounds * period, seed=68,
            replicas=replicas, points=2,
        )  # fmt: skip
        yield mean_is(
            f"rand-k with k/d = 1/4, gamma_c = 0.4: consensus distance after {rounds} rounds, "
            f"H={period}",
            trace.consensus[:, -1], expected, on=problem,
            words=f"seed 68, {replicas} replicas, ring of {n}",
        )  # fmt: skip


@gossip_local_choco.case("mean preservation", "seeds 69 and 70, 30 steps, H = 3, rand-2 of 5")
def mean_is_untouched(build: ChocoBuild = GossipLocalSGD) -> Verdict:
    """Compressed gossip keeps the mean model: with one curvature it runs as gradient descent."""
    generator = torch.Generator().manual_seed(69)
    b = torch.randn((8, 5), generator=generator, dtype=torch.float64)
    problem = Quadratic.from_arrays(torch.ones_like(b), b)
    method = build(_STEP, ChocoRound(Ring(8), RandK(2, scaled=False), 0.2), 3)
    means = [method.models(m.state).mean(-2) for m in path(method, problem, 30, seed=70)]
    falling = (1 - (1 - _GAMMA) ** np.arange(31))[:, None, None] * b.mean(0).numpy()
    return same(
        "one curvature: the mean model is that of gradient descent, whatever is compressed",
        torch.stack(means).numpy(), falling, on=problem,
    )  # fmt: skip


COVERS = {"gossip_local": ("gossip-local-sgd",), "gossip_local_choco": ("gossip-local-sgd",)}
