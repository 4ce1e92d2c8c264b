"""Effects of error feedback since the surveys: what each row is for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.error_feedback.econtrol import EControl as EControlMethod
from algorithms.methods.error_feedback.ef21 import EF21 as EF21Method
from algorithms.methods.parts.gradients import Sampled
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.skewed_noise import skewed, skewed_unlike
from proofs_check.evidence.drift import stretched_workers
from proofs_check.evidence.error_feedback.faults import forgotten_absent, nothing_kept
from proofs_check.evidence.error_feedback.model import model_itself
from proofs_check.instruments.bits_setting import UNEQUAL, bits_until
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.instruments.tuned_arm import MEASURED_ANEW
from proofs_check.instruments.variants import Fixed
from proofs_check.methods.faulty.faulty_method import OneWrongStep

_TOP = TopK(0.1)

EF21 = contrast(
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
    return EF21Method(it.step, TopK(1), eta, Sampled())


ECONTROL = contrast(
    "econtrol",
    "a share of what was left unsent, added to each difference, takes away most of the floor that "
    "skewed noise leaves EF21, where workers differ too",
    replace(
        _SKEWED, title=f"{_SKEWED.title}, workers that differ", problem=skewed_unlike
    ),
    Reading(last=20),
    method=arm("EControl, eta = 0.2", lambda it: EControlMethod(it.step, TopK(1), 0.2)),
    baseline=arm("EF21 with stochastic gradients", lambda it: _sampled(it, 1.0)),
    without=arm(
        "hardly anything is added, eta = 1e-4", lambda it: EControlMethod(it.step, TopK(1), 1e-4)
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
    baseline=arm("EF21, the same up, full models down", lambda it: EF21Method(it.step, _TOP)),
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
