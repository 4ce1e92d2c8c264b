"""Effects of steps corrected for drift, and faults: SCAFFOLD, FedProx, FedNova, FedDyn."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import torch

from algorithms.methods.base import RunContext
from algorithms.methods.drift.feddyn import FedDyn, FedDynState
from algorithms.methods.drift.fednova import FedNova, FedNovaState, accumulated_weight
from algorithms.methods.drift.fedprox import FedProx, FedProxState
from algorithms.methods.drift.scaffold import ControlOption, Scaffold
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.parts.participation import taking_part
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.outer import server_momentum
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.drift import closed_forms as controls
from proofs_check.evidence.drift import closed_forms as wrong_controls
from proofs_check.evidence.drift import closed_forms_proximal as forms
from proofs_check.evidence.drift import closed_forms_proximal as proximal
from proofs_check.evidence.drift import stretched_workers
from proofs_check.evidence.drift.closed_forms import never_renewed, never_stored
from proofs_check.evidence.drift.closed_forms_mime import momentum_unused, uncorrected
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.effect_check import StepsizeChoice
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.instruments.tuned_arm import MEASURED_ANEW
from proofs_check.methods.faulty.faulty_method import OneWrongStep
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.stepsizes import ConstantStep

# Mistakes in local steps that a worker corrects by a term of its own, each in a step's place.


def alias_of_anchor(own: FedProx, state: FedProxState, t: int, context: RunContext) -> FedProxState:
    """the anchor is the live model itself, so that the proximal term is 0"""
    return replace(own, pull=0.0).step(state, t, context)


def last_step_as_anchor(
    own: FedProx, state: FedProxState, t: int, context: RunContext
) -> FedProxState:
    """the anchor is the worker's model of the step before, not the round's start"""
    after = own.step(state, t, context)
    return after._replace(anchor=state.x) if (t + 1) % own.period else after


def steps_of_another(
    own: FedNova, state: FedNovaState, t: int, context: RunContext
) -> FedNovaState:
    """the change of a worker is divided by the steps of the next"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    right = torch.tensor(own.weights(), dtype=state.x.dtype)[:, None]
    changes = state.anchor - own.alone(state, t, context).x
    anchor = state.anchor - (right.roll(1, 0) * changes).mean(-2, keepdim=True)
    return after._replace(anchor=anchor, x=anchor.expand_as(after.x).contiguous())


# Faults planted in proximal and normalised local steps, and in Mime's correction.


@wrong_step("FedProx with the norm itself", judge=proximal.fedprox_by_hand, of=FedProx)
def norm_itself(own: FedProx, state: FedProxState, t: int, context: RunContext) -> FedProxState:
    """mu |y - x| for mu |y - x|^2 / 2: a pull of one length"""
    away = state.x - state.anchor
    length = away.norm(dim=-1, keepdim=True)
    unit = torch.where(length > 0, away / length, 0)
    bent = own.step_rule(t) * own.pull * (away - unit)
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after._replace(x=after.x + bent)
    anchor = after.anchor + bent.mean(-2, keepdim=True)
    return FedProxState(anchor.expand_as(state.x).contiguous(), anchor)


@wrong_step(
    "FedProx that renews its anchor at each step", judge=proximal.fedprox_by_hand, of=FedProx
)
def renewed_anchor(own: FedProx, state: FedProxState, t: int, context: RunContext) -> FedProxState:
    """the anchor is the worker's model of the step before, not the round's start"""
    after = own.step(state, t, context)
    return after._replace(anchor=state.x) if (t + 1) % own.period else after


@wrong_step("FedNova without tau_eff", judge=proximal.fednova_by_hand, of=FedNova)
def one_step_of_all(own: FedNova, state: FedNovaState, t: int, context: RunContext) -> FedNovaState:
    """x -= the mean of normalised changes, without the factor tau_eff"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    effective = own.weights()[0] * accumulated_weight(own.local_steps[0], own.momentum)
    anchor = state.anchor + (after.anchor - state.anchor) / effective
    return after._replace(anchor=anchor, x=anchor.expand_as(after.x).contiguous())


@wrong_step(
    "FedNova that divides by steps under momentum", judge=proximal.fednova_by_hand, of=FedNova
)
def plain_steps(own: FedNova, state: FedNovaState, t: int, context: RunContext) -> FedNovaState:
    """tau_i for |a_i|_1, whatever the momentum"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    wrong = torch.tensor(replace(own, momentum=0.0).weights(), dtype=state.x.dtype)[:, None]
    changes = state.anchor - own.alone(state, t, context).x
    anchor = state.anchor - (wrong * changes).mean(-2, keepdim=True)
    return after._replace(anchor=anchor, x=anchor.expand_as(after.x).contiguous())


# Faults planted in FedDyn's terms, and who sees them.


