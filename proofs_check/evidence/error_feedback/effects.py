"""Effects of error feedback since the surveys, and faults in EF21, its momentum, EControl."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import RunContext
from algorithms.methods.error_feedback.econtrol import EControl, EControlState
from algorithms.methods.error_feedback.ef21 import EF21, EF21State
from algorithms.methods.parts.gradients import Sampled
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.skewed_noise import skewed, skewed_unlike
from proofs_check.evidence.drift import stretched_workers
from proofs_check.evidence.error_feedback.closed_forms import (
    exact_minimum,
    mean_of_memories,
    quarter,
    shrinking_error,
    top_one,
)
from proofs_check.evidence.error_feedback.closed_forms_momentum import (
    error_feedback,
    floors,
    is_fixed_point,
    momentum,
    nothing_is_lost,
    recursion,
    symmetric_floors,
    without_control,
)
from proofs_check.evidence.error_feedback.closed_forms_variants import forgotten_absent
from proofs_check.evidence.error_feedback.model import model_itself
from proofs_check.instruments.bits_setting import UNEQUAL, bits_until
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.instruments.tuned_arm import MEASURED_ANEW
from proofs_check.instruments.variants import Fixed
from proofs_check.methods.faulty.faulty_method import OneWrongStep
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.stepsizes import Stepsize


@wrong_step("EF21 that compresses gradients", judge=exact_minimum, of=top_one)
def gradients_themselves(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """workers send C(grad f_i), not C of its difference to g_i"""
    zeros = torch.zeros_like(state.memory)
    return own.step(state._replace(memory=zeros, mean=torch.zeros_like(state.x)), t, context)


@wrong_step("EF21 that believes it sent all", judge=mean_of_memories, of=quarter)
def uncompressed_memory(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """g_i moves by the whole difference, of which C alone was sent"""
    new = own.step(state, t, context)
    return new._replace(memory=new.momentum)


@wrong_step("EF21 whose memory is the gradient's buffer", judge=mean_of_memories, of=quarter)
def zeroed_buffer(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """g_i is an alias of the gradient, which is set to zero before the second round"""
    new = own.step(state, t, context)
    return new._replace(memory=torch.zeros_like(new.memory)) if t == 0 else new


@wrong_step("EF21 whose server starts elsewhere", judge=mean_of_memories, of=quarter)
def started_elsewhere(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """the server starts at 0 where the workers start at what they sent first"""
    new = own.step(state, t, context)
    return new if t else new._replace(mean=torch.zeros_like(new.mean))


def _of_the_mean(problem: Quadratic) -> float:
    """L^2 of f, for L_rms^2."""
    return float(problem.a.mean(0).max()) ** 2


# Faults planted in EControl: what is added to differences, and what is kept.


@wrong_step("EControl that measures before it sends", judge=nothing_is_lost, of=EControl)
def old_estimates(
    own: EControl, state: EControlState, t: int, context: RunContext
) -> EControlState:
    """e_i grows by the gradient less the estimate before this round's message"""
    new = own.step(state, t, context)
    return new._replace(unsent=new.unsent + (new.memory - state.memory))


@wrong_step("EControl that forgets what was unsent", judge=error_feedback, of=EControl)
def forgotten_residual(
    own: EControl, state: EControlState, t: int, context: RunContext
) -> EControlState:
    """e_i is never added: EF21 whatever eta"""
    zeros = torch.zeros_like(state.unsent)
    return own.step(state._replace(unsent=zeros), t, context)


@wrong_step("EControl with a share whatever eta", judge=without_control, of=EControl)
def always_controlled(
    own: EControl, state: EControlState, t: int, context: RunContext
) -> EControlState:
    """a tenth of what was left unsent is added where eta = 0 too"""
    return EControl(own.step_rule, own.compressor, max(own.eta, 0.1)).step(state, t, context)


@wrong_step("EControl that compresses gradients, at rest", judge=is_fixed_point, of=EControl)
def untracked_gradients(
    own: EControl, state: EControlState, t: int, context: RunContext
) -> EControlState:
    """h_i is forgotten before each round: C(eta e_i + g_i) is the estimate"""
    nought = torch.zeros_like(state.memory), torch.zeros_like(state.mean)
    return own.step(state._replace(memory=nought[0], mean=nought[1]), t, context)


# Faults planted in EF21 with momentum: where and how gradients are averaged.


def _always_new(step: Stepsize, compressor: Compressor, eta: float) -> EF21:
    return momentum(step, compressor, 1.0)


