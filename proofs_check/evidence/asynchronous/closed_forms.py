"""Closed forms: replays, asp, asp delay, dc asgd, downpour, hogwild, arrivals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.asynchronous.hogwild import Hogwild
from algorithms.methods.base import Method
from algorithms.methods.parts.delay_compensation import (
    Correction,
    DiagonalCompensation,
    ExactHessian,
)
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.sparse_linear import SparseLinear
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.synchronisation.schedule import Schedule
from proofs_check.evidence.synchronous.closed_forms_barriers import (
    DRAWN_SEED,
    DRAWN_TICKS,
    WORKERS,
    step_seconds,
)
from proofs_check.instruments.closed_forms import ClosedForms, same, supported
from proofs_check.instruments.erratum import Shown, demonstrates
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.rules import stability
from theory.stepsizes import ConstantStep
from theory.theorem import Metric
from theory.theorems.asysg_con import asysg_con

# Replays of an asynchronous schedule in plain Python: one worker at a time, all versions kept.


TICKS, SEED, WEIGHT = 60, 3, 1.5
TIMES = Exponential((1.0, 2.0, 0.5, 1.5, 0.7))
ONE = torch.zeros(1, dtype=torch.int64)
TOLD = f"five workers, {TICKS} ticks, seed {SEED}"


def uneven() -> Quadratic:
    """Five workers with Hessians and minimisers of their own, and noise."""
    a = torch.linspace(0.2, 1.5, 30, dtype=torch.float64).reshape(5, 6)
    b = torch.cos(torch.arange(30, dtype=torch.float64)).reshape(5, 6)
    return Quadratic.from_arrays(a, b, sigma2=0.5, x0=torch.ones(6, dtype=torch.float64))


def drawn_gradient(problem: Problem, x: Tensor, worker: int, t: int) -> Tensor:
    """The stochastic gradient ``[d]`` that ``worker`` draws at tick t of a run of seed SEED."""
    draws = Key.seed(SEED).fold("gradient", t).draws(ONE, torch.tensor([[worker]]))
    return problem.gradient(x[None, None], draws)[0, 0]


def arrivals(schedule: Schedule) -> list[tuple[int, int]]:
    """Worker and version of every tick, replica 0, one arrival a tick."""
    ids, versions = schedule.arrivals[:, 0, 0], schedule.versions[:, 0, 0]
    return list(zip(ids.tolist(), versions.tolist(), strict=True))


def ran(method: Method[Any], problem: Problem, ticks: int = TICKS) -> Tensor:
    """The models ``[ticks + 1, d]`` of replica 0."""
    return models(method, problem, ticks, seed=SEED)[:, 0]


# Asynchronous SGD: which version a gradient belongs to, its age, its seconds.


AspBuild = Callable[[Any], Method[Any]]


_ASP_FORMS = ClosedForms("asp")


@_ASP_FORMS.case("replay of versions", TOLD, on="quadratic")
def versions_are_read(build: AspBuild = lambda asp: asp) -> Verdict:
    """ASP's gradients belong to the versions that its schedule names."""
    problem, gamma = uneven(), 0.1
    asp = ParameterServer(ConstantStep(gamma), TICKS, TIMES)
    x = [problem.start()]
    for t, (worker, version) in enumerate(arrivals(asp.schedule(5))):
        x.append(x[t] - gamma * drawn_gradient(problem, x[version], worker, t))
    return same(
        "x_{t+1} = x_t - gamma g_i(x_v), v the version its schedule names",
        ran(build(asp), problem), torch.stack(x),
    )  # fmt: skip


@_ASP_FORMS.case("delay", "constant times")
def equal_times_age(barrier: Barrier | None = None) -> Verdict:
    """Asynchronous workers of one constant speed: every gradient is n - 1 updates old."""
    schedule = (barrier or Asynchronous()).schedule(
        WORKERS, DRAWN_TICKS, Constant(), Key.seed(DRAWN_SEED), torch.arange(1)
    )
    return same(
        "equal speeds: delay = n - 1", schedule.staleness[WORKERS:, 0, 0].numpy(), WORKERS - 1
    )


def asp() -> tuple[Verdict, ...]:
    """Versions, ages and seconds of an update."""
    seconds = step_seconds(Asynchronous(), "asp", 1 / WORKERS, Exponential())
    return (versions_are_read(), equal_times_age(), seconds)


# Delayed gradient descent: which stepsizes keep it stable.
#
# x_{t+1} = x_t - gamma a x_{t-tau} is stable iff gamma a < 2 sin(pi / (2 (2 tau + 1))).
# ASP with equal constant compute times serves n = tau + 1 workers in turn, so every gradient is tau
# updates old. Coordinates of a quadratic with different curvatures a_j are independent recursions:
# one run tries 64 values of gamma a, and the bracket of the threshold shrinks 63-fold per run.


