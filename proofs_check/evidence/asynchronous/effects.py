"""Effects of rows in which nobody waits: what each row is for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

from torch import Tensor

from algorithms.catalogue import problem
from algorithms.methods.base import RunContext
from algorithms.methods.parts.coordinate_selection import Selection
from algorithms.methods.parts.delay_compensation import DiagonalCompensation, NoCorrection
from algorithms.methods.parts.gradient_filter import Filter, KKTFilter, NoFilter
from algorithms.methods.synchronous.parameter_server import Weighting
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import Bulk
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from proofs_check.evidence.asynchronous.faults import Overwriting
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import FromProblem, Setting
from proofs_check.methods.faulty.barriers import SpoiltBarrier
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from theory.stepsizes import ConstantStep

_SCALES = ("linear", "log")
_SPARSE = Setting("sparse-signal", lambda n: problem("sparse-signal", n), 8, 360, None)
_NOISY = Setting(
    "strongly convex quadratic, kappa = 10, sigma2 = 0.01, zeta2 = 1",
    lambda n: Quadratic.strongly_convex(n, 20, sigma2=0.01, zeta2=1.0), 8, 500, ConstantStep(0.02),
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


AASGD = contrast(
    "aasgd",
    "momentum survives delays, sampling and blocks of coordinates",
    Setting(
        "strongly convex quadratic, kappa = 1000, sigma2 = zeta2 = 1",
        lambda n: Quadratic.strongly_convex(n, 20, mu=1 / 1000, sigma2=1.0, zeta2=1.0), 4, 1600,
        ConstantStep(1.0), replicas=8, points=60,
        note="the best of a grid of halvings, a step is one worker's gradient",
    ),
    Reading(),
    method="asynchronous accelerated SGD",
    baseline=arm(
        "the same without momentum, its stepsize the best of a grid of halvings",
        lambda it: replace(it.own, theta=1.0), step=ConstantStep(0.25),
    ),
    without=arm("momentum forgotten at every anchor", lambda it: AnchorWithoutMomentum(it.own)),
    at_most=0.1,
    source="Meng et al. 2016, IJCAI: acceleration complements variance reduction and blocks",
)  # fmt: skip


def _seldom(now: WorkerStates, d: Decision) -> Decision:
    """Models only at every 64th server update, to whoever has just arrived: most never hear."""
    return d._replace(fetched=d.fetched & (now.updates % 64 == 0))


ASP = contrast(
    "asp",
    "nobody waits: the time of the slowest is saved, and staleness costs less",
    replace(
        _NOISY, steps=480, step=ConstantStep(1 / 32), replicas=32, points=121,
        note="times of the survey",
    ),
    Reading("seconds", target=2e-2),
    method="ASP",
    baseline=arm(
        "BSP, every gradient of the same weight",
        lambda it: replace(it.own, barrier=Bulk(), weighting=Weighting.SUM), steps=60,
    ),
    without=arm(
        "models are fetched at every 64th gradient of all only: staleness without end",
        lambda it: replace(it.own, barrier=SpoiltBarrier(it.own.barrier, _seldom)),
    ),
    at_most=0.8, source="Lian et al. 2015, arXiv:1506.08272: linear speed-up while tau is bounded",
    scales=_SCALES,
)  # fmt: skip


def _half(stage: Any) -> ConstantStep:
    return ConstantStep(1 / (2 * stage.constants().need("L_max")))


ASYNC_COORDINATE_PROX = contrast(
    "async-coordinate-prox",
    "the support is found and then served first, so that a fraction of the uploads does",
    replace(
        _SPARSE, step=FromProblem("gamma = 1/(2 L_max)", _half), points=360, note="weight 0.02",
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
    at_most=0.5,
    source="Grishchenko, Iutzeler, Malick, Amini 2018, arXiv:1812.03871: identification, Section 4",
)  # fmt: skip


def _compensated(it: ArmContext, **changes: Any) -> Any:
    """Its delays drawn for all replicas of the setting."""
    return replace(it.own, replicas=it.setting.replicas, **changes)


DC_ASGD = contrast(
    "dc-asgd",
    "compensation gives back what the delay costs",
    Setting(
        "quadratic-sc", lambda n: problem("quadratic-sc", n), 16, 300, ConstantStep(1 / 8),
        replicas=128, points=80, note="a step is one worker's gradient",
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
    at_most=0.5,
    source="Zheng et al. 2016, arXiv:1609.08326, Sections 4 and 6: as accurate as sequential SGD",
    scales=_SCALES,
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
        _SPARSE, steps=250, step=ConstantStep(0.2), points=250, note="delays up to 2, weight 0.02"
    ),
    Reading("sent_bits", target=1.4e-3),
    method="delayed block proximal gradient, KKT filter",
    baseline=arm("the same without a filter", lambda it: replace(it.own, filter=NoFilter())),
    without=arm(
        "the filter's comparison is the wrong way round",
        lambda it: replace(it.own, filter=WrongWayRound(it.own.filter)),
    ),
    at_most=0.5,
    source="Li, Andersen, Smola, Yu 2014, NIPS, Section 5: half of the traffic and more is saved",
)  # fmt: skip

DOWNPOUR = contrast(
    "downpour",
    "a push for four gradients does, and a fetch for two",
    replace(_NOISY, replicas=16, points=201), Reading("sent_bits", target=2e-2),
    method="Downpour, push every 4, fetch every 2",
    baseline=arm(
        "asynchronous SGD at the same stepsize", lambda it: replace(it.own, n_push=1, n_fetch=1)
    ),
    without=arm("a push for every gradient", lambda it: replace(it.own, n_push=1)),
    at_most=0.5,
    source="Dean et al. 2012, NIPS, Section 4.1: n_push and n_fetch limit communication",
    scales=_SCALES,
)  # fmt: skip

HOGWILD = contrast(
    "hogwild",
    "sixteen workers without a lock are eight times as fast as one, at least",
    Setting(
        "sparse-linear", lambda n: problem("sparse-linear", n), 16, 800, ConstantStep(0.25),
        replicas=20, points=120, note="4 of 20 coordinates a sample",
    ),
    Reading("seconds", target=5e-3),
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
