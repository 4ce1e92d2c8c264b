"""Closed forms: replays, CoCoD-SGD, cooperative SGD, EASGD, printed cells; the wrong side of S."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.methods.base import Method, RunContext
from algorithms.methods.cooperative.cocod import CoCoD
from algorithms.methods.cooperative.cooperative import (
    Central,
    Cooperative,
    Gossip,
    Mixing,
    MixingOrder,
    averaging,
    elastic,
)
from algorithms.methods.cooperative.easgd import EASGD, EASGDState
from algorithms.methods.cooperative.easgd_async import AsyncEASGD
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Exponential
from algorithms.synchronisation.periods import PostLocal
from algorithms.topologies.ring import Ring
from proofs_check.evidence.asynchronous.closed_forms import (
    SEED,
    TICKS,
    arrivals,
    drawn_gradient,
    ran,
    uneven,
)
from proofs_check.evidence.local_updates.closed_forms_law import law_of_uneven_workers
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.erratum import Shown, demonstrates
from proofs_check.instruments.paths import models, path
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.rules.stability import Elastic
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorem import Metric
from theory.theorems.cooperative_sgd import cooperative_sgd

# Replays of cooperative methods in numpy: the problem's gradients and the workers' models.


GAMMA, N, D = 0.1, 5, 6
STEP = ConstantStep(GAMMA)
ONE = torch.zeros(1, dtype=torch.int64)
TOLD = f"five workers, seed {SEED}"
TIMES = Exponential((1.0, 2.0, 0.5, 1.5, 0.7))


def unchanged(method: Any) -> Method[Any]:
    """The method unchanged; mutants put a fault in its place."""
    return method  # type: ignore[no-any-return]


def rows_along(method: Method[Any], problem: Problem, steps: int) -> Tensor:
    """All workers' models ``[steps + 1, n or 1, d]`` of replica 0."""
    seen = path(method, problem, steps, seed=SEED)
    return torch.stack([method.models(moment.state)[0].clone() for moment in seen])


def gradients(problem: Problem, x: Sequence[Tensor], t: int) -> list[Tensor]:
    """Stochastic gradients of all workers at step t, one at a time."""
    return [drawn_gradient(problem, row, i, t) for i, row in enumerate(x)]


# CoCoD-SGD: averages that arrive a period late, and its exact law on quadratics.


Build = Callable[[Any], Method[Any]]


cocod_sgd = ClosedForms("cocod-sgd")
"""Closed forms of cocod-sgd."""


@cocod_sgd.case("replay of CoCoD-SGD", TOLD, on="quadratic")
def overlap_replay(build: Build = unchanged) -> Verdict:
    """CoCoD-SGD: the mean is one period old, what was done meanwhile is kept."""
    problem, period = uneven(), 4
    x = [problem.start() for _ in range(N)]
    sent, due = list(x), [torch.stack(x)]
    for t in range(30):
        x = [xi - GAMMA * g for xi, g in zip(x, gradients(problem, x, t), strict=True)]
        if (t + 1) % period == 0:
            mean = torch.stack(sent).mean(0)
            x = [mean + (xi - yi) for xi, yi in zip(x, sent, strict=True)]
            sent = list(x)
        due.append(torch.stack(x))
    return same(
        "x_i = mean of the models sent a period ago + own progress since",
        rows_along(build(CoCoD(STEP, period)), problem, 30), torch.stack(due),
    )  # fmt: skip


@cocod_sgd.case("mean is BSP", TOLD, on="quadratic-sc")
def overlap_mean_is_bsp(build: Build = unchanged) -> Verdict:
    """On a common Hessian the mean model of CoCoD-SGD is that of BSP-SGD, noise included."""
    problem = Quadratic.strongly_convex(N, 12, sigma2=1.0, zeta2=4.0)
    return same(
        "common Hessian: the mean model is BSP-SGD's",
        models(build(CoCoD(STEP, 4)), problem, 40, replicas=3),
        models(BSP(STEP), problem, 40, replicas=3),
    )


def law_of_overlap(build: Callable[[Stepsize, int], Method[Any]] = CoCoD) -> tuple[Verdict, ...]:
    """Local SGD's exact moments where models restart from the old mean and their own progress."""
    return law_of_uneven_workers(build, overlapped=True, subject="cocod-sgd")


# Cooperative SGD: columns are mixed, and three methods are special cases of it.


cooperative_sgd_cooperative_sgd = ClosedForms(
    "cooperative-sgd", "quadratic", name="cooperative_sgd_cooperative_sgd"
)
"""Closed forms of cooperative-sgd."""


