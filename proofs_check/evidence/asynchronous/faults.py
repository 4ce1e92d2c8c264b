"""Faults in asynchronous methods, and closed forms of proximal steps that see some of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.methods.asynchronous.coordinate_prox import CoordinateProx
from algorithms.methods.asynchronous.delayed_proximal import DelayedProximal
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.coordinate_selection import Selection
from algorithms.methods.parts.delay_compensation import (
    Correction,
    DiagonalCompensation,
    ExactHessian,
    LateGradients,
)
from algorithms.methods.parts.gradient_filter import Filter, KKTFilter
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.problems.base import Problem
from algorithms.problems.least_squares import LeastSquares
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.compute_times import Exponential
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from proofs_check.evidence.asynchronous.closed_forms import (
    WEIGHT,
    compensated,
    delay_is_removed,
    delay_threshold,
    downpour_client,
    equal_times_age,
    ran,
    versions_are_read,
    writes_add,
)
from proofs_check.instruments.evidence import identity
from proofs_check.methods.faulty.faulty_method import FaultyMethod, SpoiltBarrier
from proofs_check.methods.faulty.methods import FreshASP
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

# Closed forms: lasso, async coordinate prox, delayed proximal.

# Least squares with an l1 term: where asynchronous proximal methods must end, by scikit-learn.


def lasso() -> tuple[LeastSquares, Tensor]:
    r"""Least squares on four shards, and the minimiser of f + WEIGHT ||x||_1 by scikit-learn."""
    from sklearn.linear_model import Lasso  # loaded where it is needed: it takes as long as torch

    draws = Key.seed(8).draws(torch.tensor(0), torch.arange(80))
    rows = draws.normal(13, torch.float64)
    true = torch.tensor([1.5, 0, 0, -1.0, 0, 0, 0, 0.5, 0, 0, 0, 0], dtype=torch.float64)
    features, targets = rows[:, :12], rows[:, :12] @ true + 0.3 * rows[:, 12]
    problem = LeastSquares.from_data(torch.split(features, 20), torch.split(targets, 20))
    model = Lasso(alpha=WEIGHT * 4 / 80, fit_intercept=False, tol=1e-15, max_iter=100_000)
    model.fit(features.numpy(), targets.numpy())
    return problem, torch.from_numpy(model.coef_)


def against_lasso(row: str, method: Method[Any], problem: Problem, x: Tensor, t: int) -> Verdict:
    """End point of ``method``, against scikit-learn's minimiser."""
    return identity(
        row, "it ends at the minimiser of f + weight ||x||_1", ran(method, problem, t)[-1], x,
        check="centralised solution", problem=problem.name, tolerance=1e-8,
        provenance="scikit-learn's coordinate descent",
    )  # fmt: skip


# Asynchronous coordinate prox against scikit-learn's lasso.


Build = Callable[[Any], Method[Any]]


def coordinate_prox_solution(build: Build = lambda prox: prox, q: float = 0.3) -> Verdict:
    """Asynchronous coordinate prox, masks on the support, against scikit-learn's lasso."""
    problem, x = lasso()
    gamma, ticks = 1 / max(problem.smoothness), 2000
    method = CoordinateProx(
        ConstantStep(gamma), ticks, Exponential(), Selection(q, support=True), SoftThreshold(WEIGHT)
    )
    return against_lasso("async-coordinate-prox", build(method), problem, x, ticks)


def async_coordinate_prox() -> tuple[Verdict, ...]:
    """End point of asynchronous coordinate prox: scikit-learn's lasso."""
    return (coordinate_prox_solution(),)


# Delayed block prox with a KKT filter against scikit-learn's lasso.


def delayed_proximal_solution(rule: Filter | None = None) -> Verdict:
    """Delayed block prox with a KKT filter against scikit-learn's lasso."""
    problem, x = lasso()
    gamma = 1 / (3 * problem.curvatures[-1].item())
    used = KKTFilter(WEIGHT) if rule is None else rule
    method = DelayedProximal(ConstantStep(gamma), 4, 2, SoftThreshold(WEIGHT), used)
    return against_lasso("delayed-proximal", method, problem, x, 1200)


def delayed_proximal() -> tuple[Verdict, ...]:
    """End point of delayed block prox: scikit-learn's lasso."""
    return (delayed_proximal_solution(),)


CLOSED_FORMS = (async_coordinate_prox, delayed_proximal)


# Faults in asynchronous methods: ages, compensation, accrual, writes, prox and filter.


