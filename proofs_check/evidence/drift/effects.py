"""Effects of local steps that are corrected for drift: what each row is for."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from algorithms.methods.drift.scaffold import ControlOption
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.outer import server_momentum
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.drift import stretched_workers
from proofs_check.evidence.drift.closed_forms import never_renewed, never_stored
from proofs_check.evidence.drift.faults import (
    last_step_as_anchor,
    momentum_unused,
    never_learnt,
    steps_of_another,
    uncorrected,
)
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.effect_check import StepsizeChoice
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.instruments.tuned_arm import MEASURED_ANEW
from proofs_check.methods.faulty.faulty_method import OneWrongStep
from theory.stepsizes import ConstantStep

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