@cooperative_sgd_cooperative_sgd.case("X S, S not symmetric", TOLD)
def columns_are_mixed(build: Build = unchanged) -> Verdict:
    """X+ = (X - gamma G) S for an S that is not symmetric, with an auxiliary column."""
    problem, period, size = uneven(), 2, N + 1
    raw = np.random.default_rng(5).random((size, size)) + np.eye(size)
    s = raw / raw.sum(0)
    x = torch.stack([problem.start()] * size)
    due = [x[:N]]
    for t in range(20):
        x = x.clone()
        x[:N] -= GAMMA * torch.stack(gradients(problem, list(x[:N]), t))
        if (t + 1) % period == 0:
            x = (x.T @ torch.from_numpy(s)).T
        due.append(x[:N])
    mixing = Central(tuple(tuple(row) for row in s.tolist()), N)
    return same(
        "columns are mixed by S from the right",
        rows_along(build(Cooperative(STEP, mixing, period)), problem, 20), torch.stack(due),
    )  # fmt: skip


@cooperative_sgd_cooperative_sgd.case("special case", TOLD)
def covers_local_sgd() -> Verdict:
    """Cooperative SGD with W = J, full averaging, is local SGD."""
    problem = uneven()
    return same(
        "W = J is local SGD", rows_along(Cooperative(STEP, averaging(N), 4), problem, 30),
        rows_along(LocalSGD(STEP, 4), problem, 30),
    )  # fmt: skip


@cooperative_sgd_cooperative_sgd.case("special case", TOLD)
def covers_d_psgd() -> Verdict:
    """tau = 1 on a ring is D-PSGD, bit for bit, with its gradient beside the mixing."""
    problem = uneven()
    method = Cooperative(STEP, Gossip(Ring(N)), order=MixingOrder.BESIDE)
    return same(
        "H = 1 is D-PSGD, bit for bit", rows_along(method, problem, 30),
        rows_along(DPSGD(STEP, Ring(N)), problem, 30), tolerance=0.0,
    )  # fmt: skip


@cooperative_sgd_cooperative_sgd.case("special case", TOLD)
def covers_easgd() -> Verdict:
    """One auxiliary column is EASGD's centre."""
    problem, alpha, period = uneven(), 0.07, 3
    method = Cooperative(STEP, elastic(N, alpha), PostLocal(1, period), MixingOrder.BESIDE)
    got = [m.state.extra[0, 0].clone() for m in path(method, problem, 30, seed=SEED)]
    due = models(EASGD(STEP, alpha, period=period), problem, 30, seed=SEED)[:, 0]
    return same("one auxiliary column is EASGD's centre", torch.stack(got), due)


# Elastic averaging: the law of mean and centre; independent replays, in step and asynchronous.


_EASGD_FORMS = ClosedForms("easgd", "quadratic")


@_EASGD_FORMS.case("2x2 matrix", TOLD)
def mean_and_centre(build: Build = unchanged, alpha: float = 0.15, beta: float = 0.4) -> Verdict:
    """Deviations shrink by 1 - h - alpha, (xbar, c) moves by the 2x2 matrix, coordinatewise."""
    a = torch.linspace(0.3, 9.0, D, dtype=torch.float64)
    problem = Quadratic.from_arrays(a.expand(N, D), torch.zeros(N, D, dtype=torch.float64))
    x = torch.sin(torch.arange(N * D, dtype=torch.float64)).reshape(1, N, D)
    centre = torch.cos(torch.arange(D, dtype=torch.float64))[None, None]
    start = EASGDState(centre, x, torch.zeros_like(x))
    method = build(EASGD(STEP, alpha, beta))
    ends = [m.state for m in path(method, problem, 12, state=start)]
    maps = [Elastic(GAMMA * v, alpha, beta) for v in a.tolist()]
    got, due = [], []
    for t, end in enumerate(ends):
        mean = end.x.mean(1, keepdim=True)
        got.append(torch.cat(((end.x - mean)[0], mean[0], end.centre[0])).numpy())
        rows = (x - x.mean(1, keepdim=True))[0].numpy() * [m.deviation**t for m in maps]
        powers = [np.linalg.matrix_power(np.array(m.matrix), t) for m in maps]
        pair = np.concatenate((x.mean(1).numpy(), centre[0].numpy()))
        moved = np.stack([p @ pair[:, j] for j, p in enumerate(powers)], axis=1)
        due.append(np.concatenate((rows, moved)))
    return same(
        "deviations contract by 1 - eta a - alpha; (xbar, c) moves by the 2x2 matrix",
        np.stack(got), np.stack(due),
    )  # fmt: skip