def never_learnt(own: FedDyn, state: FedDynState, t: int, context: RunContext) -> FedDynState:
    """the workers' terms stay 0, and the server's with them: FedProx"""
    after = own.step(state, t, context)
    mean = after.anchor + after.server_linear / own.pull
    nought = torch.zeros_like(after.linear), torch.zeros_like(after.server_linear)
    x = after.x if (t + 1) % own.period else mean.expand_as(after.x).contiguous()
    anchor = state.anchor if (t + 1) % own.period else mean
    return FedDynState(x, nought[0], anchor, nought[1])


feddyn_never_learnt = wrong_step(
    "FedDyn whose terms stay 0", judge=forms.ends_at_minimiser, of=FedDyn
)(never_learnt)


@wrong_step("FedDyn whose server takes the mean", judge=forms.reflected, of=FedDyn)
def plain_mean(own: FedDyn, state: FedDynState, t: int, context: RunContext) -> FedDynState:
    """x = mean y_i, without - h/a"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    anchor = after.anchor + after.server_linear / own.pull
    return after._replace(anchor=anchor, x=anchor.expand_as(after.x).contiguous())


@wrong_step("FedDyn dividing by those who took part", judge=forms.mean_of_terms, of=FedDyn)
def share_of_few(own: FedDyn, state: FedDynState, t: int, context: RunContext) -> FedDynState:
    """h -= a times the mean over S in the place of the sum over n"""
    after = own.step(state, t, context)
    few = context.network.n / (own.participants or context.network.n)
    change = after.server_linear - state.server_linear
    return after._replace(server_linear=state.server_linear + few * change)


@wrong_step("FedDyn with the wrong sign", judge=forms.stays_at_minimiser, of=FedDyn)
def added_term(own: FedDyn, state: FedDynState, t: int, context: RunContext) -> FedDynState:
    """+ <h_i, y> in the local objective"""
    after = own.step(state._replace(linear=-state.linear), t, context)
    return after._replace(linear=after.linear + 2 * state.linear)


@wrong_step("FedDyn that forgets who stays away", judge=forms.few_take_part, of=FedDyn)
def forgotten_absent(own: FedDyn, state: FedDynState, t: int, context: RunContext) -> FedDynState:
    """the term of a worker that does not take part is set back to 0"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    here = taking_part(own.participants, t // own.period, context)
    return after if here is None else after._replace(linear=after.linear * here[..., None])


_OF_MEAN = " of the mean model"
_GRID = (0.1, 0.2, 0.4, 0.8)
_QUIET = Setting(
    "quadratic-unequal with curvatures from 1/20 to 1, no noise",
    partial(unequal, sigma2=0.0, ratio=20.0), 8, 320, _GRID, points=160, d=10,
    note="d = 10, K = 8",
)  # fmt: skip
_LOCAL_SGD = arm("local SGD, H = 8: as many meetings", lambda it: LocalSGD(it.step, 8))

SCAFFOLD = contrast(
    "scaffold", "control variates take away the floor that local steps have where workers differ",
    _QUIET, Reading(quantity="squared_distance", of=_OF_MEAN),
    method="SCAFFOLD, K = 8",
    baseline=_LOCAL_SGD,
    without=arm(
        "option I whose workers store no control: c is added to each local gradient",
        lambda it: OneWrongStep(replace(it.own, option=ControlOption.PASS), never_stored),
    ),
    at_most=1e-4, source="Karimireddy et al. 2019, arXiv:1910.06378, Theorem III: no zeta",
)  # fmt: skip

SCAFFNEW = contrast(
    "scaffnew", "meetings are skipped and gradients are not: a fraction of the bits for as much",
    Setting(
        "quadratic of condition number 100, Hessians differ by a factor up to 2",
        stretched_workers, 8, 1200, (0.25, 0.5, 1.0), replicas=48, points=1200, d=10,
        note="p = 1/8", seed=MEASURED_ANEW,
    ),
    Reading("sent_bits", "distance_of_workers", target=1e-3),
    method="Scaffnew, p = 1/8",
    baseline=arm("gradient descent", lambda it: BSP(it.step)),
    without=arm(
        "shifts stay at nought: local steps by a coin",
        lambda it: OneWrongStep(it.own, never_renewed),
    ),
    at_most=0.25,
    source="Mishchenko, Malinovsky, Stich, Richtarik 2022, arXiv:2202.09357, Theorem 3.6",
)  # fmt: skip

FEDPROX = contrast(
    "fedprox", "at one large stepsize a proximal term halves the bias of many local steps where "
    "workers differ; at a small one of its own local SGD is no worse",
    replace(
        _QUIET, steps=48 * 60, points=60, step=ConstantStep(0.1), note="d = 10, K = 48, mu = 1"
    ),
    Reading(quantity="squared_distance", of=_OF_MEAN),
    method=arm("FedProx, K = 48", lambda it: replace(it.own, period=48)),
    baseline=arm("local SGD, H = 48: as many meetings", lambda it: LocalSGD(it.step, 48)),
    without=arm(
        "FedProx whose anchor is the model of the step before",
        lambda it: OneWrongStep(replace(it.own, period=48), last_step_as_anchor),
    ),
    at_most=0.5, tuning=StepsizeChoice.POINT,
    source="Li et al. 2018, arXiv:1812.06127, Section 3.2: the proximal term alone is added",
)  # fmt: skip

