"""Effects of rows in which nobody waits: what each row is for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import torch
from torch import Tensor

from algorithms.catalogue import problem
from algorithms.methods.asynchronous.downpour import Downpour, DownpourState
from algorithms.methods.base import RunContext
from algorithms.methods.parts.coordinate_selection import Selection
from algorithms.methods.parts.delay_compensation import DiagonalCompensation, NoCorrection
from algorithms.methods.parts.gradient_filter import Filter, KKTFilter, NoFilter
from algorithms.methods.synchronous.parameter_server import Weighting
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import Bulk
from algorithms.synchronisation.compute_times import Pareto
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from proofs_check.evidence.asynchronous.faults import Overwriting
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.effect_check import StepsizeChoice
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import FromProblem, Setting, around
from proofs_check.methods.faulty.faulty_method import FaultyMethod, SpoiltBarrier
from theory.stepsizes import ConstantStep

_SCALES = ("linear", "log")
_SPARSE = Setting("sparse-signal", lambda n: problem("sparse-signal", n), 8, 360, None)
_NOISY = Setting(
    "strongly convex quadratic, kappa = 10, sigma2 = 0.01, zeta2 = 1",
    partial(Quadratic.strongly_convex, sigma2=0.01, zeta2=1.0), 8, 500, around(0.02), d=20,
)  # fmt: skip


@final
@dataclass(frozen=True)
class AnchorWithoutMomentum(FaultyMethod):
    """The iterate z starts again from the model at every anchor, so that no momentum is left."""

    right: AsyLPG

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        if t % self.right.epoch == 0:
            point = self.right.models(state)
            ahead = state.anchor + (point - state.anchor) / self.right.theta
            state = state._replace(z=point, total=self.right.epoch * ahead)
        return self.right.step(state, t, context)


@final
@dataclass(frozen=True)
class LastGradientAlone(FaultyMethod):
    """Loss of the accrued sum at every gradient, so that a push holds the last one."""

    right: Downpour

    def step(self, state: DownpourState, t: int, context: RunContext) -> DownpourState:
        empty = torch.zeros_like(state.accrued)
        return self.right.step(state._replace(accrued=empty), t, context)


AASGD = contrast(
    "aasgd",
    "momentum survives delays, sampling and blocks of coordinates",
    Setting(
        "strongly convex quadratic, kappa = 1000, sigma2 = zeta2 = 1",
        partial(Quadratic.strongly_convex, mu=1 / 1000, sigma2=1.0, zeta2=1.0), 4, 1600,
        (0.125, 0.25, 0.5, 1.0, 2.0), replicas=8, points=60, d=20,
        note="a step is one worker's gradient",
    ),
    Reading(),
    method="asynchronous accelerated SGD",
    baseline=arm(
        "the same without momentum", lambda it: replace(it.own, theta=1.0)
    ),
    without=arm("momentum forgotten at every anchor", lambda it: AnchorWithoutMomentum(it.own)),
    at_most=0.1,
    source="Meng et al. 2016, IJCAI: acceleration complements variance reduction and blocks",
)  # fmt: skip


_TIMES: Mapping[str, Any] = {"times": Pareto(1e-3, tail=1.5), "replicas": 256}


def _late(now: WorkerStates, d: Decision) -> Decision:
    """All are waited for, and hear of each other at every fourth clock only."""
    return d._replace(fetched=d.fetched & ((now.updates + 1) % 4 == 0))


ASP = contrast(
    "asp",
    "nobody waits: the time of the slowest is saved, and staleness costs less",
    replace(
        _NOISY, title="strongly convex quadratic, mu = 0.3, sigma2 = 10, one objective",
        problem=partial(Quadratic.strongly_convex, mu=0.3, sigma2=10.0), d=100,
        steps=lambda n: 300 * n,
        step=(1 / 256, 1 / 128, 1 / 64, 1 / 32), replicas=256, points=600,
        note="gradients of Pareto times, tail 1.5",
    ),
    Reading("seconds", budget=0.2),
    method=arm("ASP", lambda it: replace(it.own, **_TIMES)),
    baseline=arm(
        "BSP, every gradient of the same weight",
        lambda it: replace(it.own, barrier=Bulk(), weighting=Weighting.SUM, **_TIMES),
        steps=150, points=151,
    ),
    without=arm(
        "all are waited for, and heard of at every fourth clock",
        lambda it: replace(it.own, barrier=SpoiltBarrier(Bulk(), _late), **_TIMES),
        steps=150, points=151,
    ),
    at_most=0.6, source="Lian et al. 2015, arXiv:1506.08272: linear speed-up while tau is bounded",
    scales=_SCALES,
)  # fmt: skip


def _half(stage: Any) -> ConstantStep:
    return ConstantStep(1 / (2 * stage.constants().need("L_max")))


ASYNC_COORDINATE_PROX = contrast(
    "async-coordinate-prox",
    "the support is found and then served first, so that a fraction of the uploads does",
    replace(
        _SPARSE, step=FromProblem("gamma = 1/(2 L_max)", _half), points=360, replicas=256,
        note="weight 0.02",
    ),
    Reading("sent_bits", target=2e-3),
    method="support and a fifth of the rest",
    baseline=arm(
        "all coordinates, DAve-PG", lambda it: replace(it.own, selection=Selection(1.0))
    ),
    without=arm(
        "a fifth of all coordinates, whatever the support",
        lambda it: replace(it.own, selection=replace(it.own.selection, support=False)),
    ),
    at_most=0.8,
    source="Grishchenko, Iutzeler, Malick, Amini 2018, arXiv:1812.03871: identification, Section 4",
)  # fmt: skip


def _compensated(it: ArmContext, **changes: Any) -> Any:
    """Its delays drawn for all replicas of the setting."""
    return replace(it.own, replicas=it.setting.replicas, **changes)


DC_ASGD = contrast(
    "dc-asgd",
    "at stepsizes near those that the delay makes unstable compensation takes a part of the error "
    "away; with each side at its own best stepsize neither is ahead here",
    Setting(
        "quadratic-sc", partial(Quadratic.strongly_convex, zeta2=1.0), 16, lambda n: 20 * n,
        FromProblem("gamma = 1.6/n", lambda p: ConstantStep(1.6 / p.n), (1.0,)), replicas=128,
        points=80, d=20, note="a step is one worker's gradient",
    ),
    Reading(last=8),
    method=arm("DC-ASGD-a", _compensated),
    baseline=arm(
        "asynchronous SGD at the same stepsize",
        lambda it: _compensated(it, correction=NoCorrection()),
    ),
    without=arm(
        "compensation of 0.04 instead of 2",
        lambda it: _compensated(it, correction=DiagonalCompensation(0.04, adaptive=True)),
    ),
    at_most=0.75,
    source="Zheng et al. 2016, arXiv:1609.08326, Sections 4 and 6: as accurate as sequential SGD",
    scales=_SCALES, tuning=StepsizeChoice.ALIKE,
)  # fmt: skip


@final
@dataclass(frozen=True)
class WrongWayRound(Filter):
    """Of the coordinates that are 0 those with small gradients are sent, the others are not.

    Attributes:
        right: the filter whose comparison is turned round.
    """

    right: KKTFilter

    @property
    def name(self) -> str:
        return f"reversed {self.right.name}"

    def sends(self, g: Tensor, x: Tensor, t: int) -> Tensor:
        return (x != 0) | ~self.right.sends(g, x, t)


DELAYED_PROXIMAL = contrast(
    "delayed-proximal",
    "what would stay zero anyway need not be sent",
    replace(
        _SPARSE, steps=250, step=around(0.2), points=250, replicas=32,
        note="delays up to 2, weight 0.02",
    ),
    Reading("sent_bits", target=1.4e-3),
    method="delayed block proximal gradient, KKT filter",
    baseline=arm("the same without a filter", lambda it: replace(it.own, filter=NoFilter())),
    without=arm(
        "the filter's comparison is the wrong way round",
        lambda it: replace(it.own, filter=WrongWayRound(it.own.filter)),
    ),
    at_most=0.8,
    source="Li, Andersen, Smola, Yu 2014, NIPS, Section 5: filters save traffic",
)  # fmt: skip

DOWNPOUR = contrast(
    "downpour",
    "a push for four gradients does, and a fetch for two",
    replace(
        _NOISY, title="strongly convex quadratic, kappa = 10, sigma2 = zeta2 = 1", steps=2000,
        problem=partial(Quadratic.strongly_convex, sigma2=1.0, zeta2=1.0), replicas=128, points=401,
    ),
    Reading("sent_bits", target=1e-2),
    method="Downpour, push every 4, fetch every 2",
    baseline=arm(
        "asynchronous SGD", lambda it: replace(it.own, n_push=1, n_fetch=1)
    ),
    without=arm(
        "pushes hold the last gradient alone", lambda it: LastGradientAlone(it.own)
    ),
    at_most=0.6,
    source="Dean et al. 2012, NIPS, Section 4.1: n_push and n_fetch limit communication",
    scales=_SCALES,
)  # fmt: skip

HOGWILD = contrast(
    "hogwild",
    "sixteen workers without a lock are eight times as fast as one, at least",
    Setting(
        "sparse-linear", lambda n: problem("sparse-linear", n), 16, 1200, around(0.25),
        replicas=128, points=120, note="4 of 20 coordinates a sample",
    ),
    Reading("seconds", target=2e-3),
    method="Hogwild, 16 workers",
    baseline=arm(
        "one worker, which is what a lock for a whole step leaves", lambda it: it.own, n=1
    ),
    without=arm(
        "writes that store what was read and moved, where the move is to be added",
        lambda it: Overwriting(it.own),
    ),
    at_most=0.125,
    source="Niu, Recht, Re, Wright 2011, arXiv:1106.5730, Theorem 4.1 and Section 7: near-linear",
)  # fmt: skip
