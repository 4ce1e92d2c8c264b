r"""Dual averaging: D-PSGD in disguise, its mean, and the law of the guests.

Without constraints and with a constant stepsize z -> x_0 - alpha z maps it to D-PSGD, path by path.
The mean of z obeys the recursion of one worker whatever the doubly stochastic W. In gossip dual
averaging one pair swaps guests at a time, so who visits worker i after t ticks has the law
e_i^T (2 E W - I)^t, and the bias of a gradient over pairs dies out with that chain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_convex.dual_averaging import DualAveraging
from algorithms.methods.gossip_convex.gossip_dual_averaging import (
    GossipDualAveraging,
    TravellingSamples,
)
from algorithms.problems.pairwise import breast_cancer_pairs
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, InverseRootStep, Stepsize

Build = Callable[[Stepsize, Topology], Method[Any]]

_STEPS, _SEED = 60, 83


def problem() -> Quadratic:
    """Eight noisy workers that differ."""
    return Quadratic.strongly_convex(8, 6, L=2.0, mu=0.25, sigma2=2.0, zeta2=3.0, R2=5.0)


def is_d_psgd(build: Build = DualAveraging) -> tuple[Verdict, ...]:
    """Rows after 60 steps on two graphs, equal draws."""
    step = ConstantStep(0.1)
    return tuple(
        identity(
            "gossip-dual-averaging",
            f"constant stepsize, no constraint: the rows of D-PSGD on {graph.name}",
            run(build(step, graph), problem(), steps=_STEPS, seed=_SEED, replicas=3).rows,
            run(DPSGD(step, graph), problem(), steps=_STEPS, seed=_SEED, replicas=3).rows,
            check="special case", problem="quadratic-sc",
            provenance=f"{_STEPS} steps, 3 replicas, seed {_SEED}",
        )
        for graph in (Ring(8), StaticExponential(8))
    )  # fmt: skip


def mean_recursion(build: Build = DualAveraging) -> Verdict:
    """z <- z + a x - c and x = x_0 - alpha_t z for the means, common Hessian, no noise."""
    one = Quadratic.strongly_convex(8, 6, L=2.0, mu=0.25, sigma2=0.0, zeta2=3.0, R2=5.0)
    step, a = InverseRootStep(0.4), one.a[0].numpy()
    x0 = x = one.x0.numpy()
    z, expected = np.zeros_like(x), [x]
    for t in range(_STEPS):
        z = z + a * x - one.c.mean(0).numpy()
        x = x0 - step(t) * z
        expected.append(x)
    return identity(
        "gossip-dual-averaging", "mean of the models = dual averaging of one worker on f",
        models(build(step, Ring(8)), one, _STEPS)[:, 0].numpy(), np.stack(expected),
        check="mean identity", problem=one.name,
        provenance=f"{_STEPS} steps, alpha_t 0.4/sqrt(t + 1), no noise, ring of 8",
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
    for moment in path(method, pairs, max(ticks), seed=_SEED, replicas=replicas):
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
                    share, float(law.trace()) / n, check="law of the guests",
                    problem=pairs.name,
                    provenance=f"ring of {n}, {replicas} replicas, seed {_SEED}",
                )
            )  # fmt: skip
    return tuple(verdicts)


def dual_averaging_forms() -> tuple[Verdict, ...]:
    """Every check of this file: equal to D-PSGD, the mean's recursion, the law of the guests."""
    return (*is_d_psgd(), mean_recursion(), *guests_at_home())


CLOSED_FORMS = (dual_averaging_forms,)
