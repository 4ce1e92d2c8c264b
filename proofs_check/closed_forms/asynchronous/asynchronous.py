"""Asynchronous methods against replays of their schedule and against centralised solutions.

Replays are plain Python: one worker at a time, every version of the model kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor

from algorithms.key import Key
from algorithms.methods.asynchronous.coordinate_prox import CoordinateProx
from algorithms.methods.asynchronous.delayed_proximal import DelayedProximal
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.asynchronous.hogwild import Hogwild
from algorithms.methods.base import Method
from algorithms.methods.parts.coordinate_selection import Selection
from algorithms.methods.parts.delay_compensation import (
    Correction,
    DiagonalCompensation,
    ExactHessian,
)
from algorithms.methods.parts.gradient_filter import Filter, KKTFilter
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.problems.base import Problem
from algorithms.problems.least_squares import LeastSquares
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.sparse_linear import SparseLinear
from algorithms.synchronisation.compute_times import Exponential
from algorithms.synchronisation.schedule import Schedule
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Build = Callable[[Any], Method[Any]]

TICKS, SEED, WEIGHT = 60, 3, 1.5
_TIMES = Exponential((1.0, 2.0, 0.5, 1.5, 0.7))
_ONE = torch.zeros(1, dtype=torch.int64)
_TOLD = f"five workers, {TICKS} ticks, seed {SEED}"


@final
@dataclass
class _Client:
    """Local variables of one of Dean's clients."""

    x: Tensor
    accrued: Tensor
    step: int = 0


def uneven() -> Quadratic:
    """Five workers with Hessians and minimisers of their own, and noise."""
    a = torch.linspace(0.2, 1.5, 30, dtype=torch.float64).reshape(5, 6)
    b = torch.cos(torch.arange(30, dtype=torch.float64)).reshape(5, 6)
    return Quadratic.from_arrays(a, b, sigma2=0.5, x0=torch.ones(6, dtype=torch.float64))


def drawn_gradient(problem: Problem, x: Tensor, worker: int, t: int) -> Tensor:
    """The stochastic gradient ``[d]`` that ``worker`` draws at tick t of a run of seed SEED."""
    draws = Key.seed(SEED).fold("gradient", t).draws(_ONE, torch.tensor([[worker]]))
    return problem.gradient(x[None, None], draws)[0, 0]


def arrivals(schedule: Schedule) -> list[tuple[int, int]]:
    """Worker and version of every tick, replica 0, one arrival a tick."""
    ids, versions = schedule.arrivals[:, 0, 0], schedule.versions[:, 0, 0]
    return list(zip(ids.tolist(), versions.tolist(), strict=True))


def ran(method: Method[Any], problem: Problem, ticks: int = TICKS) -> Tensor:
    """The models ``[ticks + 1, d]`` of replica 0."""
    return models(method, problem, ticks, seed=SEED)[:, 0]


def versions_are_read(build: Build = lambda asp: asp) -> Verdict:
    """ASP's gradients belong to the versions that its schedule names."""
    problem, gamma = uneven(), 0.1
    asp = ParameterServer(ConstantStep(gamma), TICKS, _TIMES)
    x = [problem.start()]
    for t, (worker, version) in enumerate(arrivals(asp.schedule(5))):
        x.append(x[t] - gamma * drawn_gradient(problem, x[version], worker, t))
    return identity(
        "asp", "x_{t+1} = x_t - gamma g_i(x_v), v the version its schedule names",
        ran(build(asp), problem), torch.stack(x), check="replay of versions", problem="quadratic",
        provenance=_TOLD,
    )  # fmt: skip


def delay_is_removed(correction: Correction[Any] | None = None) -> Verdict:
    """With the exact Hessian the iterates are those without delay, every tick of them."""
    problem, gamma = uneven(), 0.1
    used = ExactHessian() if correction is None else correction
    server = ParameterServer(ConstantStep(gamma), TICKS, _TIMES, correction=used)
    x = [problem.start()]
    for t, (worker, _) in enumerate(arrivals(server.schedule(5))):
        x.append(x[t] - gamma * drawn_gradient(problem, x[t], worker, t))
    return identity(
        "dc-asgd", "the exact Hessian removes the delay on a quadratic",
        ran(server, problem), torch.stack(x), check="no delay", problem="quadratic",
        provenance=_TOLD,
    )  # fmt: skip


def compensated(correction: Correction[Any] | None = None, *, adaptive: bool = False) -> Verdict:
    """DC-ASGD against its formula, from the kept versions."""
    problem, gamma, lam = uneven(), 0.1, 0.5
    used = DiagonalCompensation(lam, adaptive) if correction is None else correction
    server = ParameterServer(ConstantStep(gamma), TICKS, _TIMES, correction=used)
    x, square = [problem.start()], torch.zeros(6, dtype=torch.float64)
    for t, (worker, version) in enumerate(arrivals(server.schedule(5))):
        g = drawn_gradient(problem, x[version], worker, t)
        square = 0.95 * square + 0.05 * g**2
        factor = lam / (square + 1e-7).sqrt() if adaptive else lam
        x.append(x[t] - gamma * (g + factor * g * g * (x[t] - x[version])))
    form = "lam_0/sqrt(MeanSquare + eps)" if adaptive else "lam"
    return identity(
        "dc-asgd", f"g + {form} g*g*(x_now - x_read)", ran(server, problem), torch.stack(x),
        check="replay of versions", problem="quadratic",
        provenance=_TOLD,
    )  # fmt: skip


