"""Ringmaster, delay-adaptive SGD, Rennala, Malenia: derivations, and runs under bounds."""

from __future__ import annotations

from functools import partial
from typing import Any

import sympy as sp

from algorithms.catalogue.stragglers import smoothness
from algorithms.methods.parts.age_rules import DelayAdaptive, Polynomial, Younger
from algorithms.methods.parts.gradient_buffers import BufferPerWorker, GradientBuffer, SharedBuffer
from algorithms.methods.stragglers.assigned_server import AssignedServer
from algorithms.methods.stragglers.buffered_server import BufferedServer
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.base import Problem
from algorithms.synchronisation.barriers import Interrupting
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.compute_times import Constant, Exponential
from proofs_check.bounds.check import REPLICAS, BoundCheck, Make, nothing_more
from proofs_check.bounds.settings import (
    BOUNDED,
    EQUAL_CURVATURES,
    IID,
    MILD,
    NONCONVEX,
    SC,
    arriving,
    entry,
    equal_curvatures,
    mild,
    one_objective,
    same_shards,
)
from proofs_check.evidence.asynchronous.proofs import (
    BOUND,
    TAU,
    M,
    T,
    asysg_con_gap,
)
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME
from proofs_check.proofs.expressions import computes, limit_of
from proofs_check.proofs.norms import sums_of_squares
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize
from theory.theorems.asysg_con import asysg_con
from theory.theorems.collected import Collected
from theory.theorems.delay_adaptive_steps import delay_adaptive_steps
from theory.theorems.malenia_arrivals import malenia_arrivals
from theory.theorems.rennala_arrivals import rennala_arrivals
from theory.theorems.ringmaster import ringmaster

L_max, L, sigma2, n, gap, S, C = sp.symbols(
    "L_max L sigma2 n initial_gap collected held", positive=True
)

# Ringmaster: delays below R, by the sum of asynchronous SGD with bounded delays.

FLOOR = 2 * GAMMA * L * sigma2
STEPS_OF = (8, 16)


