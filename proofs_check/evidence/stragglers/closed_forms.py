"""Closed forms: servers that weigh, drop or collect gradients by their age, replayed by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.methods.base import Method
from algorithms.methods.parts.age_rules import AgeRule, DelayAdaptive, Younger
from algorithms.methods.parts.gradient_buffers import (
    BufferPerWorker,
    GradientBuffer,
    SharedBuffer,
)
from algorithms.methods.stragglers.buffered_server import BufferedServer
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import Asynchronous, Interrupting
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Constant
from proofs_check.evidence.asynchronous.closed_forms import TICKS, arrivals, drawn_gradient, uneven
from proofs_check.evidence.asynchronous.closed_forms import ran as ran_for
from proofs_check.instruments.closed_forms import ClosedForms, none_wrong, same
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Build = Callable[[Any], Method[Any]]
Worth = Callable[[int], float]
"""Factor of a gradient by its age; NaN: it is dropped."""

LATE = Constant((1.0, 2.0, 0.5, 1.5, 9.3))
"""Five workers, of whom the last is a straggler; no two arrive together for long."""

GAMMA, SMOOTH, STRAGGLER = 0.1, 1.5, 1000.0
NEAR = Constant((1.0, 2.0, 0.5, 1.5, 2.6))
SLOWER = Constant((1.0, 3.0))
TOLD = f"five workers, the last one of 9.3 s, {TICKS} ticks"


def ran(method: Method[Any]) -> Tensor:
    """The models of replica 0 on the uneven quadratic."""
    return ran_for(method, uneven())


def replayed(worth: Worth, size: int = 1) -> Tensor:
    """The models ``[TICKS + 1, d]`` of a server that collects ``size`` gradients a step, written
    with a list of its models and the number of the one that each worker holds."""
    problem, schedule = (
        uneven(),
        arrivals(ParameterServer(ConstantStep(1.0), TICKS, LATE).schedule(5)),
    )
    kept, held, bag = [problem.start()], [0] * 5, []
    path = [kept[0]]
    for t, (worker, _) in enumerate(schedule):
        age = len(kept) - 1 - held[worker]
        factor = worth(age)
        if not math.isnan(factor):
            bag.append(factor * drawn_gradient(problem, kept[held[worker]], worker, t))
        if len(bag) == size:
            kept.append(kept[-1] - GAMMA * torch.stack(bag).sum(0) / size)
            bag = []
        held[worker] = len(kept) - 1
        path.append(kept[-1])
    return torch.stack(path)


def p2() -> Quadratic:
    """Two workers on a line, f_i = a_i (x - c_i)^2 / 2, a = (1, 4), c = (0, 1); x* = 0.8."""
    a, c = (torch.tensor(pair, dtype=torch.float64)[:, None] for pair in ((1.0, 4.0), (0.0, 1.0)))
    return Quadratic.from_arrays(a, c, x0=torch.zeros(1, dtype=torch.float64))


# Delay-adaptive steps: by the age of each gradient; asynchronous SGD where none is older than n.


_ADAPTIVE = ClosedForms("delay-adaptive-asgd", "quadratic")


@_ADAPTIVE.case("replay of ages", TOLD)
def adaptive_steps(rule: AgeRule | None = None) -> Verdict:
    """gamma up to an age of n, min(gamma, 1/(4 L d)) above, with L such that this is less."""
    used = rule or DelayAdaptive(SMOOTH)
    method = BufferedServer(ConstantStep(GAMMA), TICKS, LATE, used)
    worth = lambda d: 1.0 if d <= 5 else min(1.0, 1 / (4 * SMOOTH * d * GAMMA))  # noqa: E731
    return same("gamma if d <= n, else min(gamma, 1/(4 L d))", ran(method), replayed(worth))


@_ADAPTIVE.case("special case", "workers of one speed, delays n - 1")
def young_is_asynchronous(build: Build = lambda server: server) -> Verdict:
    """Where no delay is above n it is asynchronous SGD, bit for bit."""
    given = ConstantStep(GAMMA), TICKS, Constant()
    adaptive = BufferedServer(*given, DelayAdaptive(SMOOTH))
    return same(
        "delays of at most n: asynchronous SGD bit for bit", ran(build(adaptive)),
        ran(ParameterServer(*given)), tolerance=0.0,
    )  # fmt: skip


@_ADAPTIVE.case("identity of delays", "three workers of 1, 7 and 1000 s, 2500 ticks")
def delays_sum(barrier: Barrier | None = None) -> Verdict:
    """Delays of what arrived and ages of what is under way sum to n - 1 a step, at every step:
    the mean delay is n - 1 whatever the speeds."""
    n, ticks = 3, 2500
    times = Constant((1.0, 7.0, STRAGGLER))
    schedule = (barrier or Asynchronous()).schedule(n, ticks, times, Key.seed(0), torch.arange(1))
    held, total, wrong = [0] * n, 0, 0
    ids, versions = schedule.arrivals[:, 0, 0].tolist(), schedule.versions[:, 0, 0].tolist()
    for t, (worker, version) in enumerate(zip(ids, versions, strict=True)):
        total += t - version
        held[worker] = t + 1
        under_way = sum(t + 1 - v for v in held)
        wrong += total + under_way != (n - 1) * (t + 1)
    most = int(schedule.staleness.max())
    return none_wrong(
        "delays of arrived + ages of those under way = (n - 1) steps", wrong,
        f"sum of delays {total}, largest {most}", on="schedule",
    )  # fmt: skip


# Rennala: B gradients at the current model; on different data the fast decide.


_RENNALA = ClosedForms("rennala", "quadratic")
_B = 3


@_RENNALA.case("replay of ages", TOLD)
def fresh_ones_count(build: Build = lambda server: server) -> Verdict:
    """Gradients of age 0 until there are B; later ones are thrown away."""
    method = BufferedServer(ConstantStep(GAMMA), TICKS, LATE, Younger(1), SharedBuffer(_B))
    want = replayed(lambda d: 1.0 if d == 0 else math.nan, _B)
    return same(f"the mean of B = {_B} gradients at the current model", ran(build(method)), want)


@_RENNALA.case("special case", TOLD)
def one_a_step_is_ringmaster(build: Build = lambda server: server) -> Verdict:
    """Rennala with B = 1 and Ringmaster with R = 1 are one method, by one server's two parameters:
    the same iterates, bit for bit."""
    mine = BufferedServer(ConstantStep(GAMMA), TICKS, LATE, Younger(1), SharedBuffer(1))
    other = BufferedServer(ConstantStep(GAMMA), TICKS, LATE, Younger(1))
    return same(
        "B = 1: Ringmaster of R = 1 bit for bit", ran(build(mine)), ran(other), tolerance=0.0
    )


def end_on_p2(method: Method[Any], ticks: int) -> float:
    """The last model of a run on P2."""
    return float(models(method, p2(), ticks)[-1, 0, 0])


def _fresh(buffer: GradientBuffer, ticks: int) -> BufferedServer:
    """A server of P2, whose second worker is three times slower, that drops what is late."""
    return BufferedServer(ConstantStep(0.1), ticks, SLOWER, Younger(1), buffer)


@_RENNALA.case("fixed point", "P2, worker 2 three times slower, two a step, 2000 ticks", on="P2")
def fast_ones_decide(buffer: GradientBuffer | None = None) -> Verdict:
    """The slow worker is always late: the limit is the other's own minimiser."""
    end = end_on_p2(_fresh(buffer or SharedBuffer(2), 2000), 2000)
    return same("different data: limit 0, the fast worker's minimiser, not 0.8", end, 0.0)