FEDNOVA = contrast(
    "fednova", "normalised changes find the minimiser of f where workers take unequal steps",
    replace(_QUIET, steps=4800, step=(0.01, 0.02, 0.04), note="d = 10, 8 or 2 local steps"),
    Reading(quantity="squared_distance", of=_OF_MEAN),
    method="FedNova",
    baseline=arm(
        "FedAvg, the same local steps", lambda it: replace(it.own, normalised=False)
    ),
    without=arm(
        "divided by the steps of another worker",
        lambda it: OneWrongStep(it.own, steps_of_another),
    ),
    at_most=0.2, source="Wang, Liu, Liang, Joshi, Poor 2020, arXiv:2007.07481, Theorems 1 and 2",
)  # fmt: skip

FEDDYN = contrast(
    "feddyn", "a linear term that learns the gradients takes away the floor that local steps have "
    "where workers differ, for one vector each way",
    _QUIET, Reading(quantity="squared_distance", of=_OF_MEAN),
    method="FedDyn, K = 8, a = 1",
    baseline=_LOCAL_SGD,
    without=arm(
        "terms stay 0: FedProx", lambda it: OneWrongStep(it.own, never_learnt)
    ),
    at_most=1e-4, source="Acar et al. 2021, arXiv:2111.04263, Theorem 1: no zeta",
)  # fmt: skip

MIME = contrast(
    "mime", "local steps as the server would take them leave no floor where workers differ",
    replace(_QUIET, steps=1920), Reading(quantity="squared_distance", of=_OF_MEAN),
    method="Mime, K = 8",
    baseline=_LOCAL_SGD,
    without=arm(
        "local gradients uncorrected: MimeLite", lambda it: OneWrongStep(it.own, uncorrected)
    ),
    at_most=1e-6, source="Karimireddy et al. 2020, arXiv:2008.03606, Section 4",
)  # fmt: skip

_RATE = 10.0  # 1 / (1 - beta): a round's momentum moves the model as far as Mime's does

MIMELITE = contrast(
    "mimelite", "momentum of exact gradients in local steps leaves a small part of the bias that "
    "FedAvgM leaves at the server's rate 1/(1 - beta), though some; at larger rates with smaller "
    "local steps FedAvgM loses its own too",
    replace(
        _QUIET, steps=3200, points=400,
        step=(0.00025, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064),
    ),
    Reading("both_ways", "squared_distance", budget=256000.0, of=_OF_MEAN),
    method="MimeLite, K = 8",
    baseline=arm(
        f"FedAvgM, H = 8, eta_g = {_RATE:g}, beta = 0.9",
        lambda it: LocalSGD(it.step, 8, outer=server_momentum(_RATE, 0.9)),
    ),
    without=arm(
        "no local step hears of the momentum", lambda it: OneWrongStep(it.own, momentum_unused)
    ),
    at_most=0.1, source="Karimireddy et al. 2020, arXiv:2008.03606, Section 4",
)  # fmt: skip


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    wrong_step(
        "SCAFFOLD whose correction is never applied",
        judge=controls.rounds_on_two_workers, of=Scaffold,
    )(wrong_controls.never_applied),
    wrong_step(
        "SCAFFOLD that stores no control", judge=controls.rounds_on_two_workers, of=Scaffold
    )(wrong_controls.never_stored),
    wrong_step(
        "SCAFFOLD that sends its control whole", judge=controls.mean_of_controls, of=Scaffold
    )(wrong_controls.sent_whole),
    wrong_step(
        "SCAFFOLD dividing by epochs", judge=controls.rounds_on_two_workers, of=Scaffold
    )(wrong_controls.per_epoch),
    wrong_step(
        "SCAFFOLD with controls that start anywhere", judge=controls.mean_of_controls, of=Scaffold
    )(wrong_controls.random_start),
    wrong_step(
        "SCAFFOLD with one K for unequal steps", judge=controls.rounds_on_two_workers, of=Scaffold
    )(wrong_controls.shared_length),
    wrong_step(
        "SCAFFOLD dividing by those who took part", judge=controls.mean_of_controls, of=Scaffold
    )(wrong_controls.share_of_few),
    wrong_step(
        "FedProx whose anchor is an alias", judge=proximal.solved_locally, of=FedProx
    )(alias_of_anchor),
    wrong_step(
        "FedNova with another worker's steps", judge=proximal.fednova_by_hand, of=FedNova
    )(steps_of_another),
    fault(
        "FedNova that normalises nothing", "the mean of changes: FedAvg",
        proximal.fednova_by_hand, lambda *args: replace(FedNova(*args), normalised=False),
    ),
)  # fmt: skip