def prove_ringmaster(floor: Any = FLOOR, counts: Any = STEPS_OF) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= 2 Delta/(gamma T) + ``floor`` for gamma = 1/(2 R L (1 + v)).

    R = tau + 1. The condition of the bounded-delay sum holds there and its floor is below this one;
    ``counts`` times R L Delta/eps and sigma2 L Delta/eps^2 steps make both terms eps/2 at most,
    since the reciprocal of the least of two stepsizes is at most the sum of theirs.
    """
    v, eps = sp.Symbol("v", nonnegative=True), sp.Symbol("eps", positive=True)
    R = TAU + 1
    short = {GAMMA: 1 / (2 * R * L * (1 + v))}
    y = GAMMA * L
    condition = (1 - y - 2 * y**2 * TAU**2).subs(short)
    start = 2 * asysg_con_gap / (GAMMA * T)
    slack = ((start + floor - BOUND.subs(M, 1)) / (y * sigma2)).subs(short)
    first, second = counts
    steps = first * R * L * asysg_con_gap / eps
    steps += second * sigma2 * L * asysg_con_gap / eps**2
    slowest = 2 * R * L + 4 * L * sigma2 / eps  # at least 1 / gamma
    return settled(
        "ringmaster",
        f"average squared gradient <= 2 Delta/(gamma T) + {floor}",
        "derived; Maranjyan et al. 2025, arXiv:2501.16168, from Lian et al. 2015, Theorem 1",
        nonnegative("the condition of bounded delays holds", sp.simplify(condition), TAU, v),
        nonnegative("its floor is no larger", sp.simplify(slack), TAU, v),
        equality(
            "half of eps from the start", sp.simplify(2 * asysg_con_gap * slowest / steps), eps / 2
        ),
        equality("half of eps from noise", floor.subs(GAMMA, eps / (4 * L * sigma2)), eps / 2),
        computes(ringmaster, start + floor),
    )


# Delay-adaptive asynchronous SGD: late gradients pay for what they miss, whatever the delay.

ADAPTIVE_BOUND = 4 * gap / (GAMMA * TIME) + sp.Rational(5, 4) * GAMMA * L_max * sigma2
SHORT = sp.Rational(1, 8)
"""Largest gamma n L."""
CAP = sp.Rational(1, 4)
"""gamma_t tau_t L at most, where the delay is above n."""


def prove_delay_adaptive_steps(
    claimed: Any = ADAPTIVE_BOUND, short: Any = SHORT, cap: Any = CAP
) -> Verdict:
    """gamma = ``short``/(n L (1 + v)), gamma_s = gamma/(1 + w) a step of the window, h2 the squared
    gradient there; gamma_t tau_t <= ``cap``/L; n >= 1 gradients are under way.

    Of a late gradient's own descent half is left for gamma_s^2 L/2 and for the windows that it is
    in: n times 1/2 L^2 2 (gamma_t tau_t) gamma_s^2.
    """
    v, w, h2, more = sp.symbols("v w h2 more", nonnegative=True)
    a, b = sp.symbols("a b", real=True)
    gamma = short / (n * L_max * (1 + v))
    at = {n: 1 + more}
    own = gamma / (1 + w)
    windows = n * L_max**2 * (cap / L_max) * own**2 * h2
    paid = (own / 2 * h2 - L_max / 2 * own**2 * h2 - windows).subs(at)
    noise = (
        L_max / 2 * sigma2 + n * gamma * L_max**2 * sigma2
    )  # over gamma_s^2: own, and in n windows
    room = (sp.Rational(5, 8) * L_max * sigma2 - noise).subs(at)
    early = (cap / (2 * n * L_max) - gamma).subs(at)  # gamma <= cap/(L tau) where tau < 2 n
    weights = TIME / 2 * GAMMA  # sum gamma_t: half of the steps at least have gamma
    total = 2 * gap / weights + 2 * sp.Rational(5, 8) * L_max * sigma2 * GAMMA
    delays = (n - 1) * TIME / (2 * n)  # how many can be 2 n or more, if all add up to (n - 1) T
    return settled(
        "delay_adaptive_steps",
        f"least squared gradient <= {claimed}",
        "derived; setting of Koloskova, Stich, Jaggi 2022, arXiv:2206.08177",
        equality("polarisation", -a * b, (a - b) ** 2 / 2 - a**2 / 2 - b**2 / 2),
        nonnegative(
            "steps up to a delay of n are short", (cap / L_max - n * gamma).subs(at), v, L_max, more
        ),
        nonnegative("late gradients pay for themselves", sp.simplify(paid), v, w, h2, L_max, more),
        nonnegative("noise adds 5/8 L sigma2 at most", sp.simplify(room), v, L_max, sigma2, more),
        nonnegative("steps of delays below 2 n are whole", sp.simplify(early), v, L_max, more),
        nonnegative("they are half of all", (TIME / 2 - delays).subs(at), TIME, more),
        equality("the limit", limit_of(delay_adaptive_steps), short / (n * L_max)),
        equality("the weighted mean", total, claimed),
        computes(delay_adaptive_steps, claimed),
    )


# Rennala and Malenia: steps by batches of the current model, counted by arrivals.

MODELS = 1 + TIME / S
"""Models that T arrivals see, at most."""


def _bound(models: Any) -> Any:
    return C / TIME * (2 * gap / GAMMA + models * GAMMA * L * sigma2 / S)


def _steps(theorem: Collected, models: Any) -> tuple[DerivationStep, ...]:
    """A step of gamma = 1/(L (1 + v)) from x_k along a mean with noise of sigma2/S at most; K of
    them; each model is seen C times at most, and all but the last S times at least."""
    v, g2, K = sp.symbols("v g2 K", nonnegative=True)
    change = -GAMMA * g2 + L * GAMMA**2 / 2 * (g2 + sigma2 / S)
    kept = -GAMMA * g2 / 2 + L * GAMMA**2 / 2 * sigma2 / S
    total = sp.solve(sp.Eq(-gap, -GAMMA / 2 * g2 + K * L * GAMMA**2 / 2 * sigma2 / S), g2)[0]
    return (
        nonnegative(
            "one step descends for gamma <= 1/L",
            sp.simplify((kept - change).subs(GAMMA, 1 / (L * (1 + v)))), v, g2, L,
        ),
        equality("the limit", limit_of(theorem), 1 / L),
        equality("the models before the last", S * (MODELS - 1), TIME),
        equality("C times the sum of K steps", C / TIME * total.subs(K, models), _bound(MODELS)),
        computes(theorem, sp.expand(_bound(models))),
    )  # fmt: skip


def prove_rennala_arrivals(models: Any = MODELS, older: Any = n - 1) -> Verdict:
    """T arrivals see ``models``; a model is kept for S and ``older`` gradients: n workers hold
    older models but for the one whose gradient made the step."""
    return settled(
        "rennala_arrivals",
        f"average squared gradient <= {_bound(models)}",
        "derived; Tyurin, Richtarik 2023, arXiv:2305.12387, by Bottou et al. 2018, Theorem 4.8",
        equality("arrivals that a model is kept for", S + older, S + n - 1),
        *_steps(rennala_arrivals, models),
    )


def prove_malenia_arrivals(models: Any = MODELS, share: Any = S / n) -> Verdict:
    """The buffer is full where each worker's count is ``share``: sum 1/c_i = n/share, at most
    n^2/S; then sum c_i >= S, as sum c_i sum 1/c_i is at least n^2 (here of two workers)."""
    p, q = sp.symbols("c_1 c_2", positive=True)
    product = (p + q) * (1 / p + 1 / q) - 4
    return settled(
        "malenia_arrivals",
        f"average squared gradient <= {_bound(models)}",
        "derived; Tyurin, Richtarik 2023, arXiv:2305.12387, by Bottou et al. 2018, Theorem 4.8",
        equality("the counts of a full buffer", n / share, n**2 / S),
        equality("counts and their reciprocals", product, (p - q) ** 2 / (p * q)),
        sums_of_squares(3),
        *_steps(malenia_arrivals, models),
    )


# Ringmaster under its bound, gradients that would be R steps old stopped; batches.


def _stopping(times: ComputeTimes, oldest: int) -> Make:
    def made(step: Stepsize, _problem: Problem, steps: int) -> ParameterServer:
        return ParameterServer(step, steps, times, Interrupting(oldest), replicas=REPLICAS)

    return made


def _shuffled(step: Stepsize, _problem: Problem, steps: int) -> AssignedServer:
    return AssignedServer(step, steps, Exponential(), replicas=REPLICAS)


def _collecting(times: ComputeTimes, buffer: GradientBuffer) -> Make:
    return lambda step, _p, steps: BufferedServer(
        step, steps, times, Younger(1), buffer, replicas=REPLICAS
    )


BOUND_CHECKS = (
    BoundCheck(
        "ringmaster", f"{IID}, one worker of twenty seconds", ringmaster, entry(IID, 4),
        _stopping(Exponential((1.0, 1.0, 1.0, 20.0)), 6), 1000, nothing_more,
    ),
    BoundCheck(
        "ringmaster", NONCONVEX, ringmaster, lambda: same_shards(4, BOUNDED),
        _stopping(Exponential(), 4), 1000, one_objective,
    ),
    BoundCheck("asgrad", IID, asysg_con, entry(IID, 4), _shuffled, 2000),
    BoundCheck(
        "delay-adaptive-asgd", f"{EQUAL_CURVATURES}, one worker of twenty seconds",
        delay_adaptive_steps, partial(equal_curvatures, 4, 100.0, d=400),
        lambda step, p, steps: BufferedServer(
            step, steps, Exponential((1.0, 1.0, 1.0, 20.0)), DelayAdaptive(smoothness(p)),
            replicas=REPLICAS,
        ),
        600,
    ),
    arriving(
        "fedbuff",
        lambda step, _p, steps: BufferedServer(
            step, steps, Constant(), Polynomial(), SharedBuffer(), local_steps=4,
            replicas=REPLICAS,
        ),
        1000, calls=4,
    ),
    BoundCheck(
        "rennala", f"{IID}, one worker of twenty seconds", rennala_arrivals, entry(IID, 4),
        _collecting(Exponential((1.0, 1.0, 1.0, 20.0)), SharedBuffer(8)), 2000, rated=True,
    ),
    BoundCheck(
        "rennala", NONCONVEX, rennala_arrivals, lambda: same_shards(4, BOUNDED),
        _collecting(Exponential(), SharedBuffer(4)), 2000, one_objective,
    ),
    BoundCheck(
        "malenia", MILD, malenia_arrivals, partial(mild, 4, 0.25),
        _collecting(Constant((1.0, 1.0, 1.0, 2.0)), BufferPerWorker(8)), 2000, rated=True,
    ),
    BoundCheck(
        "malenia", SC, malenia_arrivals, entry(SC, 4),
        _collecting(Constant(), BufferPerWorker(4)), 2000,
    ),
)  # fmt: skip

PROOFS = (
    prove_ringmaster,
    prove_delay_adaptive_steps,
    prove_rennala_arrivals,
    prove_malenia_arrivals,
)