# Ringmaster: gradients younger than R, one a step; stopped, or dropped when they come.


_RINGMASTER = ClosedForms("ringmaster", "quadratic")
R = 5


@_RINGMASTER.case("replay of ages", TOLD)
def young_ones_count(build: Build = lambda server: server, rule: AgeRule | None = None) -> Verdict:
    """A gradient of age R or more is no step, and its worker has the newest model then."""
    method = BufferedServer(ConstantStep(GAMMA), TICKS, LATE, rule or Younger(R))
    want = replayed(lambda d: 1.0 if d < R else math.nan)
    return same(f"asynchronous SGD of the gradients younger than R = {R}", ran(build(method)), want)


@_RINGMASTER.case("special case", TOLD)
def unlimited_is_asynchronous(build: Build = lambda server: server) -> Verdict:
    """R = infinity is asynchronous SGD, bit for bit."""
    given = ConstantStep(GAMMA), TICKS, LATE
    return same(
        "R = infinity: asynchronous SGD bit for bit", ran(build(BufferedServer(*given))),
        ran(ParameterServer(*given)), tolerance=0.0,
    )  # fmt: skip


@_RINGMASTER.case("replay of stops", f"{TOLD}, R = {R}", on="schedule")
def stopped_in_time(barrier: Barrier | None = None) -> Iterator[Verdict]:
    """What becomes R updates old is stopped, and its worker starts anew at that moment."""
    drawn = (barrier or Interrupting(R)).schedule(5, TICKS, LATE, Key.seed(0), torch.arange(1))
    takes = LATE.mean
    assert isinstance(takes, tuple)
    finish, version, want = list(takes), [0] * 5, []
    for t in range(TICKS):
        subset = min(range(5), key=lambda i: (finish[i], i))
        now = finish[subset]
        want.append((subset, version[subset], now))
        for i in range(5):
            if i == subset or t + 1 - version[i] >= R:
                version[i], finish[i] = t + 1, now + takes[i]
    columns = (drawn.arrivals, drawn.versions, drawn.seconds[..., None])
    got = torch.stack([c[:, 0, 0].double() for c in columns], dim=-1)
    yield same("who arrives, of which version, when", got, torch.tensor(want).double())
    most = int(drawn.staleness.max())
    yield none_wrong("no gradient is R updates old", int(most >= R), f"the oldest is {most}")


