"""Effects of gossip that corrects or compresses what is exchanged, and faults of D-squared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.catalogue import problem
from algorithms.catalogue.gossip_compressed import CIRCLE, TOP_QUARTER
from algorithms.compressors.circle_grid import CircleGrid
from algorithms.compressors.identity import Identity
from algorithms.methods.base import RunContext
from algorithms.methods.gossip.choco import ChocoSGD
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.d2 import D2, D2State
from algorithms.methods.gossip_compressed.quantised_consensus import OwnValue
from algorithms.methods.gossip_tracking.corrected import EXACT_DIFFUSION, CorrectedGossip
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from algorithms.synchronisation.conditions import Repeated
from algorithms.synchronisation.stopwatch import STANDARD, Timing
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_compressed import closed_forms as d2
from proofs_check.evidence.gossip_compressed.faults import (
    ModelsDCD,
    PlainECD,
    error_dropped,
    untracked,
    without_dual,
)
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.effect_check import StepsizeChoice
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import FromProblem, Setting, around
from proofs_check.instruments.tuned_arm import MEASURED_ANEW
from proofs_check.methods.faulty.faulty_method import FaultyMethod, OneWrongStep, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault
from theory.stepsizes import ConstantStep, InverseTimeStep


@final
@dataclass(frozen=True)
class UncorrectedD2(FaultyMethod):
    r"""X^{t+1} = W (X^t - \gamma G^t): the term X^t - X^{t-1} + \gamma G^{t-1} is missing."""

    right: D2

    def step(self, state: D2State, t: int, context: RunContext) -> D2State:
        return self.right.step(D2State(state.x, state.x), t, context)


@final
@dataclass(frozen=True)
class UnmixedD2(FaultyMethod):
    r"""X^{t+1} = W X^t + X^t - X^{t-1} - \gamma (G^t - G^{t-1}): W on the models alone."""

    right: D2

    def step(self, state: D2State, t: int, context: RunContext) -> D2State:
        after = self.right.step(state, t, context)
        packet = context.pack(Identity(), state.x, t, purpose="models")
        mixed, _ = context.network.mix(packet, self.right.topology.neighbours(0))
        return D2State(mixed + (after.before - state.before), after.before)


class OldGradient(NamedTuple):
    """Models now and before, and the gradients taken before: ``[..., m, d]``.

    Attributes:
        x: models now.
        old: models a step ago.
        g: gradients taken a step ago.
    """

    x: Tensor
    old: Tensor
    g: Tensor


@final
@dataclass(frozen=True)
class RescaledD2(FaultyMethod):
    r"""W (2 X^t - X^{t-1} - \gamma_t (G^t - G^{t-1})): the old gradient with the new stepsize."""

    right: D2

    def init(self, x0: Tensor, context: RunContext) -> OldGradient:
        x = self.right.init(x0, context).x
        return OldGradient(x, x, torch.zeros_like(x))

    def step(self, state: OldGradient, t: int, context: RunContext) -> OldGradient:
        g = context.gradient(state.x, t)
        row = 2 * state.x - state.old - self.right.step_rule(t) * (g - state.g)
        packet = context.pack(Identity(), row, t)
        mixed, _ = context.network.mix(packet, self.right.topology.neighbours(0))
        return OldGradient(mixed, state.x, g)


_MEAN_MODEL = " of the mean model"
_UNEQUAL = Setting(
    "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 8, 700, around(0.05),
    points=200, d=20, note="ring, d = 20",
)  # fmt: skip
_D_PSGD = arm("D-PSGD", lambda it: DPSGD(it.step, Ring(it.problem.n)))

D2_EFFECT = contrast(
    "d2", "workers that differ leave no error floor",
    replace(_UNEQUAL, n=16, steps=1500, step=around(0.1), note="lazy ring, d = 20"),
    Reading(of=_MEAN_MODEL),
    method="D-squared",
    baseline=arm(_D_PSGD.words, lambda it: DPSGD(it.step, Lazy(Ring(it.problem.n)))),
    without=arm(
        "D-squared without the correction by the last step", lambda it: UncorrectedD2(it.own)
    ),
    at_most=1e-6,
    source="Tang, Lian, Yan, Zhang, Liu 2018, arXiv:1803.07068, Theorem 2: no zeta in the rate",
)  # fmt: skip

DCD_PSGD = contrast(
    "dcd-psgd", "differences of models carry training for a fraction of the bits",
    replace(_UNEQUAL, replicas=8), Reading("sent_bits", target=0.005, of=_MEAN_MODEL),
    method="DCD-PSGD, QSGD with 16 levels",
    baseline=_D_PSGD,
    without=arm("models are compressed, not differences", lambda it: ModelsDCD(it.own)),
    at_most=0.5,
    source="Tang, Gan, Zhang, Zhang, Liu 2018, arXiv:1803.06443, Theorem 1 and section 5",
)  # fmt: skip

ECD_PSGD = contrast(
    "ecd-psgd", "extrapolated models carry training for a fraction of the bits",
    replace(_UNEQUAL, replicas=32), Reading("sent_bits", target=0.005, of=_MEAN_MODEL),
    method="ECD-PSGD, a grid of width 2^-10",
    baseline=_D_PSGD,
    without=arm(
        "no extrapolation: models are sent, estimates made all the same",
        lambda it: PlainECD(it.own),
    ),
    at_most=0.8,
    source="Tang, Gan, Zhang, Zhang, Liu 2018, arXiv:1803.06443, Theorem 3 and section 5",
)  # fmt: skip

_MOST = 3  # gradients of a worker in a step of the row
_NOISY = partial(Quadratic.strongly_convex, mu=0.2, sigma2=0.5, zeta2=0.5, R2=4.0)

QUANTIMED_DSGD = contrast(
    "quantimed-dsgd", "a deadline saves the time in which others wait for stragglers",
    Setting(
        "quadratic-sc, sigma2 = zeta2 = 1/2", _NOISY, 8, 400, around(0.5), replicas=256,
        seed=MEASURED_ANEW, points=200, d=10, timing=STANDARD,
        note="ring, a gradient takes 0.5 ms and an exponential rest of mean 0.5 ms, D-PSGD's gamma "
        "times the row's epsilon: equal steps of the mean model",
    ),
    Reading("seconds", target=0.02, of=_MEAN_MODEL),
    method="QuanTimed-DSGD, deadline 2 ms",
    baseline=arm(
        "D-PSGD that waits for three gradients of each",
        lambda it: DPSGD(
            ConstantStep(it.step(0) * it.own.mixing_rule(0)), Ring(it.problem.n)
        ),
        problem=lambda n, d: _NOISY(n, d).enlarged(_MOST),
        timing=Timing(Repeated(STANDARD.times, _MOST), STANDARD.link),
    ),
    without=arm(
        "a deadline of 6 ms, by which nearly all gradients have ended",
        lambda it: replace(it.own, deadline=6e-3),
    ),
    at_most=0.9,
    source="Reisizadeh, Taheri, Mokhtari, Hassani, Pedarsani 2019, arXiv:1907.10595, section 5",
    scales=("linear", "log"),
)  # fmt: skip

QUANTISED_CONSENSUS = contrast(
    "quantised-consensus", "compensating for what was quantised keeps the mean",
    Setting(
        "consensus", partial(problem, "consensus"), 8, 500, None, replicas=48, points=60,
        note="a step is a tick, random pairs of a ring, grid of width 1/16",
    ),
    Reading(quantity="squared_distance", of=" of the mean of workers"),
    method="compensating",
    baseline=arm("quantised values averaged", lambda it: replace(it.own, own=OwnValue.TOTAL)),
    without=arm(
        "no compensation: the own value as it is, the other's quantised",
        lambda it: replace(it.own, own=OwnValue.PARTIAL),
    ),
    at_most=1e-6, source="Carli, Fagnani, Frasca, Zampieri 2010, arXiv:0907.0748, sections 3 to 5",
    scales=("linear", "log"),
)  # fmt: skip


# Effects of compressed trackers and corrections.

_STILL = Setting(
    "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 8, 1500, around(0.1),
    points=200, d=20, note="ring, d = 20",
)  # fmt: skip

_TRACKING_NOISY = replace(
    _STILL,
    title="quadratic-unequal, sigma2 = 4",
    problem=partial(unequal, sigma2=4.0),
    replicas=128,
    seed=MEASURED_ANEW + 1,
    steps=2000,
    step=(0.0125, 0.025, 0.05, 0.1, 0.2, 0.4),
)  # fmt: skip - the claim was set while looking at MEASURED_ANEW


def _choco(it: ArmContext) -> ChocoSGD:
    return ChocoSGD(it.step, Ring(it.problem.n), TOP_QUARTER, it.own.consensus_step)


BEER = contrast(
    "beer", "compressed messages and workers that differ leave no error floor",
    _STILL, Reading(of=_MEAN_MODEL),
    method="BEER, the largest quarter of entries",
    baseline=arm("CHOCO-SGD, the same operator", _choco),
    without=arm("own gradients in the tracker's place", lambda it: OneWrongStep(it.own, untracked)),
    at_most=1e-4,
    source="Zhao, Li, Li, Richtarik, Chi 2022, arXiv:2201.13320: 1/T without a bound on "
    "differences between workers",
)  # fmt: skip

MOTEF = contrast(
    "motef", "gradients averaged over time keep noise out of compressed trackers: at one stepsize "
    "workers agree",
    replace(
        _STILL, title="quadratic-unequal, sigma2 = 1", problem=unequal, replicas=16, steps=2000,
        step=ConstantStep(0.05),
    ),
    Reading(quantity="consensus", last=20),
    method="MoTEF, the largest quarter of entries",
    baseline=arm("CHOCO-SGD, the same operator", _choco),
    without=arm("no averaging over time: BEER", lambda it: replace(it.own, momentum=1.0)),
    at_most=0.02,
    source="Islamov, Gao, Stich 2024, arXiv:2405.20114: momentum tracking under noise",
    tuning=StepsizeChoice.ALIKE,
)  # fmt: skip

LEAD_EFFECT = contrast(
    "lead", "exact models for a fraction of the bits",
    replace(_STILL, replicas=32), Reading("sent_bits", target=1e-6, of=_MEAN_MODEL),
    method="LEAD, QSGD with 16 levels",
    baseline=arm(
        "exact diffusion",
        lambda it: CorrectedGossip(it.step, Ring(it.problem.n), EXACT_DIFFUSION),
    ),
    without=arm("the dual is never kept", lambda it: OneWrongStep(it.own, without_dual)),
    at_most=0.2, float_bits=64,
    source="Liu, Li, Wang, Tang, Yan 2020, arXiv:2007.00232, Theorem 1: linear to x*",
)  # fmt: skip

CEDAS = contrast(
    "cedas",
    "noise and stepsizes that fall leave eight-bit messages nearer to the minimiser than whole "
    "models that are averaged, where workers differ",
    replace(
        _STILL, title="quadratic-unequal, sigma2 = 1/4", problem=partial(unequal, sigma2=0.25),
        n=16, replicas=32, points=60,
        step=FromProblem("8/(t + 10)", lambda _: InverseTimeStep(8.0, 10.0)),
    ),
    Reading(of=_MEAN_MODEL),
    method="CEDAS, QSGD with 16 levels",
    baseline=arm("D-PSGD", lambda it: DPSGD(it.step, Ring(it.problem.n))),
    without=arm("the dual is never kept", lambda it: OneWrongStep(it.own, without_dual)),
    at_most=0.6,
    source="Huang, Pu 2023, arXiv:2301.05872: sigma^2/(n T) in the end, stepsizes of order 1/t",
)  # fmt: skip

DEEPSQUEEZE = contrast(
    "deepsqueeze", "models compressed by any operator train under noise for a fraction of the bits",
    _TRACKING_NOISY, Reading("sent_bits", target=0.03, of=_MEAN_MODEL),
    method="DeepSqueeze, the largest quarter of entries",
    baseline=arm("D-PSGD", lambda it: DPSGD(it.step, Ring(it.problem.n))),
    without=arm("errors are forgotten", lambda it: OneWrongStep(it.own, error_dropped)),
    at_most=0.8,
    source="Tang, Lian, Qiu, Yuan, Zhang, Zhang, Liu 2019, arXiv:1907.07346, section 5",
)  # fmt: skip

MONIQUA = contrast(
    "moniqua", "models rounded on a circle carry training for a fraction of the bits",
    replace(_STILL, step=(0.025, 0.05, 0.1, 0.2, 0.3, 0.4)),
    Reading("sent_bits", target=0.015, of=_MEAN_MODEL),
    method="Moniqua, 8 bits on a circle of 4",
    baseline=arm("D-PSGD", lambda it: DPSGD(it.step, Ring(it.problem.n))),
    without=arm(
        "a circle shorter than neighbours are apart",
        lambda it: replace(it.own, circle=CircleGrid(CIRCLE.length / 64, CIRCLE.b)),
    ),
    at_most=0.3,
    source="Lu, De Sa 2020, arXiv:2002.11787, section 6",
)  # fmt: skip


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "D-squared without its correction", "X+ = W (X - gamma G), as the first step",
        d2.no_bias, wrapped(UncorrectedD2, D2),
    ),
    fault(
        "D-squared mixing the models alone", "the correction is added after W",
        d2.modes, wrapped(UnmixedD2, D2),
    ),
    fault(
        "D-squared with one stepsize for both gradients", "gamma_t (G_t - G_{t-1})",
        d2.mean_is_gradient_descent, wrapped(RescaledD2, D2),
    ),
)  # fmt: skip
