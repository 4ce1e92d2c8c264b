"""Closed forms: dgd, exponential weights, gossip dual averaging, projected dgd."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy
import torch
from scipy.special import softmax

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_convex.dgd import dgd
from algorithms.methods.gossip_convex.dual_averaging import DualAveraging
from algorithms.methods.gossip_convex.gossip_dual_averaging import (
    GossipDualAveraging,
    TravellingSamples,
)
from algorithms.methods.gossip_convex.mirror_descent import MirrorDescent
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd
from algorithms.problems.pairwise import breast_cancer_pairs
from algorithms.problems.quadratic import Quadratic
from algorithms.sets.ball import Ball
from algorithms.sets.base import ConvexSet
from algorithms.sets.box import Box
from algorithms.sets.geometry import Geometry, NegativeEntropy
from algorithms.sets.simplex import Simplex
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.torus import Torus
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, InverseRootStep, Stepsize

# Where DGD stops.
#
# DGD on f_i(x) = sum_j a_{ij} (x_j - b_{ij})^2 / 2 with unlike Hessians stops, coordinate by
# coordinate, where (I - W + gamma A) x = gamma A b: not at the minimiser.


GAMMA, STEPS, SEED = 0.2, 700, 81
STEP = ConstantStep(GAMMA)


def uneven(n: int, d: int, seed: int = SEED) -> tuple[Floats, Floats]:
    """Curvatures in [1/2, 3/2] and minimisers, both ``[n, d]``."""
    random = np.random.default_rng(seed)
    return random.uniform(0.5, 1.5, (n, d)), random.normal(size=(n, d))


def stopped_at(w: Floats, a: Floats, b: Floats, gamma: float) -> Floats:
    """Rows ``[n, d]`` that DGD with stepsize gamma leaves as they are."""
    columns = [
        np.linalg.solve(np.eye(len(w)) - w + gamma * np.diag(a[:, j]), gamma * a[:, j] * b[:, j])
        for j in range(a.shape[1])
    ]
    return np.stack(columns, axis=1)


_DGD_FORMS = ClosedForms("dgd")


@_DGD_FORMS.case(
    "closed form: fixed point of DGD",
    f"{STEPS} steps, gamma {GAMMA}, curvatures 0.5 to 1.5, seed {SEED}; the "
    "stochastic gradients of the problem have variance 1",
)
def fixed_points(
    build: Callable[[Stepsize, Topology], Method[Any]] = dgd,
) -> Iterator[Verdict]:
    """Four graphs of 16 workers."""
    a, b = uneven(16, 3)
    problem = Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b), sigma2=1.0)
    graphs = (Ring(16), Torus.square(16), StaticExponential(16), Complete(16))
    for graph in graphs:
        yield same(
            f"full gradients stop at (I - W + gamma A)^-1 gamma A b on {graph.name}",
            run(build(STEP, graph), problem, steps=STEPS, points=2).rows[0].numpy(),
            stopped_at(graph.matrix(0), a, b, GAMMA), on=problem,
        )  # fmt: skip


# Mirror descent and dual averaging with the entropy on linear functions: exponential weights.
#
# With f_i(x) = <c_i, x> on the simplex, dual averaging holds z_{i,t} = sum_{k<t} (W^k C)_i and
# plays softmax(-alpha z_{i,t}); mirror descent with one c for all plays softmax(-gamma t c) on any
# graph.


ExponentialWeightsBuild = Callable[[Stepsize, Topology, Geometry], Method[Any]]

_N, _D, _EXPONENTIAL_WEIGHTS_STEPS, _EXPONENTIAL_WEIGHTS_SEED = 8, 5, 40, 82


def linear(c: np.ndarray) -> Quadratic:
    """f_i(x) = -<c_i, x> with c ``[n, d]``: gradients are -c_i everywhere."""
    zero = torch.zeros(c.shape[1], dtype=torch.float64)
    rows = torch.from_numpy(np.ascontiguousarray(c))
    return Quadratic("linear", torch.zeros((1, c.shape[1])).double(), rows, zero, zero)


_MIRROR_DESCENT_FORMS = ClosedForms("mirror-descent")


@_MIRROR_DESCENT_FORMS.case(
    "closed form: exponential weights",
    f"{_EXPONENTIAL_WEIGHTS_STEPS} steps, gamma 0.1, ring of {_N}, scipy's "
    f"softmax, seed {_EXPONENTIAL_WEIGHTS_SEED}",
    on="linear",
)
def one_cost(
    build: ExponentialWeightsBuild = MirrorDescent, geometry: Geometry | None = None
) -> Verdict:
    """Mirror descent with one cost for all, on the ring of 8."""
    c = np.tile(np.random.default_rng(_EXPONENTIAL_WEIGHTS_SEED).normal(size=_D), (_N, 1))
    method = build(ConstantStep(0.1), Ring(_N), geometry or NegativeEntropy())
    return same(
        "entropy, one linear function: models are softmax(-gamma t c)",
        run(method, linear(-c), steps=_EXPONENTIAL_WEIGHTS_STEPS, points=2).rows[0].numpy(),
        softmax(-0.1 * _EXPONENTIAL_WEIGHTS_STEPS * c, axis=1),
    )


def mixed_costs(build: ExponentialWeightsBuild = DualAveraging) -> tuple[Verdict, ...]:
    """Dual averaging with a cost each, on two graphs."""
    c = np.random.default_rng(_EXPONENTIAL_WEIGHTS_SEED + 1).normal(size=(_N, _D))
    step, verdicts = InverseRootStep(0.5), []
    for graph in (Ring(_N), StaticExponential(_N)):
        sums, power = np.zeros_like(c), c
        for _ in range(_EXPONENTIAL_WEIGHTS_STEPS):
            sums, power = sums + power, graph.matrix(0) @ power
        trace = run(
            build(step, graph, NegativeEntropy()),
            linear(-c),
            steps=_EXPONENTIAL_WEIGHTS_STEPS,
            points=2,
        )
        verdicts.append(
            identity(
                "gossip-dual-averaging",
                f"entropy, linear functions: softmax(-alpha sum_k W^k C) on {graph.name}",
                trace.rows[0].numpy(),
                softmax(-step(_EXPONENTIAL_WEIGHTS_STEPS - 1) * sums, axis=1),
                check="closed form: exponential weights",
                problem="linear",
                provenance=f"{_EXPONENTIAL_WEIGHTS_STEPS} steps, alpha_t 0.5/sqrt(t + 1), "
                f"scipy, seed {_EXPONENTIAL_WEIGHTS_SEED + 1}",
            )
        )
    return tuple(verdicts)


def exponential_weights() -> tuple[Verdict, ...]:
    """Exponential weights with one cost for all workers, and with a cost for each."""
    return (one_cost(), *mixed_costs())


# Dual averaging: D-PSGD in disguise, its mean, and the law of the guests.
#
# Without constraints and with a constant stepsize z -> x_0 - alpha z maps it to D-PSGD, path by
# path. The mean of z obeys the recursion of one worker whatever the doubly stochastic W. In gossip
# dual averaging one pair swaps guests at a time, so who visits worker i after t ticks has the law
# e_i^T (2 E W - I)^t, and the bias of a gradient over pairs dies out with that chain.


GossipDualAveragingBuild = Callable[[Stepsize, Topology], Method[Any]]

_GOSSIP_DUAL_AVERAGING_STEPS, _GOSSIP_DUAL_AVERAGING_SEED = 60, 83


def problem() -> Quadratic:
    """Eight noisy workers that differ."""
    return Quadratic.strongly_convex(8, 6, L=2.0, mu=0.25, sigma2=2.0, zeta2=3.0, R2=5.0)


_GOSSIP_DUAL_AVERAGING_FORMS = ClosedForms("gossip-dual-averaging")


@_GOSSIP_DUAL_AVERAGING_FORMS.case(
    "special case",
    f"{_GOSSIP_DUAL_AVERAGING_STEPS} steps, 3 replicas, seed {_GOSSIP_DUAL_AVERAGING_SEED}",
    on="quadratic-sc",
)
def is_d_psgd(build: GossipDualAveragingBuild = DualAveraging) -> Iterator[Verdict]:
    """Rows after 60 steps on two graphs, equal draws."""
    step = ConstantStep(0.1)
    for graph in (Ring(8), StaticExponential(8)):
        yield same(
            f"constant stepsize, no constraint: the rows of D-PSGD on {graph.name}",
            run(
                build(step, graph),
                problem(),
                steps=_GOSSIP_DUAL_AVERAGING_STEPS,
                seed=_GOSSIP_DUAL_AVERAGING_SEED,
                replicas=3,
            ).rows,
            run(
                DPSGD(step, graph),
                problem(),
                steps=_GOSSIP_DUAL_AVERAGING_STEPS,
                seed=_GOSSIP_DUAL_AVERAGING_SEED,
                replicas=3,
            ).rows,
        )


@_GOSSIP_DUAL_AVERAGING_FORMS.case(
    "mean identity",
    f"{_GOSSIP_DUAL_AVERAGING_STEPS} steps, alpha_t 0.4/sqrt(t + 1), no noise, ring of 8",
)
def mean_recursion(build: GossipDualAveragingBuild = DualAveraging) -> Verdict:
    """z <- z + a x - c and x = x_0 - alpha_t z for the means, common Hessian, no noise."""
    one = Quadratic.strongly_convex(8, 6, L=2.0, mu=0.25, sigma2=0.0, zeta2=3.0, R2=5.0)
    step, a = InverseRootStep(0.4), one.a[0].numpy()
    x0 = x = one.x0.numpy()
    z, expected = np.zeros_like(x), [x]
    for t in range(_GOSSIP_DUAL_AVERAGING_STEPS):
        z = z + a * x - one.c.mean(0).numpy()
        x = x0 - step(t) * z
        expected.append(x)
    return same(
        "mean of the models = dual averaging of one worker on f",
        models(build(step, Ring(8)), one, _GOSSIP_DUAL_AVERAGING_STEPS)[:, 0].numpy(),
        np.stack(expected), on=one,
    )  # fmt: skip


def guests_at_home(
    build: Callable[[Stepsize, RandomEdge, TravellingSamples], Method[Any]] = GossipDualAveraging,
    ticks: tuple[int, ...] = (1, 8, 30),
) -> tuple[Verdict, ...]:
    """Share of workers visited by their own samples after some ticks on the ring of 6."""
    n, replicas = 6, 200
    pairs, edges = breast_cancer_pairs(n, 0.1, samples=2), RandomEdge(Ring(n))
    swap = 2 * edges.expected() - np.eye(n)
    method = build(ConstantStep(1e-3), edges, TravellingSamples(pairs))
    verdicts, own = [], torch.empty(0)
    for moment in path(
        method, pairs, max(ticks), seed=_GOSSIP_DUAL_AVERAGING_SEED, replicas=replicas
    ):
        guests = moment.state.guests
        if moment.t == 0:
            own = guests
        elif moment.t in ticks:
            share = (guests == own).all(-1).double().mean(-1).numpy()
            law = np.linalg.matrix_power(swap, moment.t)
            verdicts.append(
                mean_value(
                    "gossip-dual-averaging",
                    f"a guest is at home after {moment.t} ticks with probability "
                    "tr (2 E W - I)^t / n",
                    share,
                    float(law.trace()) / n,
                    check="law of the guests",
                    problem=pairs.name,
                    provenance=f"ring of {n}, {replicas} replicas, seed "
                    f"{_GOSSIP_DUAL_AVERAGING_SEED}",
                )
            )
    return tuple(verdicts)


def dual_averaging_forms() -> tuple[Verdict, ...]:
    """Every check of this file: equal to D-PSGD, the mean's recursion, the law of the guests."""
    return (*is_d_psgd(), mean_recursion(), *guests_at_home())


