"""Effects of servers that weigh, drop or collect gradients by their age."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

from torch import Tensor

from algorithms.methods.parts.age_rules import AgeRule, Younger
from algorithms.methods.parts.gradient_buffers import SharedBuffer
from algorithms.methods.stragglers.buffered_server import BufferedServer
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.assignment import FirstComeFirstServed
from algorithms.synchronisation.barriers import Bulk
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.synchronisation.conditions import Repeated
from proofs_check.evidence.stragglers.faults import BySpeed, MeanOfAll
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting

_FAST, _SLOW, _READ = 1e-3, 1.0, 1005  # seconds of a gradient; milliseconds of a run

_STRAGGLER = Setting(
    "strongly convex quadratic, kappa = 10, sigma2 = 0.01, ||x_0 - x*||^2 = 100",
    partial(Quadratic.strongly_convex, sigma2=0.01, R2=100.0), 4, lambda n: _READ * (n - 1) + 1,
    (1 / 64, 1 / 32, 1 / 16, 1 / 8), replicas=32, points=336, d=20,
    note="a gradient takes 1 ms, the last worker's 1 s",
)  # fmt: skip


def _late(it: ArmContext, method: Any, **changes: Any) -> Any:
    """The method under one worker that is a thousand times slower than the others."""
    times = Constant((*(_FAST for _ in range(it.problem.n - 1)), _SLOW))
    return replace(method, times=times, **changes)


def _own(it: ArmContext) -> Any:
    return _late(it, it.own)


_ASYNCHRONOUS = arm("asynchronous SGD", lambda it: _late(it, it.method_of("asp")))


@final
@dataclass(frozen=True)
class YoungForOld(AgeRule):
    """The rule with ages above the number of workers taken for that number.

    Attributes:
        right: the rule that is handed wrong ages.
    """

    right: AgeRule

    @property
    def name(self) -> str:
        return f"{self.right.name}, no age above n"

    def factors(self, age: Tensor, gamma: float, n: int) -> Tensor:
        return self.right.factors(age.clamp_max(n), gamma, n)


def _blind(it: ArmContext) -> BufferedServer:
    own: BufferedServer = _own(it)
    return replace(own, rule=YoungForOld(own.rule))


DELAY_ADAPTIVE = contrast(
    "delay-adaptive-asgd",
    "a worker a thousand times slower costs nothing: just after its gradient came the error is "
    "a fifth of asynchronous SGD's, at most",
    _STRAGGLER,
    Reading("seconds"),
    method=arm("delay-adaptive ASGD", _own),
    baseline=_ASYNCHRONOUS,
    without=arm("ages above n are taken for n", _blind),
    at_most=0.2,
    source="Koloskova, Stich, Jaggi 2022, arXiv:2206.08177: no largest delay in the rate",
    scales=("linear", "log"),
)  # fmt: skip


RENNALA = contrast(
    "rennala",
    "gradients of old models are thrown away: just after the first gradient of a worker a thousand "
    "times slower, taken at the start, the error is a fifth of asynchronous SGD's, at most",
    _STRAGGLER,
    Reading("seconds"),
    method=arm("Rennala SGD", _own),
    baseline=_ASYNCHRONOUS,
    without=arm("late gradients are collected too", lambda it: replace(_own(it), rule=Younger())),
    at_most=0.2,
    source="Tyurin, Richtarik 2023, arXiv:2305.12387: slow workers are not in the optimal time",
    scales=("linear", "log"),
)  # fmt: skip

RINGMASTER = contrast(
    "ringmaster",
    "a delay of R is too much: just after the first gradient of a worker a thousand times slower, "
    "taken at the start, the error is a fifth of asynchronous SGD's, at most",
    _STRAGGLER,
    Reading("seconds"),
    method=arm("Ringmaster ASGD", _own),
    baseline=_ASYNCHRONOUS,
    without=arm(
        "R above the largest delay", lambda it: replace(_own(it), rule=Younger(1e4))
    ),
    at_most=0.2,
    source="Maranjyan, Tyurin, Richtarik 2025, arXiv:2501.16168: optimal time by one threshold",
    scales=("linear", "log"),
)  # fmt: skip

_SLOWER = 4.0
_DIFFERENT = Setting(
    "strongly convex quadratic, kappa = 10, sigma2 = 0.01, zeta2 = 1",
    partial(Quadratic.strongly_convex, sigma2=0.01, zeta2=1.0), 4, lambda n: 500 * n,
    (1 / 64, 1 / 32, 1 / 16, 1 / 8), replicas=32, points=251, d=20,
    note="the last worker is four times slower",
)  # fmt: skip


def _uneven(it: ArmContext, **changes: Any) -> Any:
    """The row's method, the last worker four times slower than the others."""
    times = Exponential((*(_FAST for _ in range(it.problem.n - 1)), _SLOWER * _FAST))
    return replace(it.own, times=times, **changes)


