r"""ADMM on quadratics: the star's exact contraction, the minimiser, and what the duals tend to.

f_i(x) = \sum_j a_{ij} (x_j - b_{ij})^2 / 2. With one a for all, stationarity of the local solve is
y_i = -a (x_i - b_i), so the workers' mean error shrinks by exactly rho/(a + rho) a step and the
master's is 1 - a/rho times it. With any a all methods end at the minimiser
of the mean, or of the mean plus w ||x||_1, which is a soft threshold for diagonal Hessians; duals
sum to zero at every step and tend to -grad f_i(x*).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.methods.admm.admm_graph import GraphADMM
from algorithms.methods.admm.admm_linearised import LinearisedADMM
from algorithms.methods.admm.admm_random import RandomADMM
from algorithms.methods.admm.admm_star import StarADMM
from algorithms.methods.base import Method
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import PartialBarrier
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.topologies.ring import Ring
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Change = Callable[[Any], Method[Any]]
_N, _D, _SEED, _WEIGHT = 6, 5, 91, 0.3
_STEP = ConstantStep(1.0)
_TOLD = f"{_N} workers, {_D} coordinates, rho = 1, seed {_SEED}"


def right(method: Method[Any]) -> Method[Any]:
    """The method as it is."""
    return method


def uneven() -> Quadratic:
    """Curvatures in [0.5, 1.5] and normal minimisers, both different for every worker."""
    generator = torch.Generator().manual_seed(_SEED)
    a = 0.5 + torch.rand((_N, _D), generator=generator, dtype=torch.float64)
    return Quadratic.from_arrays(a, torch.randn(a.shape, generator=generator, dtype=a.dtype))


def star_contraction(change: Change = right) -> Verdict:
    """One curvature: z_k - b = (1 - a/rho) (rho/(a + rho))^k (z_0 - b) for k >= 1, exactly."""
    a, steps = 0.5, 20
    b = torch.linspace(-1.0, 2.0, _N, dtype=torch.float64)[:, None]
    x0 = torch.full((1,), 4.0, dtype=torch.float64)
    problem = Quadratic.from_arrays(torch.full_like(b, a), b, x0=x0)
    master = models(change(StarADMM(_STEP, steps, Constant())), problem, steps)[:, 0, 0].numpy()
    powers = (1 / (a + 1)) ** np.arange(steps + 1) * (4.0 - b.mean().item())
    expected = b.mean().item() + np.where(np.arange(steps + 1) > 0, 1 - a, 1.0) * powers
    return identity(
        "async-admm", "synchronous: z_k - b = (1 - a/rho) (rho/(a+rho))^k (z_0 - b)", master,
        expected,
        check="closed form", problem=problem.name, provenance=f"a = {a}, rho = 1, {_N} workers",
    )  # fmt: skip


def minimiser(
    row: str, make: Callable[[], Method[Any]], steps: int, weight: float = 0.0
) -> Verdict:
    """Where a method ends, against the minimiser in closed form."""
    problem = uneven()
    *_, last = path(make(), problem, steps)
    found = make().models(last.state)[0]
    mean, pull = problem.a.mean(0), problem.c.mean(0)
    best = pull.sign() * (pull.abs() - weight).clamp_min(0) / mean
    return identity(
        row, f"all workers end at the minimiser{' with l1' if weight else ''}", found.numpy(),
        best.expand_as(found).numpy(), check="closed form", problem=problem.name,
        tolerance=1e-8, provenance=f"{_TOLD}, {steps} steps",
    )  # fmt: skip


def star(change: Change = right) -> Verdict:
    """Asynchronous consensus ADMM under a partial barrier, with l1."""
    times, l1 = Exponential(), SoftThreshold(_WEIGHT)
    make = StarADMM(_STEP, 600, times, PartialBarrier(2, 6), l1)
    return minimiser("async-admm", lambda: change(make), 600, _WEIGHT)


def coloured(change: Change = right) -> Verdict:
    """D-ADMM."""
    return minimiser("d-admm", lambda: change(GraphADMM(_STEP, Ring(_N))), 300)


def in_turn(change: Change = right) -> Verdict:
    """Workers in turn."""
    method = GraphADMM(_STEP, Ring(_N), coloured=False)
    return minimiser("decentralised-admm", lambda: change(method), 300)


def random_edges(change: Change = right) -> Verdict:
    """An edge at a time."""
    return minimiser("random-admm", lambda: change(RandomADMM(_STEP, Ring(_N))), 3000)


def linearised(change: Change = right) -> Verdict:
    """One gradient a step, with l1."""
    method = LinearisedADMM(ConstantStep(0.5), Ring(_N), SoftThreshold(_WEIGHT))
    return minimiser("linearised-admm", lambda: change(method), 2000, _WEIGHT)


def duals(change: Change = right) -> tuple[Verdict, ...]:
    """D-ADMM's duals sum to zero always, and tend to -grad f_i(x*)."""
    problem = uneven()
    moments = list(path(change(GraphADMM(_STEP, Ring(_N))), problem, 300))
    sums = torch.stack([moment.state.p.sum(-2) for moment in moments])
    best = problem.full_gradient(problem.x_star[None], torch.arange(_N))
    return (
        identity(
            "d-admm", "duals sum to zero at every step", sums.numpy(), 0.0,
            check="closed form", problem=problem.name, provenance=_TOLD,
        ),
        identity(
            "d-admm", "duals tend to -grad f_i(x*)", moments[-1].state.p[0].numpy(),
            -best.numpy(), check="closed form", problem=problem.name, tolerance=1e-8,
            provenance=_TOLD,
        ),
    )  # fmt: skip


def admm() -> tuple[Verdict, ...]:
    """All of the above."""
    return (
        star_contraction(), star(), coloured(), in_turn(), random_edges(), linearised(), *duals(),
    )  # fmt: skip


CLOSED_FORMS = (admm,)