# Where projected DGD stops.
#
# Workers that share one quadratic stop at its constrained minimiser, which the KKT conditions give
# by a root of one multiplier: x_j = clip(c_j/a_j) in a box, c_j/(a_j + m) with norm r in a ball,
# max((c_j - m)/a_j, 0) with sum s in the simplex.


def kkt(domain: str, a: Floats, c: Floats) -> Floats:
    """argmin sum_j a_j x_j^2/2 - c_j x_j ``[d]`` over the unit ball, the simplex or [-0.3, 0.4]."""
    if domain == "box":
        return np.clip(c / a, -0.3, 0.4)
    if domain == "ball":
        m = scipy.optimize.brentq(lambda m: np.linalg.norm(c / (a + m)) - 1.0, 0.0, 1e3, xtol=1e-15)
        return np.asarray(c / (a + m))
    low, high = float(c.min() - a.max()), float(c.max())
    m = scipy.optimize.brentq(
        lambda m: np.maximum((c - m) / a, 0).sum() - 1.0, low - 1, high, xtol=1e-15
    )
    return np.asarray(np.maximum((c - m) / a, 0))


DOMAINS: dict[str, ConvexSet] = {"ball": Ball(1.0), "box": Box(-0.3, 0.4), "simplex": Simplex()}


_PROJECTED_DGD_FORMS = ClosedForms("projected-dgd")


