"""Effects of averages of models, once, now and then, or by time: what each row is for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np
import torch

from algorithms.catalogue import problem
from algorithms.memories.base import NoMemory
from algorithms.methods.base import RunContext
from algorithms.methods.local_updates.adacomm import AdaComm, AdaCommState
from algorithms.methods.local_updates.local_sgd import AtMeetings, LocalSGD, LocalSGDState
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from algorithms.synchronisation.periods import OneShot, PostLocal
from algorithms.synchronisation.stopwatch import STANDARD
from proofs_check.evidence.local_updates.faults import Unfiltered
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.measurement import Measurement
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import FromProblem, Setting
from proofs_check.instruments.tuned_arm import MEASURED_ANEW
from proofs_check.instruments.variants import Fixed
from proofs_check.methods.faulty.faulty_method import FaultyMethod, LastStepAlone
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import InverseTimeStep

_D = 100
_OF_MEAN = " of the mean model"


def _falling(of: Problem) -> InverseTimeStep:
    """For the rate 1/(nT); where f is flat, mu is that of the PL condition."""
    c = of.constants()
    mu = c.mu or c.need("pl")
    return InverseTimeStep(2 / mu, 4 / mu)


_uneven = partial(unequal, sigma2=10.0, ratio=4.0)


UNEVEN = Setting(
    f"quadratic-unequal with curvatures from 1/4 to 1, d = {_D}", _uneven, 8, 600,
    FromProblem("gamma_t = (2/mu)/(4/mu + t)", _falling), replicas=48, d=_D,
)  # fmt: skip
"""Workers with Hessians and minimisers of their own, so that local steps drift apart."""


def _met(seen: Measurement) -> Measurement:
    """The same, drawn where messages had just been sent: between meetings the error saws up."""
    met = np.flatnonzero(np.diff(seen.x, prepend=seen.x[0]) > 0)
    kept = np.union1d([0], met) if len(met) > 1 else np.arange(len(seen.x))
    return Measurement(seen.values, seen.x[kept], seen.y[:, kept])


def _bits(target: float) -> Reading:
    """Until the workers are accurate, not only their mean."""
    return Reading("sent_bits", "distance_of_workers", target, shown=_met)


LOCAL_SGD = contrast(
    "local-sgd",
    "the accuracy of SGD that averages every step, for a fraction of the bits",
    UNEVEN, _bits(0.03),
    method="local SGD, H = 8",
    baseline=arm("BSP-SGD", lambda it: BSP(it.step)),
    without=arm(
        "of the steps between meetings only the last is kept", lambda it: LastStepAlone(it.own)
    ),
    at_most=0.4,
    source="Stich 2019, arXiv:1805.09767, Corollary 2.3: H = O(sqrt(T/n)) keeps the rate",
)  # fmt: skip

QSPARSE_LOCAL_SGD = contrast(
    "qsparse-local-sgd",
    "few coordinates, few bits each, now and then: accurate all the same",
    replace(UNEVEN, steps=700), _bits(0.1),
    method="Qsparse-local-SGD, H = 8",
    baseline=arm("BSP-SGD", lambda it: BSP(it.step)),
    without=arm("no error memory", lambda it: replace(it.own, memory=NoMemory())),
    at_most=0.2, source="Basu, Data, Karakus, Diggavi 2019, arXiv:1906.02367, Theorem 2",
)  # fmt: skip


@final
@dataclass(frozen=True)
class ModelsQuantised(FaultyMethod):
    """PQASGD whose workers send C(x_i) in the place of C(a - x_i): its error does not shrink."""

    right: LocalSGD

    def step(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        return self.right.step(state._replace(anchor=torch.zeros_like(state.anchor)), t, context)


PQASGD = contrast(
    "pqasgd",
    "quantised increments give periodic averaging its accuracy at a fraction of its bits",
    replace(UNEVEN, steps=300), _bits(0.1),
    method="PQASGD, H = 8",
    baseline=arm("periodic averaging of full precision, H = 8", lambda it: LocalSGD(it.step, 8)),
    without=arm("models are quantised, not increments", lambda it: ModelsQuantised(it.own)),
    at_most=0.35, source="Jiang, Agrawal 2018, NeurIPS, Section 3: PQASGD",
)  # fmt: skip


def _alone(n: int, d: int) -> Quadratic:
    """The mean of the gradients of all is as noisy as the gradient of one worker."""
    return unequal(n, d, sigma2=10.0 * n, ratio=4.0)


@final
@dataclass(frozen=True)
class FirstModelForAll(FaultyMethod):
    """At a meeting all take the model of worker 0, not the mean."""

    right: LocalSGD

    def step(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        after = self.right.step(state, t, context)
        if not self.right.periods.meets(t):
            return after
        own = replace(self.right, period=OneShot(t + 2)).step(state, t, context).x
        return after._replace(x=own[..., :1, :].expand_as(own).contiguous())


PR_SGD = contrast(
    "pr-sgd",
    "workers that restart from their mean now and then speed up as their number",
    replace(UNEVEN, steps=800),
    Reading(
        "steps", "distance_of_workers", 0.1,  # drawn where PR-SGD restarts
        shown=lambda seen: seen._replace(x=seen.x[::8], y=seen.y[:, ::8]),
    ),
    method="PR-SGD, 8 workers, I = 8",
    baseline=arm(
        "SGD on the whole objective with the noise of one worker", lambda it: BSP(it.step),
        problem=_alone,
    ),
    without=arm(
        "workers that restart from the model of the first", lambda it: FirstModelForAll(it.own)
    ),
    at_most=0.4, source="Yu, Yang, Zhu 2019, arXiv:1807.06629, Corollary 1: linear speedup",
)  # fmt: skip

ONE_SHOT_AVERAGING = contrast(
    "one-shot-averaging",
    "one round at the end divides the error of independent workers by their number",
    replace(
        UNEVEN, title=f"quadratic-sc-iid, mu = 0.2, sigma2 = 10, d = {_D}", steps=300,
        problem=partial(Quadratic.strongly_convex, mu=0.2, sigma2=10.0),
    ),
    Reading(quantity="distance_of_workers"),
    method="one-shot averaging",
    baseline=arm(
        "SGD of one worker with as many gradients as each of theirs", lambda it: BSP(it.step), n=1
    ),
    without=arm(
        "no average at the end",
        lambda it: replace(it.own, period=OneShot(it.setting.length + 1)),
    ),
    at_most=0.3,
    source="Zinkevich, Weimer, Li, Smola 2010, NeurIPS; Zhang, Duchi, Wainwright 2013, "
    "arXiv:1209.4129, Corollary 3",
)  # fmt: skip


def _partly_flat(n: int, d: int) -> Quadratic:
    """No curvature in the last half of the coordinates: Polyak-Lojasiewicz only."""
    whole = _uneven(n, d)
    a = torch.where(torch.arange(d) < d // 2, whole.a, 0.0)
    return Quadratic.from_arrays(a, whole.c / whole.a, sigma2=10.0, name="quadratic-pl")


LUPA_SGD = contrast(
    "lupa-sgd",
    "periods that grow keep the accuracy and save bits where f is Polyak-Lojasiewicz",
    replace(
        UNEVEN, title=f"quadratic-unequal, d = {_D}, flat in half of the coordinates", steps=700,
        problem=_partly_flat, replicas=96, seed=MEASURED_ANEW,
    ),
    Reading("sent_bits", target=0.06, of=_OF_MEAN),
    method="LUPA-SGD, H from 2",
    baseline=arm("BSP-SGD", lambda it: BSP(it.step)),
    without=arm("periods that stay at the first, H = 2", lambda it: replace(it.own, period=2)),
    at_most=0.42,
    source="Haddadpour, Kamani, Mahdavi, Cadambe 2019, arXiv:1910.13598, Theorem 2 and Section 5",
)  # fmt: skip


@final
@dataclass(frozen=True)
class Unadopted(FaultyMethod):
    """Post-local SGD whose workers go on with their own models after a late meeting."""

    right: LocalSGD

    def step(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        after, period = self.right.step(state, t, context), self.right.period
        assert isinstance(period, PostLocal)
        if t < period.switch:
            return after
        return after._replace(
            x=replace(self.right, period=OneShot(t + 2)).step(state, t, context).x
        )


POST_LOCAL_SGD = contrast(
    "post-local-sgd",
    "leaving out late meetings buys accuracy for equal bits",
    replace(UNEVEN, steps=320, replicas=128),
    Reading("sent_bits", "distance_of_workers", budget=180 * 32 * _D, shown=_met),
    method="post-local SGD, H = 8 in the second half of the steps",
    baseline=arm("mini-batch SGD", lambda it: BSP(it.step), steps=180),
    without=arm(
        "in the local phase averages are made, and not adopted", lambda it: Unadopted(it.own)
    ),
    at_most=0.8, source="Lin, Stich, Patel, Jaggi 2020, arXiv:1808.07217, Section 3",
    scales=("linear", "log"),
)  # fmt: skip

_DIGITS, _ROUNDS = "nonconvex-digits-dirichlet", 20

K_AVG = contrast(
    "k-avg",
    "on a non-convex loss local steps get further in as many rounds",
    Setting(
        _DIGITS, lambda n: problem(_DIGITS, n), 4, 8 * _ROUNDS, (0.1, 0.3, 1.0), replicas=96,
        d=Fixed.DATA,
    ),
    Reading("sent_bits", "squared_gradient", budget=_ROUNDS * 64 * 32, of=_OF_MEAN),
    method="K-AVG, K = 8",
    baseline=arm(
        "SGD that averages every step (K = 1)", lambda it: BSP(it.step), steps=_ROUNDS
    ),
    without=arm(
        "of the steps between meetings only the last is kept", lambda it: LastStepAlone(it.own)
    ),
    at_most=0.6, source="Zhou, Cong 2018, arXiv:1708.01012, Section 4: the best K is above 1",
    scales=("linear", "log"),
)  # fmt: skip


@final
@dataclass(frozen=True)
class LastBeforeMeeting(FaultyMethod):
    """AdaComm of whose steps between two meetings only the last, before the meeting, is kept."""

    right: AdaComm

    def step(self, state: AdaCommState, t: int, context: RunContext) -> AdaCommState:
        after = self.right.step(state, t, context)
        met = (after.since == 0)[..., None, None]
        return after._replace(x=torch.where(met, after.x, state.x))

    def seconds(self, state: AdaCommState, t: int) -> torch.Tensor | None:
        return self.right.seconds(state, t)


def _timed(it: ArmContext) -> Any:
    """AdaComm of long messages."""
    return replace(it.own, timing=replace(STANDARD, link=AlphaBeta(4e-3, 1e-9)), interval=0.2)


ADACOMM = contrast(
    "adacomm",
    "six tenths of the error of synchronous SGD in the same time, because early meetings are left "
    "out",
    Setting(
        "quadratic-sc-iid, d = 20, sigma2 = 10", partial(Quadratic.strongly_convex, sigma2=10.0),
        8, 400, (0.02, 0.05, 0.1, 0.2, 0.4), replicas=192, d=20, points=400,
        note="H_0 = 8, T_0 = 0.2 s, a message of 4 ms and a gradient of 1 ms",
    ),
    Reading("seconds", budget=0.4, of=_OF_MEAN),
    method=arm("AdaComm", _timed),
    baseline=arm(
        "fully synchronous SGD (H = 1)",
        lambda it: replace(_timed(it), first=1),
    ),
    without=arm(
        "of the steps between meetings only the last is kept",
        lambda it: LastBeforeMeeting(_timed(it)),
    ),
    at_most=0.6,
    source="Wang, Joshi 2018, arXiv:1810.08313, abstract (3.3 times less time) and Section 4.2",
    scales=("linear", "log"),
)  # fmt: skip

BMUF = contrast(
    "bmuf",
    "filtered block updates are fast at small local stepsizes, whose drift is small",
    Setting(
        "quadratic-unequal, d = 10, no noise", partial(unequal, sigma2=0.0), 8,
        lambda n: 96 * n,  # as the block momentum 1 - 1/n remembers n blocks
        (0.02, 0.05, 0.1, 0.2), d=10,
    ),
    Reading(of=_OF_MEAN),
    method="BMUF, blocks of 8",
    baseline=arm(
        "model averaging every 8 steps", lambda it: LocalSGD(it.step, 8)
    ),
    without=arm(
        "workers restart from the average and never hear of the filtered model",
        lambda it: replace(it.own, outer=Unfiltered(it.own.outer)),
    ),
    at_most=0.35, source="Chen, Huo 2016, ICASSP, Section 3: block momentum 1 - 1/n",
)  # fmt: skip

PR_SGD_MOMENTUM = contrast(
    "pr-sgd-momentum",
    "velocities averaged with the models accelerate across restarts",
    Setting(
        "quadratic-sc with condition number 333, d = 10, no noise",
        partial(Quadratic.strongly_convex, mu=0.003, sigma2=0.0, zeta2=1.0), 8, 320,
        (0.2, 0.4, 0.8, 1.6), d=10, note="I = 8, m = 0.9",
    ),
    Reading(of=_OF_MEAN),
    method="PR-SGD with momentum",
    baseline=arm(
        "PR-SGD without momentum", lambda it: it.method_of("pr-sgd"), note="I = 8"
    ),
    without=arm(
        "velocities start from nought at every meeting",
        lambda it: replace(it.own, velocity=AtMeetings.RESET),
    ),
    at_most=1e-7, source="Yu, Jin, Yang 2019, arXiv:1905.03817, Algorithm 1",
    scales=("linear", "log"),
)  # fmt: skip
