"""Closed forms: one Hessian for all, exact covariances, post-local SGD."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method, dense_bits
from algorithms.methods.local_updates.adacomm import AdaComm
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.periods import PostLocal
from algorithms.synchronisation.stopwatch import Timing
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.erratum import Shown, demonstrates
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.instruments.whitened import models_at_end, unequal, whitened
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.networks.second_moments import linear_moments
from theory.seconds.costs import AlphaBeta
from theory.seconds.periods import adapted_period
from theory.stepsizes import ConstantStep, InverseTimeStep
from theory.survey.speedup_rounds import rounds
from theory.theorem import Metric
from theory.theorems.pqasgd import pqasgd

# Local updates on quadratics with one Hessian: what all rows of the family obey.
#
# Everything but the operator is linear and alike on all workers. Without noise, j steps after a
# meeting x_i - \bar x = s_j (b_i - \bar b), where v_{j+1} = m v_j + \gamma a (s_j - 1),
# s_{j+1} = s_j - v_{j+1}, s_0 = v_0 = 0.


STEPS, SEED, COMMON_HESSIAN_REPLICAS, A, GAMMA = 40, 181, 4, 0.5, 0.2
FALLING = InverseTimeStep(6.0, 12.0)
TOLD = f"seed {SEED}, {COMMON_HESSIAN_REPLICAS} replicas, {STEPS} steps, equal draws"


def noisy() -> Quadratic:
    """One Hessian, different minimisers, noise; n = 5."""
    return Quadratic.strongly_convex(5, 12, L=2.0, mu=0.1, sigma2=3.0, zeta2=9.0, R2=4.0)


def quiet(n: int = 3) -> Quadratic:
    """f_i(x) = a (x - b_i)^2 / 2 in two coordinates, no noise; x_0 = (1, -2)."""
    generator = torch.Generator().manual_seed(SEED)
    b = torch.randn((n, 2), generator=generator, dtype=torch.float64)
    x0 = torch.tensor([1.0, -2.0], dtype=torch.float64)
    return Quadratic.from_arrays(torch.full_like(b, A), b, x0=x0)


def spreads(ends: tuple[int, ...], m: float) -> Floats:
    """s_j at every step t = 0, ..., T: j steps after the last meeting."""
    s = v = 0.0
    told = [0.0]
    for t in range(1, STEPS + 1):
        v = m * v + GAMMA * A * (s - 1)
        s -= v
        if t in ends:
            s = v = 0.0
        told.append(s)
    return np.array(told)


def spread_of_run(method: Method[Any]) -> Floats:
    """(x_1 - xbar) / (b_1 - bbar) ``[T + 1, d]`` along the path without noise."""
    problem = quiet()
    b = problem.c / problem.a
    rows = [method.models(moment.state)[0] for moment in path(method, problem, STEPS)]
    away = torch.stack([x[0] - x.mean(0) for x in rows])
    return (away / (b[0] - b.mean(0))).numpy()


def same_means(
    row: str, claim: str, one: Method[Any], other: Method[Any], tolerance: float = 1e-12
) -> Verdict:
    """Equal draws, equal mean models all along."""
    problem = noisy()
    paths = (
        models(m, problem, STEPS, seed=SEED, replicas=COMMON_HESSIAN_REPLICAS) for m in (one, other)
    )
    return identity(
        row, claim, *(p.numpy() for p in paths), tolerance=tolerance,
        check="identity of two methods", problem=problem.name, provenance=TOLD,
    )  # fmt: skip


# Local SGD where Hessians differ: between meetings the models have the exact covariance.


_SECOND_MOMENTS_N, _PERIOD, _SECOND_MOMENTS_STEPS, _SECOND_MOMENTS_STEP, _SECOND_MOMENTS_SEED = (
    6,
    5,
    23,
    0.3,
    4,
)


def covariance_of_local_sgd(noise_share: float = 1.0) -> Verdict:
    """W = J at meetings, else I; 3 steps after one the models differ, and none is singular."""
    problem = unequal(_SECOND_MOMENTS_N)
    mean, alone = (
        np.full((_SECOND_MOMENTS_N, _SECOND_MOMENTS_N), 1 / _SECOND_MOMENTS_N),
        np.eye(_SECOND_MOMENTS_N),
    )
    met = [mean if (t + 1) % _PERIOD == 0 else alone for t in range(_SECOND_MOMENTS_STEPS)]
    law = linear_moments(
        met, problem.a.numpy(), problem.c.numpy(), np.zeros(problem.d), step=_SECOND_MOMENTS_STEP,
        variance=noise_share * problem.sigma2 / problem.d,
    )  # fmt: skip
    got = models_at_end(
        LocalSGD(ConstantStep(_SECOND_MOMENTS_STEP), _PERIOD),
        problem,
        _SECOND_MOMENTS_STEPS,
        _SECOND_MOMENTS_SEED,
    )
    return whitened(
        "local-sgd",
        "mean and covariance of all models follow the linear recursion, Hessians unequal",
        got,
        law,
        check="second moments",
        provenance=f"derived here; seed {_SECOND_MOMENTS_SEED}",
    )


def local_second_moments() -> tuple[Verdict, ...]:
    """The law of all workers' models at the end of a run."""
    return (covariance_of_local_sgd(),)


