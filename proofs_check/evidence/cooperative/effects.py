"""Effects of local updates beyond plain averages; faults of EASGD and of overlapped averages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, final

import numpy as np
import torch

from algorithms.catalogue.synchronous import round_trip
from algorithms.engine.trace import Trace
from algorithms.kernels.mean import mean_rows
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.base import RunContext
from algorithms.methods.cooperative.cocod import CoCoD, CoCoDState
from algorithms.methods.cooperative.easgd import EASGD, EASGDState
from algorithms.methods.cooperative.easgd_async import AsyncEASGD, AsyncEASGDState
from algorithms.methods.cooperative.redundancy import OnMoreShards
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.least_squares_data import dealt, packaged
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from algorithms.synchronisation.stopwatch import STANDARD, Timing
from proofs_check.evidence.cooperative import closed_forms as cocod_sgd
from proofs_check.evidence.cooperative import closed_forms as easgd
from proofs_check.evidence.cooperative.closed_forms_redundancy import (
    Uncoded,
)
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.effect_check import StepsizeChoice
from proofs_check.instruments.measurement import Measurement
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import FromProblem, Setting, around
from proofs_check.instruments.variants import Fixed
from proofs_check.methods.faulty.faulty_method import FaultyMethod, LastStepAlone
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep, InverseTimeStep


@final
@dataclass(frozen=True)
class StillVelocity(FaultyMethod):
    """EAMSGD with the gradient at x instead of x + delta v: heavy ball, not Nesterov."""

    right: EASGD

    def step(self, state: EASGDState, t: int, context: RunContext) -> EASGDState:
        still = state._replace(velocity=torch.zeros_like(state.velocity))
        after = self.right.step(still, t, context)
        kept = self.right.momentum * state.velocity
        return after._replace(x=after.x + kept, velocity=after.velocity + kept)


@final
@dataclass(frozen=True)
class ForgottenProgress(FaultyMethod):
    """CoCoD-SGD that takes the old average and drops what was done while it came."""

    right: CoCoD

    def step(self, state: CoCoDState, t: int, context: RunContext) -> CoCoDState:
        after = self.right.step(state, t, context)
        if (t + 1) % self.right.period:
            return after
        x = mean_rows(state.sent, keepdim=True).expand_as(state.x).contiguous()
        return CoCoDState(x, x)


@wrong_step("EASGD pushing its centre", judge=easgd.mean_and_centre)
def pushed_centre(own: EASGD, state: EASGDState, t: int, context: RunContext) -> EASGDState:
    """the centre moves away from the workers"""
    after = own.step(state, t, context)
    return after._replace(centre=2 * state.centre - after.centre)


@wrong_step("EASGD with a late centre", judge=easgd.mean_and_centre)
def late_centre(own: EASGD, state: EASGDState, t: int, context: RunContext) -> EASGDState:
    """the centre is pulled by the models after their step"""
    after = own.step(state, t, context)
    if t % own.period:
        return after
    beta = own.beta
    used = context.network.n * own.alpha if beta is None else beta
    mean = mean_rows(after.x, keepdim=True)
    return after._replace(centre=state.centre + used * (mean - state.centre))


@wrong_step("EASGD with an early centre", judge=easgd.elastic_replay)
def early_centre(own: EASGD, state: EASGDState, t: int, context: RunContext) -> EASGDState:
    """models are pulled by the centre after its own step"""
    after = own.step(state, t, context)
    moved = after.centre - state.centre
    return after._replace(x=after.x + own.alpha * moved)


@wrong_step("EASGD by the server's clock", judge=easgd.asynchronous_replay)
def clock_of_server(
    own: AsyncEASGD, state: AsyncEASGDState, t: int, context: RunContext
) -> AsyncEASGDState:
    """tau divides the server's tick, not the worker's clock"""
    return own.step(state._replace(made=torch.full_like(state.made, t)), t, context)


@wrong_step("CoCoD-SGD with a fresh average", judge=cocod_sgd.overlap_replay)
def fresh_overlap(own: CoCoD, state: CoCoDState, t: int, context: RunContext) -> CoCoDState:
    """no overlap: the models just made are averaged"""
    after = LocalSGD(own.step_rule, own.period)
    held = after.init(torch.zeros_like(state.x[0, 0]), context)._replace(x=state.x)
    x = after.step(held, t, context).x
    return CoCoDState(x, x)


_SCALES = ("linear", "log")
_D = 100

COCOD_SGD = contrast(
    "cocod-sgd",
    "messages take no time of their own, because local steps go on meanwhile: at one small "
    "stepsize; local SGD bears larger ones, and at the best of each it is there first",
    Setting(
        f"quadratic-unequal with curvatures from 1/4 to 1, d = {_D}, sigma2 = 1",
        partial(unequal, sigma2=1.0, ratio=4.0), 8, 400, ConstantStep(0.02), replicas=64, d=_D,
        timing=Timing(STANDARD.times, AlphaBeta(4e-3, 1e-9)),
        note="a message of 4 ms and a gradient of 1 ms",
    ),
    Reading("seconds", target=0.05, of=" of the mean model"),
    method="CoCoD-SGD, H = 8",
    baseline=arm(
        "local SGD, H = 8, which waits for the average",
        lambda it: LocalSGD(it.step, it.own.period),
    ),
    without=arm(
        "what was done while the average came is dropped", lambda it: ForgottenProgress(it.own)
    ),
    at_most=0.8,
    source="Shen et al. 2019, arXiv:1906.12043, Section 3: computation and communication decoupled",
    scales=_SCALES, tuning=StepsizeChoice.ALIKE,
)  # fmt: skip


def _best_constant(problem: Problem) -> ConstantStep:
    c = problem.constants()
    return ConstantStep(2 / (c.need("L") + c.need("mu")))


def _down_to_rounding(found: Measurement) -> Measurement:
    """An exact solution may end on either side of rounding, and axes of powers have no zero."""
    return found._replace(y=np.maximum(found.y, 1e-16))


def _coded(it: ArmContext) -> Any:
    return replace(it.own, schedule_seed=it.setting.seed)


CODED_REGRESSION = contrast(
    "coded-regression",
    "least squares is solved in one round that waits for no straggler",
    Setting(
        "least squares on diabetes, 8 columns, 8 shards in file order",
        lambda n: dealt(packaged()[:1], n, "diabetes in file order"), 8, 2, None, replicas=32,
        d=Fixed.DATA,
        note="two stragglers dropped, a worker's round is 27 gradients and 72 numbers",
    ),
    Reading("seconds", target=1e-6, shown=_down_to_rounding),
    method=arm("coded regression", _coded),
    baseline=arm(
        "BSP gradient descent at its best constant stepsize, waiting for all",
        lambda it: BSP(it.step), steps=400,
        step=FromProblem("gamma = 2/(L + mu)", _best_constant, (0.5, 0.7, 1.0)),
        points=200, timing=STANDARD, note="times of the survey",
    ),
    without=arm(
        "one round of uncoded normal equations, of those who came in time",
        lambda it: Uncoded(_coded(it)),
    ),
    at_most=0.1, source="Haddadpour, Kamani, Mahdavi, Cadambe 2019 by survey 000, Section 3.1.2",
    tuning=StepsizeChoice.OWN_GRIDS,
    scales=_SCALES,
)  # fmt: skip


def _falling(problem: Problem) -> InverseTimeStep:
    mu = problem.constants().need("mu")
    return InverseTimeStep(2 / mu, 4 / mu)


def _at_meetings(found: Measurement) -> Measurement:
    """Drawn where messages had just been sent, between which the error saws up; workers that never
    meet are drawn where the first meeting would be."""
    met = np.flatnonzero(np.diff(found.x, prepend=found.x[0]) > 0)
    if not len(met):
        return found._replace(x=np.full_like(found.x, 2 * 32 * _D))
    kept = np.union1d([0], met)
    return found._replace(x=found.x[kept], y=found.y[:, kept])


COOPERATIVE_SGD = contrast(
    "cooperative-sgd",
    "gossip now and then is as accurate as gossip at every step, for a fraction of the bits",
    Setting(
        f"quadratic-sc-iid, mu = 0.2, sigma2 = 10, d = {_D}",
        partial(Quadratic.strongly_convex, mu=0.2, sigma2=10.0), 8, 700,
        FromProblem("gamma_t = (2/mu)/(4/mu + t)", _falling), replicas=48, d=_D,
    ),
    Reading("sent_bits", "distance_of_workers", target=0.15, shown=_at_meetings),
    method="cooperative SGD, ring, tau = 8",
    baseline=arm("D-PSGD, which gossips at every step", lambda it: replace(it.own, period=1)),
    without=arm(
        "of the steps between meetings only the last is kept", lambda it: LastStepAlone(it.own)
    ),
    at_most=0.35,
    source="Wang, Joshi 2018, arXiv:1808.07576, Theorem 1: tau and the mixing matrix in one bound",
)  # fmt: skip


def _pushing(it: ArmContext) -> Downpour:
    """Downpour that pushes and fetches as seldom as EASGD."""
    period = it.own.period
    return Downpour(
        it.step, it.setting.length, round_trip(it.problem), period, period,
        replicas=it.setting.replicas,
    )  # fmt: skip


_OWN_STEPS = 80


def _of_each(trace: Trace) -> Trace:
    """Gradients of each worker, where a step is one worker's gradient."""
    return replace(trace, steps=trace.steps * _OWN_STEPS // int(trace.steps[-1]))


@final
@dataclass(frozen=True)
class PulledToTheStart(FaultyMethod):
    """The centre follows the workers as it should; they are pulled to x_0, not to it."""

    right: EASGD

    def step(self, state: EASGDState, t: int, context: RunContext) -> EASGDState:
        start = context.problem.start().to(state.centre.dtype).expand_as(state.centre)
        pulled = self.right.step(state._replace(centre=start), t, context)
        return pulled._replace(centre=self.right.step(state, t, context).centre)


ELASTIC = contrast(
    "easgd",
    "the elastic pull bears long periods, and so large steps",
    Setting(
        "strongly convex quadratic, kappa = 10, sigma2 = 0.01, zeta2 = 1",
        partial(Quadratic.strongly_convex, sigma2=0.01, zeta2=1.0), 8, _OWN_STEPS,
        (0.01, 0.03, 0.1, 0.2, 0.4), replicas=64, points=81, d=20, note="period 8",
    ),
    Reading(last=8),
    method="EASGD, the centre",
    baseline=arm(
        "Downpour of the same period", _pushing, _of_each, steps=lambda n: n * _OWN_STEPS,
        note="period 8, a step is one worker's gradient",
    ),
    without=arm("workers are pulled to where all began", lambda it: PulledToTheStart(it.own)),
    at_most=0.04, source="Zhang, Choromanska, LeCun 2015, arXiv:1412.6651, Section 5: long periods",
    scales=_SCALES,
)  # fmt: skip


@final
@dataclass(frozen=True)
class SharedWithTheFirst(FaultyMethod):
    """Worker i descends on (f_i + f_1) / 2: the second shard is one and the same for all."""

    right: OnMoreShards

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        assert isinstance(context.problem, Quadratic)
        mixed = replace(context, problem=_mixed(context.problem))
        return self.right.method.step(state, t, mixed)


@lru_cache(maxsize=1)
def _mixed(base: Quadratic) -> Quadratic:
    return replace(base, a=(base.a + base.a[:1]) / 2, c=(base.c + base.c[:1]) / 2)


RI_SGD = contrast(
    "ri-sgd",
    "a second shard on every worker lowers the floor that different shards leave",
    Setting(
        "quadratic-unequal, d = 10, no noise", partial(unequal, sigma2=0.0), 8, 400, around(0.2),
        d=10,
    ),
    Reading(of=" of the mean model"),
    method="RI-SGD, two shards a worker, H = 8",
    baseline=arm(
        "local SGD with one shard a worker, H = 8",
        lambda it: LocalSGD(it.step, 8),
    ),
    without=arm(
        "all share one shard, the first, beside their own", lambda it: SharedWithTheFirst(it.own)
    ),
    at_most=0.4,
    source="Haddadpour, Kamani, Mahdavi, Cadambe 2019, ICML, Section 1: redundancy lowers the "
    "residual error",
)  # fmt: skip


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    MethodMutant(
        "EAMSGD without looking ahead", "the gradient is taken at x, not at x + delta v",
        lambda: easgd.elastic_replay(StillVelocity, 0.6),
        lambda: easgd.elastic_replay(momentum=0.6),
    ),
    fault(
        "CoCoD-SGD without local progress", "what was done while the average came is dropped",
        cocod_sgd.overlap_mean_is_bsp, ForgottenProgress,
    ),
)  # fmt: skip
