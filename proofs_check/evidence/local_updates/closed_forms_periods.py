"""Closed forms: adacomm, printed rounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method, dense_bits
from algorithms.methods.local_updates.adacomm import AdaComm
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stopwatch import Timing
from proofs_check.instruments.erratum import erratum
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.seconds.costs import AlphaBeta
from theory.seconds.periods import adapted_period
from theory.stepsizes import ConstantStep, Stepsize
from theory.survey.speedup_rounds import rounds
from theory.theorem import Metric
from theory.theorems.pqasgd import pqasgd

# AdaComm where everything is known: a noise-free quadratic, gradients of constant length.
#
# f(x) = a ||x||^2 / 2 on every worker: F(x_t) / F(x_0) = q^{2t}, q = 1 - \gamma a, so at a meeting
# after t steps the rule asks for \lceil q^t H_0 \rceil. A step takes as long as the slowest worker,
# a meeting D seconds more. Forced decay is played on a loss that stalls: F(x_0) at a minimiser.


Build = Callable[[Stepsize, int, float, Timing], Method[Any]]

_STEPS, _A, _GAMMA, _D = 120, 1.0, 0.02, 3
_FIRST, _INTERVAL = 16, 10.0
_TIMING = Timing(Constant((1.0, 0.5, 0.75)), AlphaBeta(1.0, 1.0 / 256))


class Told(NamedTuple):
    """After every step: seconds, meetings so far."""

    seconds: Floats
    meetings: Floats


def expected() -> Told:
    """By hand, step by step, in plain numbers."""
    delay = 2 * (1.0 + dense_bits(_D, torch.float64) / 256)
    clock, due, period, since, met = 0.0, _INTERVAL, _FIRST, 0, 0
    seconds, meetings = [0.0], [0.0]
    for t in range(1, _STEPS + 1):
        clock, since = clock + 1.0, since + 1
        if since == period:
            clock, since, met = clock + delay, 0, met + 1
            if clock >= due:
                loss = (1 - _GAMMA * _A) ** (2 * t)
                period, due = adapted_period(_FIRST, loss, 1.0), clock + _INTERVAL
        seconds.append(clock)
        meetings.append(float(met))
    return Told(np.array(seconds), np.array(meetings))


def adapted_periods(build: Build = AdaComm) -> tuple[Verdict, ...]:
    """Seconds and messages of AdaComm at every step, against the recursion by hand."""
    a = torch.full((3, _D), _A, dtype=torch.float64)
    x0 = torch.tensor([3.0, -1.0, 2.0], dtype=torch.float64)
    problem = Quadratic.from_arrays(a, torch.zeros_like(a), x0=x0)
    method = build(ConstantStep(_GAMMA), _FIRST, _INTERVAL, _TIMING)
    trace = run(method, problem, steps=_STEPS, replicas=2, points=_STEPS + 1)
    told = expected()
    where = f"{_STEPS} steps, H_0={_FIRST}, T_0={_INTERVAL:g} s, no noise"
    meetings = trace.sent_bits[0] / (_D * 64)
    pairs = (
        ("seconds at every step = gradients of the slowest and 2 messages a meeting",
         trace.seconds, told.seconds),
        ("meetings after ceil(sqrt(F(x)/F(x_0)) H_0) steps, renewed every T_0 seconds",
         meetings, told.meetings),
    )  # fmt: skip
    return tuple(
        identity("adacomm", claim, measured, right, check="closed form, adapted periods",
                 problem=problem.name, provenance=where)
        for claim, measured, right in pairs
    )  # fmt: skip


def forced_decay(build: Callable[..., Method[Any]] = AdaComm) -> tuple[Verdict, ...]:
    """Meetings where the loss never falls: H_0 c^k, rounded down, after k periods, then 1."""
    a = torch.full((3, _D), _A, dtype=torch.float64)
    minimisers = torch.tensor([[1.0], [-1.0], [0.0]], dtype=torch.float64).expand(3, _D)
    problem = Quadratic.from_arrays(a, minimisers.clone())  # from x_0 = x*, F(x_0) = 2 / 3 > 0
    method = build(ConstantStep(_GAMMA), 11, 1e-9, _TIMING, decay=0.5)
    trace = run(method, problem, steps=30, points=31)
    met, periods = np.zeros(31), (11, 5, 2, *(1,) * 12)
    for t in np.cumsum(periods):
        met[t:] += 1
    return (
        identity("adacomm", "periods 11, 5, 2, 1, ... where the loss stalls",
                 trace.sent_bits[0] / (_D * 64), met, check="closed form, forced decay",
                 problem=problem.name, provenance="H_0=11, decay 1/2, T_0 below a gradient"),
    )  # fmt: skip


# Rounds, bits and assumptions of local SGD as printed: E16, E38, T5, T9.


def e16() -> tuple[Verdict, ...]:
    """A strongly convex function has gradients of any length: 1000 times as far, as long."""
    problem, workers = Quadratic.strongly_convex(1, 4, sigma2=0.0), torch.arange(1)
    near = torch.ones((1, 4), dtype=torch.float64)
    lengths = [float(problem.full_gradient(x, workers).norm()) for x in (near, 1000 * near)]
    return (
        erratum(
            "E16", "pr-sgd", "||grad f|| at 1000 x over that at x, for x* = 0",
            (lengths[1] / lengths[0], 1000.0), (1.0, 1000.0),
            "printed: one bound for all x; the problem states G2 = "
            f"{problem.constants().uniform('G2').G2} on R^d",
        ),
    )  # fmt: skip


def e38() -> tuple[Verdict, ...]:
    """(pT)/3 would be more rounds than steps."""
    T, p = 10**6, 8
    needed = rounds("lupa-sgd")(T, p)
    return (
        erratum(
            "E38", "lupa-sgd", "rounds of 10^6 steps of 8 workers: (pT)^{1/3}",
            (needed, 200.0), (p * T / 3, 200.0), f"printed {p * T / 3:.3g} rounds in {T} steps",
        ),
    )  # fmt: skip


def t5() -> tuple[Verdict, ...]:
    """What is stated of quantised local SGD speaks of squared gradients."""
    return (
        erratum(
            "T5", "pqasgd", "the rate is one of squared gradients, for non-convex functions",
            (float(pqasgd.metric is Metric.AVERAGE_SQUARED_GRADIENT), 1.0),
            (float(pqasgd.metric is Metric.WEIGHTED_SUBOPTIMALITY), 1.0), str(pqasgd),
        ),
    )  # fmt: skip


def t9() -> tuple[Verdict, ...]:
    """The server of local SGD hears n models every H steps."""
    n, d, steps, period = 4, 6, 16, 8
    problem = Quadratic.strongly_convex(n, d)
    heard = run(LocalSGD(ConstantStep(0.1), period), problem, steps=steps).account.sent_bits
    bits = float(heard.sum())
    return (
        erratum(
            "T9", "local-sgd", "bits that reach the server, by the ledger: n d T / H floats",
            (bits, 64.0 * n * d * steps / period), (64.0 * d * steps / period, bits),
            f"{n} workers, d = {d}, {steps} steps, H = {period}",
        ),
    )  # fmt: skip


CLOSED_FORMS = (
    adapted_periods,
    forced_decay,
    e16,
    e38,
    t5,
    t9,
)

DEMONSTRATIONS = (
    ("E16", e16),
    ("E38", e38),
    ("T5", t5),
    ("T9", t9),
)

COVERS = {
    "adapted_periods": ("adacomm",),
    "e16": (
        "local-sgd",
        "lupa-sgd",
        "pqasgd",
        "pr-sgd",
    ),
    "e38": (
        "local-sgd",
        "lupa-sgd",
        "pqasgd",
        "pr-sgd",
    ),
    "forced_decay": ("adacomm",),
    "t5": (
        "local-sgd",
        "lupa-sgd",
        "pqasgd",
        "pr-sgd",
    ),
    "t9": (
        "local-sgd",
        "lupa-sgd",
        "pqasgd",
        "pr-sgd",
    ),
}