@final
@dataclass(frozen=True)
class Reversed(Correction[Any]):
    """A compensation with the wrong sign: it takes x_read - x_now."""

    right: Correction[Any]

    @property
    def name(self) -> str:
        return f"{self.right.name}, reversed"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Any:
        return self.right.init(shape, dtype, device)

    def apply(self, state: Any, late: LateGradients) -> tuple[Any, Tensor]:
        state, used = self.right.apply(state, late)
        return state, late.g - (used - late.g)


@final
@dataclass(frozen=True)
class Overwriting(FaultyMethod):
    """Hogwild that stores x_read - gamma g where it should add - gamma g to what is there."""

    right: Method[Any]

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        tick, before = state.schedule.tick(t), self.right.models(state)
        read = self.right.read(state, tick.versions, tick.arrivals, t, context)  # type: ignore[attr-defined]
        after = self.right.step(state, t, context)
        move = self.right.models(after) - before
        stored = torch.where(move != 0, read + move, before)
        after.versions[..., after.newest, :] = stored[..., 0, :]
        return after

    def seconds(self, state: Any, t: int) -> Tensor | None:
        return self.right.seconds(state, t)


@final
@dataclass(frozen=True)
class ActiveDropping(Filter):
    """A KKT filter that looks at gradients alone, and drops coordinates that are not zero.

    Attributes:
        weight: entries up to this size are dropped [f / x].
    """

    weight: float

    @property
    def name(self) -> str:
        return "filter of small gradients"

    def sends(self, g: Tensor, x: Tensor, t: int) -> Tensor:
        return g.abs() > self.weight


def _read_first(now: WorkerStates, d: Decision) -> Decision:
    """A worker takes the model of the tick before its own gradient is applied."""
    return d._replace(fetched=np.roll(d.fetched, 1, axis=1))


@wrong_step("ASP one version late", judge=versions_are_read)
def late_by_one(own: Method[Any], state: Any, t: int, context: RunContext) -> Any:
    """the answer is the model before the update it follows"""
    before = state.x
    after = own.step(state, t, context)
    fetched = after.schedule.tick(t).fetches[..., None].expand(*before.shape[:-2], 1, 1)
    index = fetched.expand(*fetched.shape[:-1], before.shape[-1])
    return after._replace(view=after.view.scatter(-2, index, before))


@wrong_step("Downpour not clearing", judge=downpour_client)
def uncleared_push(own: Method[Any], state: Any, t: int, context: RunContext) -> Any:
    """an accrued gradient stays after its push"""
    worker = state.schedule.tick(t).arrivals
    index = worker[..., None].expand(*worker.shape, state.x.shape[-1])
    g = context.gradient_of(state.local.gather(-2, index), worker, t)
    grown = state.accrued.gather(-2, index) + g
    after = own.step(state, t, context)
    return after._replace(accrued=after.accrued.scatter(-2, index, grown))


@wrong_step("prox before the mean", judge=coordinate_prox_solution)
def prox_before_mean(own: Method[Any], state: Any, t: int, context: RunContext) -> Any:
    """the server averages proxed points"""
    after = own.step(state, t, context)
    rule, shrink = own.step_rule, own.proximal  # type: ignore[attr-defined]
    x = shrink.apply(after.points[..., : context.network.n, :], rule(t), t).mean(-2, keepdim=True)
    subset = after.schedule.tick(t).arrivals
    index = subset[..., None].expand(*subset.shape, x.shape[-1])
    return after._replace(x=x, read=after.read.scatter(-2, index, x.expand(index.shape)))


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "delay compensation reversed", "lam g*g*(x_read - x_now)",
        compensated, Reversed(DiagonalCompensation(0.5)),
    ),
    fault(
        "exact compensation reversed", "g - H (x_now - x_read)",
        delay_is_removed, Reversed(ExactHessian()),
    ),
    fault(
        "Hogwild overwriting", "x_read - gamma g is stored where - gamma g is to be added",
        writes_add, Overwriting,
    ),
    fault(
        "KKT filter dropping active coordinates", "small gradients of non-zero coordinates are cut",
        delayed_proximal_solution, ActiveDropping(WEIGHT),
    ),
    fault(
        "ASP reading fresh values", "an arriving gradient is taken at the newest model",
        delay_threshold, FreshASP,
    ),
    fault(
        "asynchronous worker with another's model", "the next worker fetches in its place",
        equal_times_age, SpoiltBarrier(Asynchronous(), _read_first),
    ),
)  # fmt: skip