# Post-local SGD at the two ends of its switch.


def post_local() -> tuple[Verdict, ...]:
    """Switched at once it is local SGD, switched at the end it averages every step."""
    start, end = (LocalSGD(FALLING, PostLocal(switch, 6)) for switch in (0, STEPS))
    row = "post-local-sgd"
    return (
        same_means(row, "switch 0: local SGD, bit for bit", start, LocalSGD(FALLING, 6), 0.0),
        same_means(row, "switch T: H = 1, bit for bit", end, LocalSGD(FALLING, 1), 0.0),
        same_means(row, "switch T: BSP-SGD, to rounding", end, BSP(FALLING)),
    )


# Closed forms: adacomm, printed rounds.


# AdaComm where everything is known: a noise-free quadratic, gradients of constant length.
#
# f(x) = a ||x||^2 / 2 on every worker: F(x_t) / F(x_0) = q^{2t}, q = 1 - \gamma a, so at a meeting
# after t steps the rule asks for \lceil q^t H_0 \rceil. A step takes as long as the slowest worker,
# a meeting D seconds more. Forced decay is played on a loss that stalls: F(x_0) at a minimiser.


Build = Callable[..., Method[Any]]

_STEPS, _A, _GAMMA, _D = 120, 1.0, 0.02, 3
_FIRST, _INTERVAL, _OFTEN, _DECAY = 16, 10.0, 1e-9, 0.75
_TIMING = Timing(Constant((1.0, 0.5, 0.75)), AlphaBeta(1.0, 1.0 / 256))


class ExpectedPeriods(NamedTuple):
    """After every step: seconds, meetings so far."""

    seconds: Floats
    meetings: Floats


def expected(interval: float, decay: float | None) -> ExpectedPeriods:
    """By hand, step by step, in plain numbers."""
    delay = 2 * (1.0 + dense_bits(_D, torch.float64) / 256)
    clock, due, period, since, met = 0.0, interval, _FIRST, 0, 0
    seconds, meetings = [0.0], [0.0]
    for t in range(1, _STEPS + 1):
        clock, since = clock + 1.0, since + 1
        if since == period:
            clock, since, met = clock + delay, 0, met + 1
            if clock >= due:
                loss = (1 - _GAMMA * _A) ** (2 * t)
                wanted, due = adapted_period(_FIRST, loss, 1.0), clock + interval
                stalls = decay is not None and wanted >= period
                period = max(1, math.floor((decay or 1.0) * period)) if stalls else wanted
        seconds.append(clock)
        meetings.append(float(met))
    return ExpectedPeriods(np.array(seconds), np.array(meetings))


_ADACOMM_FORMS = ClosedForms("adacomm")


@_ADACOMM_FORMS.case(
    "closed form, adapted periods", f"{_STEPS} steps, H_0={_FIRST}, T_0={_INTERVAL:g} s, no noise"
)
def adapted_periods(build: Build = AdaComm) -> Iterator[Verdict]:
    """Seconds and messages of AdaComm at every step, against the recursion by hand."""
    a = torch.full((3, _D), _A, dtype=torch.float64)
    x0 = torch.tensor([3.0, -1.0, 2.0], dtype=torch.float64)
    problem = Quadratic.from_arrays(a, torch.zeros_like(a), x0=x0)
    for interval, decay, rule in (
        (_INTERVAL, None, f"renewed every {_INTERVAL:g} s"),
        (_OFTEN, _DECAY, f"renewed at every meeting, {_DECAY:g} times as long where it would not "
         "fall"),
    ):  # fmt: skip
        method = build(ConstantStep(_GAMMA), _FIRST, interval, _TIMING, decay=decay)
        trace = run(method, problem, steps=_STEPS, replicas=2, points=_STEPS + 1)
        told = expected(interval, decay)
        pairs = (
            ("seconds at every step = gradients of the slowest and 2 messages a meeting",
             trace.seconds, told.seconds),
            ("meetings after ceil(sqrt(F(x)/F(x_0)) H_0) steps",
             trace.sent_bits[0] / (_D * 64), told.meetings),
        )  # fmt: skip
        for claim, measured, right in pairs:
            yield same(f"{claim}, {rule}", measured, right, on=problem)