def downpour_client(
    build: Build = lambda downpour: downpour, *, n_push: int = 3, n_fetch: int = 2,
    push_first: bool = False,
) -> Verdict:  # fmt: skip
    """Downpour against Dean's client, one dictionary of local variables a worker."""
    problem, gamma = uneven(), 0.05
    method = Downpour(ConstantStep(gamma), TICKS, _TIMES, n_push, n_fetch, push_first=push_first)
    schedule = ParameterServer(ConstantStep(gamma), TICKS, _TIMES).schedule(5)
    x = [problem.start()]
    clients = [_Client(x[0], torch.zeros_like(x[0])) for _ in range(5)]
    for t, (worker, _) in enumerate(arrivals(schedule)):
        mine, server = clients[worker], x[t]
        g = drawn_gradient(problem, mine.x, worker, t)
        mine.accrued, mine.x = mine.accrued + g, mine.x - gamma * g
        if (mine.step if push_first else mine.step + 1) % n_push == 0:
            server, mine.accrued = server - gamma * mine.accrued, torch.zeros_like(g)
        mine.step += 1
        if mine.step % n_fetch == 0:
            mine.x = server
        x.append(server)
    return identity(
        "downpour", f"pushes every {n_push}, fetches every {n_fetch} gradients",
        ran(build(method), problem), torch.stack(x), check="replay of clients",
        problem="quadratic",
        provenance=_TOLD,
    )  # fmt: skip


def writes_add(build: Build = lambda hogwild: hogwild) -> Verdict:
    r"""A write moves x by a multiple of the sample a_s: equal on its support, 0 elsewhere."""
    problem = SparseLinear.overlapping(5, 64, 24, 6, seed=1)
    method = Hogwild(ConstantStep(0.3), TICKS, _TIMES)
    moves = ran(build(method), problem).diff(dim=0)
    wanted = torch.zeros_like(moves)
    schedule = arrivals(method.schedule(5))
    for t, (worker, _) in enumerate(schedule):
        draws = Key.seed(SEED).fold("gradient", t).draws(_ONE, torch.tensor([[worker]]))
        place = problem.supports[draws.integers(64, 1)[0, 0, 0]]
        wanted[t, place] = moves[t, place].mean()
    return identity(
        "hogwild", "a write adds a multiple of its sample and touches nothing else", moves, wanted,
        check="moves along samples", problem=problem.name,
        provenance=_TOLD,
    )  # fmt: skip


def lasso() -> tuple[LeastSquares, Tensor]:
    r"""Least squares on four shards, and the minimiser of f + WEIGHT ||x||_1 by scikit-learn."""
    from sklearn.linear_model import Lasso  # loaded where it is needed: it takes as long as torch

    draws = Key.seed(8).draws(torch.tensor(0), torch.arange(80))
    rows = draws.normal(13, torch.float64)
    true = torch.tensor([1.5, 0, 0, -1.0, 0, 0, 0, 0.5, 0, 0, 0, 0], dtype=torch.float64)
    features, targets = rows[:, :12], rows[:, :12] @ true + 0.3 * rows[:, 12]
    problem = LeastSquares.of(torch.split(features, 20), torch.split(targets, 20))
    model = Lasso(alpha=WEIGHT * 4 / 80, fit_intercept=False, tol=1e-15, max_iter=100_000)
    model.fit(features.numpy(), targets.numpy())
    return problem, torch.from_numpy(model.coef_)


def _against_lasso(row: str, method: Method[Any], problem: Problem, x: Tensor, t: int) -> Verdict:
    return identity(
        row, "it ends at the minimiser of f + weight ||x||_1", ran(method, problem, t)[-1], x,
        check="centralised solution", problem=problem.name, tolerance=1e-8,
        provenance="scikit-learn's coordinate descent",
    )  # fmt: skip


def coordinate_prox_solution(build: Build = lambda prox: prox, q: float = 0.3) -> Verdict:
    """Asynchronous coordinate prox, masks on the support, against scikit-learn's lasso."""
    problem, x = lasso()
    gamma, ticks = 1 / max(problem.smoothness), 2000
    method = CoordinateProx(
        ConstantStep(gamma), ticks, Exponential(), Selection(q, support=True), SoftThreshold(WEIGHT)
    )
    return _against_lasso("async-coordinate-prox", build(method), problem, x, ticks)


def delayed_proximal_solution(rule: Filter | None = None) -> Verdict:
    """Delayed block prox with a KKT filter against scikit-learn's lasso."""
    problem, x = lasso()
    gamma = 1 / (3 * problem.curvatures[-1].item())
    used = KKTFilter(WEIGHT) if rule is None else rule
    method = DelayedProximal(ConstantStep(gamma), 4, 2, SoftThreshold(WEIGHT), used)
    return _against_lasso("delayed-proximal", method, problem, x, 1200)


def asynchronous() -> tuple[Verdict, ...]:
    """All of them."""
    return (
        versions_are_read(),
        delay_is_removed(),
        compensated(),
        compensated(adaptive=True),
        downpour_client(n_push=1, n_fetch=1),
        downpour_client(),
        downpour_client(push_first=True),
        writes_add(),
        coordinate_prox_solution(),
        delayed_proximal_solution(),
    )


CLOSED_FORMS = (asynchronous,)
