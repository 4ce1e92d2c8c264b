"""Rows of the family outer optimizers: what the server makes of the mean of local models."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue.downlink import Received, RunRecord
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Recipe, Row
from algorithms.compressors.identity import Identity
from algorithms.compressors.max_levels import MaxLevels
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.outer_optimizers.streaming_diloco import StreamingDiLoCo
from algorithms.optimizers.adaptive_server import AdaptiveServer, SecondMoment
from algorithms.optimizers.lamb import adam
from algorithms.optimizers.outer import (
    BlockMomentum,
    Outer,
    SlowMomentum,
    server_momentum,
    server_rate,
)
from algorithms.problems.base import Problem
from theory.orders.adaptive_servers import adaptive_servers
from theory.stepsizes import Stepsize
from theory.theorems.perturbed_iterate import perturbed_iterate

_PERIOD = 8
_FOUR_BITS = MaxLevels(7)
_PROBLEMS = ("quadratic-unequal", "nonconvex-digits-dirichlet")
_UNSTATED = "with a server's rate or momentum over local steps rates are stated to order only"


def _served(outer: Outer[Any]) -> Recipe:
    return Recipe(
        lambda step, _p, _t: LocalSGD(step, _PERIOD, outer=outer), (), Identity(), _PROBLEMS,
        cycle=_PERIOD, why=_UNSTATED, results=(perturbed_iterate,),
    )  # fmt: skip


def _as_stated(kind: SecondMoment, problem: Problem) -> AdaptiveServer:
    """Without a first moment, eta_g = sqrt(K n), tau = 1, of the order of entries of gradients at
    the start of quadratics."""
    return AdaptiveServer(kind, rate=(_PERIOD * problem.n) ** 0.5, tau=1.0, beta1=0.0)


def _adaptive(kind: SecondMoment) -> Recipe:
    outer = AdaptiveServer(kind, rate=0.1)
    return Recipe(
        lambda step, _p, _t: LocalSGD(step, _PERIOD, outer=outer), (), Identity(), _PROBLEMS,
        cycle=_PERIOD,
        why="O(1/sqrt(nKT)) is stated to order only, for beta_1 = 0, local stepsizes that follow "
        "the horizon and a server's rate of order sqrt(nK)",
        results=(adaptive_servers,),
        as_stated=lambda step, p, _t: LocalSGD(step, _PERIOD, outer=_as_stated(kind, p)),
    )  # fmt: skip


def _streamed(step: Stepsize, problem: Problem, _steps: int) -> StreamingDiLoCo:
    return StreamingDiLoCo(
        step, _PERIOD, 2, adam(problem.shapes), delay=1, mix=0.5, compressor=_FOUR_BITS
    )


def _fragment_bits(problem: Problem, float_bits: int) -> float:
    """A bound: the longer of two fragments."""
    return _FOUR_BITS.stated_bits(-(-problem.d // 2), float_bits)


def fragments_heard(run: RunRecord) -> Received:
    """One uncompressed fragment to every worker for each that all sent ``delay`` steps before."""
    method = run.method
    assert isinstance(method, StreamingDiLoCo)
    told = [method.sent_at(t - method.delay) for t in range(run.steps)]
    places = [method.places(one, run.problem.d) for one in told if one is not None]
    messages = run.replicas * run.problem.n
    length = sum(here.stop - here.start for here in places) * run.float_bits
    return Received(messages * len(places), float(messages * length))


ENTRIES: tuple[Row, ...] = (
    entry("fedavg", _served(server_rate(1.5))),
    entry("fedavgm", _served(server_momentum(5.0, 0.9))),
    entry("fedadam", _adaptive(SecondMoment.ADAM)),
    entry("fedyogi", _adaptive(SecondMoment.YOGI)),
    entry("fedadagrad", _adaptive(SecondMoment.ADAGRAD)),
    entry(
        "diloco",
        Recipe(
            lambda step, p, _t: LocalSGD(
                step, _PERIOD, adam(p.shapes), outer=BlockMomentum(0.9, 0.7, nesterov=True)
            ),
            (),
            Identity(),
            _PROBLEMS,
            cycle=_PERIOD,
            why="the paper gives no convergence theorem: evidence is by experiment",
        ),
        advised=True,
    ),
    entry(
        "streaming-diloco",
        Recipe(
            _streamed,
            (),
            _FOUR_BITS,
            _PROBLEMS,
            message_bits=_fragment_bits,
            bits_vary=True,
            downlink=fragments_heard,
            cycle=_PERIOD,
            why="the paper gives no convergence theorem: evidence is by experiment",
        ),
    ),
    entry("slowmo", _served(SlowMomentum(0.8))),
)
