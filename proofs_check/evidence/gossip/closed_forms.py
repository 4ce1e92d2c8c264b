"""Closed forms: gossip bits, d psgd, consensus, second moments."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD, DPSGDState
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.torus import Torus
from proofs_check.evidence.gossip_dual.closed_forms_nonsmooth import cone, hard_instance
from proofs_check.evidence.synchronous.closed_forms import STEP, uneven
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.erratum import Shown, demonstrates
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.instruments.whitened import models_at_end, unequal, whitened
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.networks.second_moments import linear_moments
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.d_psgd import d_psgd as d_psgd_theorem

# What a worker sends to its neighbours: b bits for each of N coordinates, n_peers times a step.


_PEERS: tuple[tuple[Topology, int], ...] = (
    (Ring(6), 2),
    (Ring(12), 2),
    (Torus(3, 4), 4),
    (Complete(6), 5),
)


def sent(method: Method[Any], n: int, d: int, steps: int) -> list[float]:
    """Bits that each worker sent."""
    flat = torch.ones((n, d), dtype=torch.float64)
    account = run(method, Quadratic.from_arrays(flat, flat), steps=steps).account
    return account.sent_bits.double().flatten().tolist()


def bits_of_gossip(row: str, build: Callable[[Topology], Method[Any]], width: int) -> Verdict:
    """Every worker's ledger for coordinates of ``width`` bits: four graphs, N = 16, 64, T = 1, 5.

    The graphs are rings of 6 and 12, a torus of 12 and the complete graph of 6.
    """
    pairs = [
        (bits, float(width * d * peers * steps))
        for topology, peers in _PEERS
        for d in (16, 64)
        for steps in (1, 5)
        for bits in sent(build(topology), topology.n, d, steps)
    ]
    return identity(
        row, "a worker sends b N n_peers T bits: rings of 6 and 12, a torus of 12, 6 that all "
        "hear each other, N = 16 and 64, T = 1 and 5", *np.transpose(pairs),
        check="bits of gossip", problem="quadratic", provenance="ledger",
    )  # fmt: skip


# D-PSGD: where it stops, its mean, its bits, the lower bound, and the survey's misprints.
#
# D-PSGD with f_i(x) = a ||x - b_i||^2 / 2 stops where (I - W + gamma a I) X = gamma a B: mode k of
# B is scaled by gamma a / (1 - lambda_k + gamma a). W has columns that sum to one, so the mean of
# the models is BSP's model. Errata E13 and E14: what the survey prints of gossip weights and gaps.


_GAMMA = 0.1
_D_PSGD_STEP = ConstantStep(_GAMMA)


_D_PSGD_FORMS = ClosedForms("d-psgd")


@_D_PSGD_FORMS.case("closed form", "no noise, 300 steps, gamma 0.1")
def ring_bias(
    build: Callable[[Stepsize, Topology], Method[Any]] = DPSGD, topology: Topology | None = None
) -> Verdict:
    """b_i = cos(2 pi i / 8) on the ring of 8: consensus 0.2394844 (root mean square)."""
    b = torch.cos(2 * math.pi * torch.arange(8, dtype=torch.float64) / 8)[:, None]
    problem = Quadratic.from_arrays(torch.ones_like(b), b)
    lam = (1 + 2 * math.cos(2 * math.pi / 8)) / 3
    trace = run(build(_D_PSGD_STEP, topology or Ring(8)), problem, steps=300, points=3)
    return same(
        "consensus error = gamma a / (1 - lambda_1 + gamma a) rms(b) on the ring of 8",
        math.sqrt(trace.consensus[0, -1]), _GAMMA / (1 - lam + _GAMMA) * math.sqrt(0.5), on=problem,
    )  # fmt: skip


@_D_PSGD_FORMS.case("closed form", "no noise, 500 steps, gamma 0.1, b standard normal, seed 16")
def fixed_points(
    build: Callable[[Stepsize, Topology], Method[Any]] = DPSGD,
) -> Iterator[Verdict]:
    """All models at the fixed point against the linear system's solution, three topologies."""
    generator = np.random.default_rng(16)
    b = torch.from_numpy(generator.normal(size=(16, 3)))
    problem = Quadratic.from_arrays(torch.ones_like(b), b)
    topologies: tuple[Topology, ...] = (Ring(16), Torus.square(16), StaticExponential(16))
    for topology in topologies:
        w = topology.matrix(0)
        solution = np.linalg.solve(np.eye(16) * (1 + _GAMMA) - w, _GAMMA * b.numpy())
        trace = run(build(_D_PSGD_STEP, topology), problem, steps=500, points=2)
        yield same(
            f"models stop at (I - W + gamma a I)^-1 gamma a B on {topology.name}",
            trace.rows[0].numpy(), solution, on=problem,
        )  # fmt: skip


@_D_PSGD_FORMS.case("mean identity")
def gossip_mean_is_bsp(
    build: Callable[[Stepsize, Topology], Method[Any]] = DPSGD, topology: Topology | None = None
) -> Verdict:
    """W has columns that sum to one, so the mean of D-PSGD's models is BSP's model."""
    problem, seed = uneven(8), 15
    method = build(STEP, topology or Ring(8))
    return same(
        "mean of the models = BSP's model, path by path (common Hessian, doubly stochastic W)",
        models(method, problem, 64, seed=seed, replicas=4),
        models(BSP(STEP), problem, 64, seed=seed, replicas=4), on=problem,
        words=f"seed {seed}, 4 replicas, 64 steps, equal draws",
    )  # fmt: skip