AspDelayBuild = Callable[[ParameterServer], Method[Any]]

RELATIVE = 1e-3
_GRID = 64
_ROUNDS = (60, 400, 1200)  # ticks per round of the search, in which the bracket shrinks


def grows(build: AspDelayBuild, tau: int, products: Tensor, ticks: int) -> Tensor:
    """Whether |x| grows, for every product gamma a ``[d]``, over the last half of ``ticks``."""
    n, d = tau + 1, len(products)
    a = products.expand(n, d).clone()
    problem = Quadratic.from_arrays(a, torch.zeros_like(a), x0=torch.ones(d, dtype=torch.float64))
    method = build(ParameterServer(ConstantStep(1.0), ticks, Constant(), replicas=1))
    x = models(method, problem, ticks)[:, 0]
    window = ticks // 4
    early, late = x[-2 * window : -window], x[-window:]
    return late.square().mean(0) > early.square().mean(0)


def threshold(build: AspDelayBuild, tau: int) -> tuple[float, float]:
    """A bracket of the smallest unstable gamma a, in (0, 2.5]."""
    low, high = 0.0, 2.5
    for ticks in _ROUNDS:
        products = torch.linspace(low, high, _GRID, dtype=torch.float64)
        unstable = grows(build, tau, products[1:-1], ticks * (1 + tau // 4)).tolist()
        first = 1 + next((j for j, bad in enumerate(unstable) if bad), len(unstable))
        low, high = float(products[first - 1]), float(products[first])
        if high - low < RELATIVE / 4 * low:
            break
    return low, high


@_ASP_FORMS.case("closed form", on="quadratic")
def delay_threshold(build: AspDelayBuild = lambda asp: asp, tau: int = 2) -> Verdict:
    """The measured threshold against the formula, to 1e-3 relative."""
    low, high = threshold(build, tau)
    formula = stability.delay_threshold(tau)
    measured = (low + high) / 2
    half = (high - low) / 2
    close = abs(measured - formula) <= RELATIVE * formula
    return supported(
        f"constant delay {tau}: stable iff gamma a < 2 sin(pi/(2(2 tau+1)))", close, measured,
        formula, f"threshold between {low:.7g} and {high:.7g}, formula {formula:.7g}",
        uncertainty=half, resolution=RELATIVE * formula,
        words=f"{tau + 1} workers with equal compute times, 64 curvatures a run, no noise",
    )  # fmt: skip


def delays() -> tuple[Verdict, ...]:
    """Largest stable gamma a at delays tau = 0, 1, 2, 3, 5, 10."""
    return tuple(delay_threshold(tau=tau) for tau in (0, 1, 2, 3, 5, 10))


# DC-ASGD: the exact Hessian removes the delay; its formula from the kept versions.


_DC_ASGD_FORMS = ClosedForms("dc-asgd", "quadratic")


@_DC_ASGD_FORMS.case("no delay", TOLD)
def delay_is_removed(correction: Correction[Any] | None = None) -> Verdict:
    """With the exact Hessian the iterates are those without delay, every tick of them."""
    problem, gamma = uneven(), 0.1
    used = ExactHessian() if correction is None else correction
    server = ParameterServer(ConstantStep(gamma), TICKS, TIMES, correction=used)
    x = [problem.start()]
    for t, (worker, _) in enumerate(arrivals(server.schedule(5))):
        x.append(x[t] - gamma * drawn_gradient(problem, x[t], worker, t))
    return same(
        "the exact Hessian removes the delay on a quadratic", ran(server, problem), torch.stack(x)
    )


@_DC_ASGD_FORMS.case("replay of versions", TOLD)
def compensated(correction: Correction[Any] | None = None, *, adaptive: bool = False) -> Verdict:
    """DC-ASGD against its formula, from the kept versions."""
    problem, gamma, lam = uneven(), 0.1, 0.5
    used = DiagonalCompensation(lam, adaptive) if correction is None else correction
    server = ParameterServer(ConstantStep(gamma), TICKS, TIMES, correction=used)
    x, square = [problem.start()], torch.zeros(6, dtype=torch.float64)
    for t, (worker, version) in enumerate(arrivals(server.schedule(5))):
        g = drawn_gradient(problem, x[version], worker, t)
        square = 0.95 * square + 0.05 * g**2
        factor = lam / (square + 1e-7).sqrt() if adaptive else lam
        x.append(x[t] - gamma * (g + factor * g * g * (x[t] - x[version])))
    form = "lam_0/sqrt(MeanSquare + eps)" if adaptive else "lam"
    return same(f"g + {form} g*g*(x_now - x_read)", ran(server, problem), torch.stack(x))


def dc_asgd() -> tuple[Verdict, ...]:
    """The exact Hessian, and both forms of the approximation."""
    return (delay_is_removed(), compensated(), compensated(adaptive=True))


# Downpour SGD against Dean's client, written as in the paper.


DownpourBuild = Callable[[Any], Method[Any]]


@final
@dataclass
class _Client:
    """Local variables of one of Dean's clients."""

    x: Tensor
    accrued: Tensor
    step: int = 0


_DOWNPOUR_FORMS = ClosedForms("downpour")


@_DOWNPOUR_FORMS.case("replay of clients", TOLD, on="quadratic")
def downpour_client(
    build: DownpourBuild = lambda downpour: downpour, *, n_push: int = 3, n_fetch: int = 2,
    push_first: bool = False,
) -> Verdict:  # fmt: skip
    """Downpour against Dean's client, one dictionary of local variables a worker."""
    problem, gamma = uneven(), 0.05
    method = Downpour(ConstantStep(gamma), TICKS, TIMES, n_push, n_fetch, push_first=push_first)
    schedule = ParameterServer(ConstantStep(gamma), TICKS, TIMES).schedule(5)
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
    return same(
        f"pushes every {n_push}, fetches every {n_fetch} gradients", ran(build(method), problem),
        torch.stack(x),
    )  # fmt: skip


def downpour() -> tuple[Verdict, ...]:
    """Every step, periods, and pushing before fetching."""
    return (
        downpour_client(n_push=1, n_fetch=1), downpour_client(), downpour_client(push_first=True),
    )  # fmt: skip


# Hogwild: what a write changes.


HogwildBuild = Callable[[Any], Method[Any]]


_HOGWILD_FORMS = ClosedForms("hogwild")


@_HOGWILD_FORMS.case("moves along samples", TOLD)
def writes_add(build: HogwildBuild = lambda hogwild: hogwild) -> Verdict:
    r"""A write moves x by a multiple of the sample a_s: equal on its support, 0 elsewhere."""
    problem = SparseLinear.overlapping(5, 64, 24, 6, seed=1)
    method = Hogwild(ConstantStep(0.3), TICKS, TIMES)
    moves = ran(build(method), problem).diff(dim=0)
    wanted = torch.zeros_like(moves)
    schedule = arrivals(method.schedule(5))
    for t, (worker, _) in enumerate(schedule):
        draws = Key.seed(SEED).fold("gradient", t).draws(ONE, torch.tensor([[worker]]))
        place = problem.supports[draws.integers(64, 1)[0, 0, 0]]
        wanted[t, place] = moves[t, place].mean()
    return same(
        "a write adds a multiple of its sample and touches nothing else", moves, wanted, on=problem
    )


def hogwild() -> tuple[Verdict, ...]:
    """Writes add on the support of a sample."""
    return (writes_add(),)


# One gradient arrives, one is applied: what the survey prints of asynchronous SGD (E3, T3).


@demonstrates("E3", "asp", "gradients that an update of the server takes, by the ledger")
def e3() -> Shown:
    """The server hears one worker a step: 32 N bits an update, not n times that."""
    problem = uneven()
    server = ParameterServer(ConstantStep(0.1), TICKS, TIMES)
    account = run(server, problem, steps=TICKS).account
    messages = float(account.sent_messages.double().sum()) / TICKS
    return (
        (messages, 1.0),
        (float(problem.n), messages),
        f"{problem.n} workers, {TICKS} updates; printed: the sum over all workers",
    )


@demonstrates("T3", "asp", "Lian et al. 2015 ask for no convexity and bound squared gradients")
def t3() -> Shown:
    """The bound cited for f - f* of convex functions is one of squared gradients, convex or not."""
    c = Constants(L=2.0, sigma2=5.0, zeta2=0.0, tau=3, initial_gap=3.0, convex=False)
    step = asysg_con.stepsize(c, 100)
    return (
        (float(asysg_con.applies(c, step, 100)), 1.0),
        (float(asysg_con.metric in (Metric.SUBOPTIMALITY, Metric.WEIGHTED_SUBOPTIMALITY)), 1.0),
        f"the theorem's metric is {asysg_con.metric.value}",
    )


CLOSED_FORMS = (asp, delays, dc_asgd, downpour, hogwild)


COVERS = {"delays": ("asp",)}