@_ADACOMM_FORMS.case("closed form, forced decay", "H_0=11, decay 1/2, T_0 below a gradient")
def forced_decay(build: Callable[..., Method[Any]] = AdaComm) -> Iterator[Verdict]:
    """Meetings where the loss never falls: H_0 c^k, rounded down, after k periods, then 1."""
    a = torch.full((3, _D), _A, dtype=torch.float64)
    minimisers = torch.tensor([[1.0], [-1.0], [0.0]], dtype=torch.float64).expand(3, _D)
    problem = Quadratic.from_arrays(a, minimisers.clone())  # from x_0 = x*, F(x_0) = 2 / 3 > 0
    method = build(ConstantStep(_GAMMA), 11, 1e-9, _TIMING, decay=0.5)
    trace = run(method, problem, steps=30, points=31)
    met, periods = np.zeros(31), (11, 5, 2, *(1,) * 12)
    for t in np.cumsum(periods):
        met[t:] += 1
    yield same(
        "periods 11, 5, 2, 1, ... where the loss stalls", trace.sent_bits[0] / (_D * 64), met,
        on=problem,
    )  # fmt: skip


# Rounds, bits and assumptions of local SGD as printed: E16, E38, T5, T9.


@demonstrates(
    "E16",
    "pr-sgd",
    "||grad f|| at 1000 x over that at x, for x* = 0",
    covers=("local-sgd", "lupa-sgd", "pqasgd", "pr-sgd"),
)
def e16() -> Shown:
    """A strongly convex function has gradients of any length: 1000 times as far, as long."""
    problem, workers = Quadratic.strongly_convex(1, 4, sigma2=0.0), torch.arange(1)
    near = torch.ones((1, 4), dtype=torch.float64)
    lengths = [float(problem.full_gradient(x, workers).norm()) for x in (near, 1000 * near)]
    return (
        (lengths[1] / lengths[0], 1000.0),
        (1.0, 1000.0),
        "printed: one bound for all x; the problem states G2 = "
        f"{problem.constants().uniform('G2').G2} on R^d",
    )


@demonstrates(
    "E38",
    "lupa-sgd",
    "rounds of 10^6 steps of 8 workers: (pT)^{1/3}",
    covers=("local-sgd", "lupa-sgd", "pqasgd", "pr-sgd"),
)
def e38() -> Shown:
    """(pT)/3 would be more rounds than steps."""
    T, p = 10**6, 8
    needed = rounds("lupa-sgd")(T, p)
    return (needed, 200.0), (p * T / 3, 200.0), f"printed {p * T / 3:.3g} rounds in {T} steps"


@demonstrates(
    "T5",
    "pqasgd",
    "the rate is one of squared gradients, for non-convex functions",
    covers=("local-sgd", "lupa-sgd", "pqasgd", "pr-sgd"),
)
def t5() -> Shown:
    """What is stated of quantised local SGD speaks of squared gradients."""
    return (
        (float(pqasgd.metric is Metric.AVERAGE_SQUARED_GRADIENT), 1.0),
        (float(pqasgd.metric is Metric.WEIGHTED_SUBOPTIMALITY), 1.0),
        str(pqasgd),
    )


@demonstrates(
    "T9",
    "local-sgd",
    "bits that reach the server, by the ledger: n d T / H floats",
    covers=("local-sgd", "lupa-sgd", "pqasgd", "pr-sgd"),
)
def t9() -> Shown:
    """The server of local SGD hears n models every H steps."""
    n, d, steps, period = 4, 6, 16, 8
    problem = Quadratic.strongly_convex(n, d)
    incoming = run(LocalSGD(ConstantStep(0.1), period), problem, steps=steps).account.sent_bits
    bits = float(incoming.sum())
    return (
        (bits, 64.0 * n * d * steps / period),
        (64.0 * d * steps / period, bits),
        f"{n} workers, d = {d}, {steps} steps, H = {period}",
    )


CLOSED_FORMS = (local_second_moments, post_local, adapted_periods, forced_decay)


COVERS = {
    "local_second_moments": ("local-sgd",),
    "post_local": ("post-local-sgd",),
    "adapted_periods": ("adacomm",),
    "forced_decay": ("adacomm",),
}
