"""Closed forms: FedAdam, FedYogi and FedAdagrad by hand, and where tau hides their squares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.optimizers.adaptive_server import AdaptiveServer, SecondMoment
from algorithms.optimizers.outer import Outer, server_momentum
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.drift.two_workers import two_workers
from proofs_check.evidence.outer_optimizers.closed_forms import anchors_of
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

Make = Callable[..., Outer[Any]]

_STEP = ConstantStep(0.1)
_B1, _B2 = 0.9, 0.99


def _square_rule(kind: SecondMoment, v: Floats, square: Floats) -> Floats:
    if kind is SecondMoment.ADAGRAD:
        return v + square
    if kind is SecondMoment.ADAM:
        return _B2 * v + (1 - _B2) * square
    return v - (1 - _B2) * square * np.sign(v - square)


def by_hand(kind: SecondMoment, problem: Quadratic, rate: float, tau: float, rounds: int) -> Floats:
    """The server's models ``[rounds + 1, d]`` in numpy, four local steps of 0.1 a round."""
    a, c, x = problem.a.numpy(), problem.c.numpy(), problem.x0.numpy().copy()
    m, v, told = np.zeros_like(x), np.full_like(x, tau**2), [x.copy()]
    for _ in range(rounds):
        y = np.repeat(x[None], len(c), axis=0)
        for _ in range(4):
            y = y - 0.1 * (a * y - c)
        change = y.mean(0) - x
        m = _B1 * m + (1 - _B1) * change
        v = _square_rule(kind, v, change**2)
        x = x + rate * m / (np.sqrt(v) + tau)
        told.append(x)
    return np.stack(told)


def _served(outer: Outer[Any]) -> LocalSGD:
    return LocalSGD(_STEP, 4, outer=outer)


def rounds_by_hand(kind: SecondMoment, build: Make = AdaptiveServer) -> Iterator[Verdict]:
    """Twelve rounds for tau of 0.001 and 0.1, and the first one on two workers."""
    problem = unequal(5, 4, sigma2=0.0)
    for tau in (1e-3, 0.1):
        yield same(
            f"the server's model of every round, tau = {tau:g}",
            anchors_of(_served(build(kind, 0.05, tau)), problem, 12),
            by_hand(kind, problem, 0.05, tau, 12), on=problem,
        )  # fmt: skip
    line = two_workers()
    w = 1 - (1 - 0.1 * np.array([1.0, 4.0])) ** 4
    change = float((w * np.array([0.0, 1.0])).mean())
    v = float(_square_rule(kind, np.array(0.01), np.array(change**2)))
    first = 0.05 * (1 - _B1) * change / (v**0.5 + 0.1)  # no bias correction: (1 - beta1) D
    got = anchors_of(_served(build(kind, 0.05, 0.1)), line, 1)[1, 0]
    yield same("the first round: (1 - beta_1) D, uncorrected, v from tau^2", got, first, on=line)


def squares_hidden(kind: SecondMoment, build: Make = AdaptiveServer) -> Verdict:
    """tau = 1e7: FedAvgM of rate eta_g/(2 tau), under Adam eta_g/(tau (1 + beta_2^{k/2}))."""
    problem, tau = unequal(5, 4, sigma2=0.0), 1e7
    got = anchors_of(_served(build(kind, tau, tau)), problem, 12)
    if kind is not SecondMoment.ADAM:
        due = anchors_of(_served(server_momentum(0.5, _B1)), problem, 12)
        return same("FedAvgM of rate 1/2", got, due, on=problem, tolerance=1e-7)
    a, c, x, m, told = problem.a.numpy(), problem.c.numpy(), np.zeros(4), np.zeros(4), [np.zeros(4)]
    for k in range(1, 13):
        y = np.repeat(x[None], 5, axis=0)
        for _ in range(4):
            y = y - 0.1 * (a * y - c)
        m = _B1 * m + (1 - _B1) * (y.mean(0) - x)
        x = x + m / (1 + _B2 ** (k / 2))
        told.append(x)
    return same(
        "momentum of rate 1/(1 + beta_2^{k/2})", got, np.stack(told), on=problem, tolerance=1e-7
    )


fedadam_forms = ClosedForms("fedadam", name="fedadam_forms")
"""Closed forms of FedAdam."""

fedyogi_forms = ClosedForms("fedyogi", name="fedyogi_forms")
"""Closed forms of FedYogi."""

fedadagrad_forms = ClosedForms("fedadagrad", name="fedadagrad_forms")
"""Closed forms of FedAdagrad."""


@fedadam_forms.case("closed form", "no noise, four local steps of 0.1, eta_g = 0.05")
def fedadam_by_hand(build: Make = AdaptiveServer) -> Iterator[Verdict]:
    """FedAdam's recursion by hand."""
    yield from rounds_by_hand(SecondMoment.ADAM, build)


@fedadam_forms.case("limit of large tau", "12 rounds, tau = 1e7")
def fedadam_hidden(build: Make = AdaptiveServer) -> Verdict:
    """FedAdam where tau hides the squares."""
    return squares_hidden(SecondMoment.ADAM, build)


@fedyogi_forms.case("closed form", "no noise, four local steps of 0.1, eta_g = 0.05")
def fedyogi_by_hand(build: Make = AdaptiveServer) -> Iterator[Verdict]:
    """FedYogi's recursion by hand."""
    yield from rounds_by_hand(SecondMoment.YOGI, build)


@fedyogi_forms.case("limit of large tau", "12 rounds, tau = 1e7")
def fedyogi_hidden(build: Make = AdaptiveServer) -> Verdict:
    """FedYogi where tau hides the squares."""
    return squares_hidden(SecondMoment.YOGI, build)


@fedadagrad_forms.case("closed form", "no noise, four local steps of 0.1, eta_g = 0.05")
def fedadagrad_by_hand(build: Make = AdaptiveServer) -> Iterator[Verdict]:
    """FedAdagrad's recursion by hand."""
    yield from rounds_by_hand(SecondMoment.ADAGRAD, build)


@fedadagrad_forms.case("limit of large tau", "12 rounds, tau = 1e7")
def fedadagrad_hidden(build: Make = AdaptiveServer) -> Verdict:
    """FedAdagrad where tau hides the squares."""
    return squares_hidden(SecondMoment.ADAGRAD, build)