@demonstrates(
    "E13",
    "d-psgd",
    "agreement is kept: W 1 = 1 (five steps without forces from x = 3)",
    covers=("d-psgd", "dgd"),
)
def e13() -> Shown:
    """W 1 = W asks a vector to be a matrix; W 1 = 1 is what keeps agreement: D-PSGD from x_0 = 3.

    The row sums of W are 1. Read entry by entry, row i of "W 1 = W" says that its sum equals each
    of its weights, 1/3 on the ring.
    """
    w = Ring(8).matrix(0)
    sums = w @ np.ones(8)
    flat = torch.zeros((8, 1), dtype=torch.float64)
    problem = Quadratic.from_arrays(flat, flat, x0=torch.full((1,), 3.0, dtype=torch.float64))
    *_, last = path(DPSGD(ConstantStep(0.1), Ring(8)), problem, 5)
    return (
        (last.state.x.mean().item() / 3, float(sums.mean())),
        (float(w[0, 0]), 1.0),
        "W 1 = W, as printed, equates a vector and a matrix",
    )


@demonstrates(
    "E14",
    "d-psgd",
    "a round leaves the share lambda = 1 - gap of the slowest mode, ring of 8",
    covers=("d-psgd", "dgd"),
)
def e14() -> Shown:
    """The complete graph agrees in one step: its gap is 1, not max(|lambda_2|, |lambda_n|) = 0."""
    complete = Complete(8).constants().need("lam")
    column = torch.cos(2 * torch.pi * torch.arange(8, dtype=torch.float64) / 8)[:, None]
    flat = torch.zeros_like(column)
    problem = Quadratic.from_arrays(flat, flat)
    method = DPSGD(ConstantStep(0.1), Ring(8))
    before, after = path(method, problem, 1, state=DPSGDState(column[None]))
    left = float(after.state.x.norm() / before.state.x.norm())
    lam = Ring(8).constants().need("lam")
    return (
        (left, lam),
        (complete, 1.0),
        "called the gap, the second modulus of the complete graph, which agrees in one round, "
        "would be 0",
    )


@demonstrates(
    "E23",
    "d-psgd",
    "a gap of 0.01 for 0.1 makes the second term of the bound 100 times",
    covers=("d-psgd", "dgd"),
)
def e23() -> Shown:
    """Ten times the gap: a hundredth of the term that the printed order hides."""
    step, late = ConstantStep(1e-9), np.array([1e30])
    c = Constants(n=8, L_max=1.0, sigma2=0.0, zeta2=1.0, initial_gap=0.0)
    near, far = (
        float(d_psgd_theorem.bound(c.state(lam=1 - gap), step, late)[0]) for gap in (0.1, 0.01)
    )
    return (far / near, 100.0), (1.0, far / near), "printed: no gap in 1/T + 1/sqrt(nT)"


def d_psgd() -> tuple[Verdict, ...]:
    """Fixed points, the mean, the bits, and the hard instance of the lower bound."""
    hard, path_graph = hard_instance()
    return (
        ring_bias(), *fixed_points(), gossip_mean_is_bsp(),
        bits_of_gossip("d-psgd", lambda topology: DPSGD(ConstantStep(0.1), topology), 64),
        cone("d-psgd", DPSGD(ConstantStep(1 / 400.0), path_graph), hard),
    )  # fmt: skip


# Consensus from normal starts: the problem whose gossip is followed mode by mode.


def consensus_problem(n: int, d: int, seed: int) -> Quadratic:
    """f_i(x) = ||x - b_i||^2 / 2 with standard normal b_i: gossip starts from b_i."""
    generator = torch.Generator().manual_seed(seed)
    b = torch.randn((n, d), generator=generator, dtype=torch.float64)
    return Quadratic.from_arrays(torch.ones_like(b), b)


# D-PSGD where Hessians differ: all workers' models have the exact covariance.


_N, _STEPS, _SECOND_MOMENTS_STEP, _SEED = 6, 25, 0.3, 4


def covariance_of_gossip(noise_share: float = 1.0) -> Verdict:
    """C <- (W - gamma A) C (W - gamma A)^T + gamma^2 v I; the law is told ``noise_share`` v."""
    problem, ring = unequal(_N), Ring(_N)
    law = linear_moments(
        [ring.matrix(0)] * _STEPS, problem.a.numpy(), problem.c.numpy(), np.zeros(problem.d),
        step=_SECOND_MOMENTS_STEP, variance=noise_share * problem.sigma2 / problem.d, beside=True,
    )  # fmt: skip
    got = models_at_end(DPSGD(ConstantStep(_SECOND_MOMENTS_STEP), ring), problem, _STEPS, _SEED)
    return whitened(
        "d-psgd", "mean and covariance of all models follow the linear recursion, Hessians unequal",
        got, law, check="second moments", provenance=f"derived here; seed {_SEED}",
    )  # fmt: skip


def gossip_second_moments() -> tuple[Verdict, ...]:
    """The law of all workers' models at the end of a run."""
    return (covariance_of_gossip(),)


CLOSED_FORMS = (d_psgd, gossip_second_moments)


COVERS = {"gossip_second_moments": ("d-psgd",)}