@wrong_step("EF21-SGDM with heavy-ball momentum", judge=recursion, of=momentum)
def heavy_ball(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """v_i = (1 - eta) v_i + grad: the new gradient is not weighed by eta"""
    if t == 0 or own.eta == 1:
        return own.step(state, t, context)
    raised = state.momentum + own.gradients.compute(state.x, t, context)
    return own.step(state._replace(momentum=raised), t, context)  # (1 - eta) raised + eta grad


def _without_memory(step: Stepsize, compressor: Compressor, _eta: float) -> BSP:
    return BSP(step, compressor)


def nothing_kept(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """Workers compress their gradients, not what they have not sent of them."""
    forgotten = state._replace(
        memory=torch.zeros_like(state.memory), mean=torch.zeros_like(state.mean)
    )
    return own.step(forgotten, t, context)


_TOP = TopK(0.1)

EF21_EFFECT = contrast(
    "ef21",
    "a tenth of the coordinates of differences to what was sent leaves no floor where workers "
    "differ, at a constant stepsize",
    replace(UNEQUAL, steps=600, points=100, seed=MEASURED_ANEW), Reading(),
    method="EF21, top-k with k = d/10",
    baseline=arm(
        "top-k with the memory of unsent steps (2018)",
        lambda it: BSP(it.step, _TOP, ErrorFeedback()),
    ),
    without=arm("top-k of the gradients themselves", lambda it: BSP(it.step, _TOP)),
    at_most=1e-6,
    source="Richtarik, Sokolov, Fatkhullin 2021, arXiv:2106.05203, Theorem 2",
    scales=("linear", "log"),
)  # fmt: skip

_SKEWED = Setting(
    "squared distances in the plane, noise whose largest entries have another mean than 0", skewed,
    64, 1600, (0.0125, 0.05), 48, points=200, d=Fixed.INSTANCE, note="top-1",
)  # fmt: skip


def _sampled(it: ArmContext, eta: float) -> Any:
    return EF21(it.step, TopK(1), eta, Sampled())


ECONTROL = contrast(
    "econtrol",
    "a share of what was left unsent, added to each difference, takes away most of the floor that "
    "skewed noise leaves EF21, where workers differ too",
    replace(
        _SKEWED, title=f"{_SKEWED.title}, workers that differ", problem=skewed_unlike
    ),
    Reading(last=20),
    method=arm("EControl, eta = 0.2", lambda it: EControl(it.step, TopK(1), 0.2)),
    baseline=arm("EF21 with stochastic gradients", lambda it: _sampled(it, 1.0)),
    without=arm(
        "hardly anything is added, eta = 1e-4", lambda it: EControl(it.step, TopK(1), 1e-4)
    ),
    at_most=0.25,
    source="Gao, Islamov, Stich 2023, arXiv:2311.05645, Algorithm 1",
)  # fmt: skip

EF21_SGDM = contrast(
    "ef21-sgdm",
    "momentum before the operator takes away most of the floor that skewed noise leaves EF21",
    _SKEWED, Reading(last=20),
    method=arm("EF21-SGDM, eta = 2 gamma", lambda it: _sampled(it, 2 * it.step.gamma)),
    baseline=arm("EF21 with stochastic gradients", lambda it: _sampled(it, 1.0)),
    without=arm("hardly any momentum, eta = 0.9", lambda it: _sampled(it, 0.9)),
    at_most=0.25,
    source="Fatkhullin, Tyurin, Richtarik 2023, arXiv:2305.15155, Algorithm 1",
    scales=("log", "log"),
)  # fmt: skip

EF21_BC = contrast(
    "ef21-bc",
    "compressed differences both ways reach the accuracy of EF21 for a small part of its bits up "
    "and down",
    replace(UNEQUAL, steps=1200, points=400, seed=MEASURED_ANEW), bits_until(1e-6, "both_ways"),
    method=arm("EF21-BC, a tenth of the coordinates both ways", lambda it: it.own),
    baseline=arm("EF21, the same up, full models down", lambda it: EF21(it.step, _TOP)),
    without=arm(
        "workers compress the gradients themselves", lambda it: OneWrongStep(it.own, nothing_kept)
    ),
    at_most=0.45, float_bits=64,
    source="Fatkhullin et al. 2021, arXiv:2110.03294, EF21-BC",
)  # fmt: skip

EF21_PP = contrast(
    "ef21-pp",
    "half of the workers a round leave no floor where workers differ: of the absent what they sent "
    "last stays in the mean",
    replace(UNEQUAL, steps=1200, replicas=48, points=100, step=(0.12, 0.25, 0.5),
            seed=MEASURED_ANEW),
    Reading(),
    method=arm("EF21-PP, p = 1/2", lambda it: it.own),
    baseline=arm(
        "all take part, with the memory of unsent steps (2018)",
        lambda it: BSP(it.step, _TOP, ErrorFeedback()), replicas=1,
    ),
    without=arm(
        "what the absent sent is forgotten", lambda it: OneWrongStep(it.own, forgotten_absent)
    ),
    at_most=1e-3,
    source="Fatkhullin et al. 2021, arXiv:2110.03294, EF21-PP",
    scales=("linear", "log"),
)  # fmt: skip

EF21_P = contrast(
    "ef21-p",
    "workers hear a tenth of the coordinates of what they lack of the model, and reach the "
    "accuracy for a part of the bits down of whole models; gradients go up in full",
    Setting(
        "quadratic of condition number 100, Hessians differ by a factor up to 2",
        stretched_workers, 8, 1200, (1.0, 1.5, 2.0, 2.5), points=1200, d=64,
    ),
    bits_until(1e-6, "received_bits"),
    method="EF21-P, k = d/10 down",
    baseline=arm("BSP, whole models down", lambda it: BSP(it.step)),
    without=arm(
        "the model itself is compressed", lambda it: OneWrongStep(it.own, model_itself)
    ),
    at_most=0.4, float_bits=64,
    source="Gruntkowska, Tyurin, Richtarik 2022, arXiv:2209.15218, Algorithm 1",
)  # fmt: skip


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "EF21 with an unbiased operator", "rand-1 scaled up, not divided by 1 + omega",
        exact_minimum, lambda step: EF21(step, RandK(1)),
    ),
    MethodMutant(
        "EF21 with the smoothness of f", "L of f in the place of L_rms",
        lambda: shrinking_error(smooth=_of_the_mean), shrinking_error,
    ),
    fault("EF21-SGDM with eta = 1", "no momentum whatever eta", floors, _always_new),
    fault(
        "EF21-SGD that keeps no memory",
        "top-1 of the stochastic gradients themselves",
        symmetric_floors,
        _without_memory,
    ),
)  # fmt: skip