# Malenia: a bag a worker, their means' mean, once the harmonic mean of the counts is S / n.


_MALENIA = ClosedForms("malenia", "quadratic")
_S = 7


@_MALENIA.case("replay of bags", f"five workers of 0.5 to 2.6 s, {TICKS} ticks")
def means_of_means(build: Build = lambda server: server) -> Verdict:
    """Malenia against lists of gradients, one for each worker, and fractions."""
    problem, n = uneven(), 5
    method = BufferedServer(ConstantStep(GAMMA), TICKS, NEAR, Younger(1), BufferPerWorker(_S))
    schedule = arrivals(ParameterServer(ConstantStep(1.0), TICKS, NEAR).schedule(n))
    kept, held, path = [problem.start()], [0] * n, [problem.start()]
    bags: list[list[Tensor]] = [[] for _ in range(n)]
    for t, (worker, _) in enumerate(schedule):
        if held[worker] == len(kept) - 1:
            bags[worker].append(drawn_gradient(problem, kept[-1], worker, t))
        if all(bags) and Fraction(n) / sum(Fraction(1, len(b)) for b in bags) >= Fraction(_S, n):
            means = [torch.stack(b).mean(0) for b in bags]
            kept.append(kept[-1] - GAMMA * torch.stack(means).mean(0))
            bags = [[] for _ in range(n)]
        held[worker] = len(kept) - 1
        path.append(kept[-1])
    steps = len(kept) - 1
    return same(
        f"the mean of the workers' means, S = {_S}", ran(build(method)), torch.stack(path),
        note=f"{steps} steps of the server",
    )  # fmt: skip


@_MALENIA.case("noise of a step", "three workers, all counts up to 8, S = 1, ..., 12", on="counts")
def worth_enough(buffer: Callable[[int], GradientBuffer] = BufferPerWorker) -> Verdict:
    """It steps exactly where the mean of means has at most the noise of S gradients."""
    every = list(product(range(9), repeat=3))
    counts, wrong = torch.tensor(every), 0
    for total in range(1, 13):
        steps = buffer(total).full(counts).tolist()
        for c, taken in zip(every, steps, strict=True):
            quiet = all(c) and sum(Fraction(1, k) for k in c) / 9 <= Fraction(1, total)
            wrong += taken != bool(quiet)
    return none_wrong(
        "(1/n^2) sum 1/c_i <= 1/S where it steps, > 1/S where not", wrong,
        f"{12 * len(every)} cases in fractions",
    )  # fmt: skip


@_MALENIA.case("fixed point", "P2, worker 2 three times slower, 4000 ticks", on="P2")
def exact_on_different_data(buffer: GradientBuffer | None = None) -> Verdict:
    """On different data its limit is the minimiser of f, whatever the speeds."""
    end = end_on_p2(_fresh(buffer or BufferPerWorker(4), 4000), 4000)
    return same("limit 0.8, where two of whoever comes first end at 0", end, 0.8)


CLOSED_FORMS = (_ADAPTIVE, _RENNALA, _RINGMASTER, _MALENIA)