@_EASGD_FORMS.case("replay of EASGD", TOLD)
def elastic_replay(build: Build = unchanged, momentum: float = 0.0, period: int = 3) -> Verdict:
    """EASGD and EAMSGD in step against Equations 5 and 6, one worker at a time."""
    problem, alpha = uneven(), 0.07
    x = [problem.start() for _ in range(N)]
    v = [torch.zeros(D, dtype=torch.float64) for _ in range(N)]
    centre, due = problem.start(), [problem.start()]
    for t in range(30):
        g = gradients(problem, [xi + momentum * vi for xi, vi in zip(x, v, strict=True)], t)
        v = [momentum * vi - GAMMA * gi for vi, gi in zip(v, g, strict=True)]
        pulls = [alpha * (xi - centre) * (t % period == 0) for xi in x]
        x = [xi - pull + vi for xi, pull, vi in zip(x, pulls, v, strict=True)]
        centre = centre + torch.stack(pulls).sum(0)
        due.append(centre)
    method = build(EASGD(STEP, alpha, period=period, momentum=momentum))
    return same(
        f"Equations 5 and 6 with H={period}, delta={momentum:g}",
        models(method, problem, 30, seed=SEED)[:, 0], torch.stack(due),
    )  # fmt: skip


@_EASGD_FORMS.case("replay of asynchronous EASGD", TOLD)
def asynchronous_replay(
    build: Build = unchanged, momentum: float = 0.0, period: int = 2
) -> Verdict:
    """Algorithms 1 and 2: every worker's own clock, the centre changed at once."""
    problem, alpha = uneven(), 0.2
    method = AsyncEASGD(STEP, TICKS, TIMES, alpha, period, momentum)
    plan = method.barrier.schedule(N, TICKS, TIMES, Key.seed(method.schedule_seed), ONE)
    x = [problem.start() for _ in range(N)]
    v = [torch.zeros(D, dtype=torch.float64) for _ in range(N)]
    made, centre, due = [0] * N, problem.start(), [problem.start()]
    for t, (i, _) in enumerate(arrivals(plan)):
        v_next = momentum * v[i] - GAMMA * drawn_gradient(problem, x[i] + momentum * v[i], i, t)
        if made[i] % period == 0:
            pull = alpha * (x[i] - centre)
            x[i], centre = x[i] - pull, centre + pull
        x[i], v[i] = x[i] + v_next, v_next
        made[i] += 1
        due.append(centre)
    return same(
        f"Algorithms 1 and 2 on the workers' own clocks, H={period}, delta={momentum:g}",
        ran(build(method), problem), torch.stack(due),
    )  # fmt: skip


def easgd() -> tuple[Verdict, ...]:
    """EASGD and EAMSGD, in step and by clocks of their own."""
    return (
        mean_and_centre(), elastic_replay(), elastic_replay(momentum=0.6),
        asynchronous_replay(), asynchronous_replay(momentum=0.6, period=1),
    )  # fmt: skip


# Cooperative SGD in Table IV's convex column (T7).


@demonstrates("T7", "cooperative-sgd", "the theorem holds for non-convex functions")
def t7() -> Shown:
    """Theorem 1 bounds squared gradients, asks for no convexity, and for one objective."""
    c = cooperative_sgd.example.state(convex=False)
    step = cooperative_sgd.stepsize(c, 100)
    apart = cooperative_sgd.violations(c.state(zeta2=1.0), step, 100)
    return (
        (float(cooperative_sgd.applies(c, step, 100)), 1.0),
        (float(cooperative_sgd.metric is Metric.WEIGHTED_SUBOPTIMALITY), 1.0),
        f"its metric is {cooperative_sgd.metric.value}; {apart[0]}",
    )


CLOSED_FORMS = (law_of_overlap, easgd)


COVERS = {
    "cooperative_sgd_cooperative_sgd": ("cooperative-sgd", "gossip-local-sgd"),
    "law_of_overlap": ("cocod-sgd",),
}


@final
@dataclass(frozen=True)
class Transposed(Mixing):
    """S^T in the place of S: from the wrong side, as one gets who keeps models as rows."""

    right: Mixing

    @property
    def name(self) -> str:
        return f"{self.right.name}, transposed"

    @property
    def auxiliary(self) -> int:
        return self.right.auxiliary

    def constants(self) -> Constants:
        return self.right.constants()

    def check(self, context: RunContext) -> None:
        self.right.check(context)

    def apply(self, x: Tensor, extra: Tensor, t: int, context: RunContext) -> tuple[Tensor, Tensor]:
        size, n = x.shape[-2] + self.auxiliary, x.shape[-2]
        unit = torch.eye(size, dtype=x.dtype).expand(*x.shape[:-2], size, size)
        rows = self.right.apply(unit[..., :n, :], unit[..., n:, :], t, context)
        s = torch.cat(rows, -2)  # S^T: rows of I S
        mixed = s.mT @ torch.cat((x, extra), -2)
        return mixed[..., :n, :].contiguous(), mixed[..., n:, :].contiguous()


def from_the_left(right: Cooperative) -> Cooperative:
    """Cooperative SGD that mixes with S^T."""
    return replace(right, mixing=Transposed(right.mixing))


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "cooperative SGD from the wrong side", "S^T X in the place of X S, S not symmetric",
        columns_are_mixed, from_the_left,
    ),
)  # fmt: skip