@_PROJECTED_DGD_FORMS.case(
    "closed form: KKT point",
    f"{STEPS} steps, gamma {GAMMA}, ring of 8, no noise; multiplier by "
    f"Brent's method, seed {SEED + 1}",
)
def constrained(
    build: Callable[[Stepsize, Topology, ConvexSet], Method[Any]] = projected_dgd,
) -> Iterator[Verdict]:
    """Eight workers that share one quadratic, from a start outside the sets."""
    random = np.random.default_rng(SEED + 1)
    a, c = random.uniform(0.5, 1.5, 6), 3 * random.normal(size=6)
    rows = (torch.from_numpy(v).expand(8, -1).contiguous() for v in (a, c / a))
    problem = Quadratic.from_arrays(*rows, x0=torch.full((6,), 2.0).double())
    for name, domain in DOMAINS.items():
        yield same(
            f"workers with one quadratic stop at its minimiser over the {name} (KKT)",
            run(build(STEP, Ring(8), domain), problem, steps=STEPS, points=2).rows[0].numpy(),
            kkt(name, a, c), tolerance=1e-11, on=problem,
        )  # fmt: skip


CLOSED_FORMS = (fixed_points, exponential_weights, dual_averaging_forms, constrained)

COVERS = {
    "constrained": ("mirror-descent", "projected-dgd"),
    "dual_averaging_forms": ("gossip-dual-averaging",),
    "exponential_weights": ("gossip-dual-averaging", "mirror-descent"),
    "fixed_points": ("dgd",),
}