MALENIA = contrast(
    "malenia",
    "the mean of the workers' means has no bias by speed: on different data the error is a "
    "tenth of Rennala's, at most",
    _DIFFERENT,
    Reading("seconds", last=20),
    method=arm("Malenia SGD", _uneven),
    baseline=arm(
        "Rennala SGD", lambda it: _uneven(it, buffer=SharedBuffer(it.problem.n))
    ),
    without=arm(
        "every gradient of the same weight",
        lambda it: _uneven(it, buffer=MeanOfAll(it.own.buffer)),
    ),
    at_most=0.1,
    source="Tyurin, Richtarik 2023, arXiv:2305.12387: Malenia SGD, heterogeneous case",
    scales=("linear", "log"),
)  # fmt: skip

ASGRAD = contrast(
    "asgrad",
    "models that go round in shuffled order give every worker the same weight: on different data "
    "the error is a tenth of asynchronous SGD's, at most",
    _DIFFERENT,
    Reading("seconds", last=20),
    method=arm("shuffled order", _uneven),
    baseline=arm(
        "to whoever arrives, asynchronous SGD",
        lambda it: _uneven(it, assignment=FirstComeFirstServed()),
    ),
    without=arm(
        "at random, the slow worker as seldom as it is slow",
        lambda it: _uneven(it, assignment=BySpeed(_SLOWER)),
    ),
    at_most=0.1,
    source="Islamov, Safaryan, Alistarh 2023, arXiv:2310.20452: random and shuffled assignment",
    scales=("linear", "log"),
)


def _clients(it: ArmContext, **changes: Any) -> Any:
    """The row's method, the last quarter of the clients ten times slower than the others."""
    n = it.problem.n
    means = tuple(_FAST * (10 if 4 * i >= 3 * n else 1) for i in range(n))
    return replace(it.own, times=Repeated(Exponential(means), it.own.local_steps), **changes)


FEDBUFF = contrast(
    "fedbuff",
    "nobody is waited for: clients of which a quarter is ten times slower reach the error in a "
    "quarter of the time of synchronous ones, at most",
    Setting(
        "strongly convex quadratic, kappa = 10, sigma2 = 0.1, one objective",
        partial(Quadratic.strongly_convex, sigma2=0.1), 16, lambda n: 80 * n,
        (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 1.5), replicas=32, points=641, d=20,
        note="gradients of exponential times, the last quarter of the clients ten times slower",
    ),
    Reading("seconds", target=0.003),
    method=arm("FedBuff", _clients),
    baseline=arm(
        "FedAvg, all clients in every round",
        lambda it: _clients(it, buffer=SharedBuffer(it.problem.n), barrier=Bulk()),
        steps=120, points=121,
    ),
    without=arm(
        "the same buffer, all are waited for",
        lambda it: _clients(it, barrier=Bulk()),
        steps=120, points=121,
    ),
    at_most=0.25,
    source="Nguyen et al. 2021, arXiv:2106.06639: 3.3 times faster than synchronous",
    scales=("linear", "log"),
)  # fmt: skip
