"""Effects of scaled stepsizes, warm-ups, layers and growing batches: what each row is for."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from algorithms.catalogue.large_batch import LAST_BATCH
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.lamb import adam
from algorithms.optimizers.momentum import Momentum
from algorithms.problems.mlp import MLP, digits_mlp, rescaled
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.effect_check import EffectCheck, StepsizeChoice
from proofs_check.instruments.measurement import Measurement
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting, around
from proofs_check.instruments.tuned_arm import MEASURED_ANEW, MEASURED_ON
from proofs_check.instruments.variants import Fixed
from theory.rules.batch_rules import BatchRule, FixedBatch, StagedBatch, SteadyBatch
from theory.stepsizes import ConstantStep, GradualWarmUpStep, InverseTimeStep


def _bounded(seen: Measurement) -> Measurement:
    """Errors beyond 10 are drawn as 10: a run that diverges says no more."""
    return seen._replace(y=np.minimum(seen.y, 10.0))


def _steps(target: float) -> Reading:
    return Reading(target=target, shown=_bounded)


NOISY = Setting(
    "quadratic-sc-iid", partial(Quadratic.strongly_convex, mu=0.1, sigma2=2.0), 4, 600,
    ConstantStep(0.05), replicas=48, points=300, d=100,
    note="d = 100, mu = 0.1, sigma2 = 2, batch times 8",
)  # fmt: skip
"""What stepsizes scaled with the batch are for: an accuracy in fewer steps."""

BASE = arm("the base batch at the base stepsize", lambda it: BSP(it.step))
UNSCALED = arm(
    "eight times the batch at the base stepsize", lambda it: replace(it.own, method=BSP(it.step))
)

LINEAR_SCALING = contrast(
    "linear-scaling",
    "eight times the batch needs a fraction of the steps",
    NOISY, _steps(0.015),
    method="stepsize and batch times 8, warmed up", baseline=BASE, without=UNSCALED, at_most=0.4,
    source="Goyal et al. 2017, arXiv:1706.02677, Section 2.1: the linear scaling rule",
    scales=("linear", "log"), tuning=StepsizeChoice.POINT,
)  # fmt: skip

SQRT_SCALING = contrast(
    "sqrt-scaling",
    "eight times the batch needs fewer steps, with its noise per step kept",
    NOISY, _steps(0.015),
    method="stepsize times sqrt(8), batch times 8", baseline=BASE, without=UNSCALED, at_most=0.55,
    source="Krizhevsky 2014, arXiv:1404.5997, Section 5: times sqrt(k) in theory",
    scales=("linear", "log"), tuning=StepsizeChoice.POINT,
)  # fmt: skip

LEGW = contrast(
    "legw",
    "fewer steps with a large batch, where the stepsize times the batch diverges",
    replace(
        NOISY, problem=partial(Quadratic.strongly_convex, mu=0.01, sigma2=1e-4),
        steps=1400, step=ConstantStep(0.4), note="d = 100, mu = 0.01, sigma2 = 1e-4, batch times 8",
    ),
    _steps(2e-5),
    method="LEGW, batch times 8", baseline=BASE,
    without=arm(
        "linear scaling, warmed up for as many steps",
        lambda it: replace(it.own, method=BSP(GradualWarmUpStep(it.step, 8, 64))),
    ),
    at_most=0.65, source="You et al. 2019, arXiv:1901.08433, Section 3",
    scales=("linear", "log"), tuning=StepsizeChoice.POINT,
)  # fmt: skip


def _layers(n: int) -> MLP:
    """A network whose layers' weights differ 256-fold, in full batches of few samples."""
    whole = rescaled(digits_mlp(n, batch=0), 256.0)
    return replace(
        whole, features=whole.features[:, :64].contiguous(),
        labels=whole.labels[:, :64].contiguous(),
    )  # fmt: skip


LAYERS = Setting(
    "mlp-digits-levels, 64 samples a worker in full batches", _layers, 2, 80,
    around(64.0), points=40, d=Fixed.LAYERS,
    note="falling to 0, data and x_0 of seed 0, f* = 0, the bound of a cross-entropy",
)  # fmt: skip
"""What ratios by layer are for: gamma falls from what is given, by the rows' own rules."""


def _undivided(it: ArmContext) -> Any:
    """The row's own method with one ratio for the whole model."""
    inner = it.own.method
    whole = replace(inner.optimizer, shapes=((it.problem.d,),))
    return replace(it.own, method=replace(inner, optimizer=whole))


LARS = contrast(
    "lars",
    "one stepsize does for layers whose weights are of very different size",
    LAYERS, Reading(),
    method="LARS",
    baseline=arm(
        "momentum SGD",
        lambda it: BSP(it.step, optimizer=Momentum(0.9)), step=(1e-4, 1e-3, 1e-2, 1e-1),
        note="",
    ),
    without=arm("LARS with one ratio for the whole model", _undivided),
    at_most=0.02,
    source="You, Gitman, Ginsburg 2017, arXiv:1708.03888, Section 4: ||w||/||g|| differs by layer",
    scales=("linear", "log"), tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip

LAMB = contrast(
    "lamb",
    "one stepsize does for layers whose weights are of very different size",
    replace(LAYERS, step=around(0.08)), Reading(),
    method="LAMB",
    baseline=arm(
        "AdamW",
        lambda it: BSP(it.step, optimizer=adam(it.problem.shapes, decay=0.01)),
        step=(1e-3, 3e-3, 1e-2, 3e-2), note="",
    ),
    without=arm("LAMB with one ratio for the whole model", _undivided),
    at_most=0.01,
    source="You et al. 2020, arXiv:1904.00962, Section 3: learning rates adapted by layer",
    scales=("linear", "log"), tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip

_MU = 0.1
GROWING = Setting(
    "quadratic-pl, d = 100, sigma2 = 16",
    partial(Quadratic.pl, mu_pl=_MU, sigma2=16.0), 8, 100, (0.15, 0.3, 0.6), replicas=64,
    points=100, d=100,
)  # fmt: skip
"""What growing batches are for: the accuracy of a decaying stepsize in fewer updates."""


def _grown(
    key: str,
    method: str,
    rule: BatchRule,
    rounds: int,
    target: float,
    at_most: float,
    source: str,
    seed: int = MEASURED_ON,
) -> EffectCheck:
    """The batch grows by ``rule``; the other arms take single gradients, as many in all."""
    gradients = sum(rule(t) for t in range(rounds))
    return contrast(
        key,
        "as many gradients give the same accuracy in a fraction of the updates",
        replace(GROWING, steps=rounds, note=f"{rule}", seed=seed), Reading(target=target),
        method=method,
        baseline=arm(
            "SGD with single gradients and a decaying stepsize",
            lambda it: BSP(InverseTimeStep(it.step.gamma / _MU, 10 * it.step.gamma)),
            steps=gradients, step=(0.5, 1.0, 2.0), note="gamma_t = (c/mu)/(10 c + t), c for gamma",
        ),
        without=arm(
            "a batch that stays, with a constant stepsize",
            lambda it: replace(it.own, batch=FixedBatch(1)), steps=gradients, note="",
        ),
        at_most=at_most, source=source, tuning=StepsizeChoice.OWN_GRIDS,
    )  # fmt: skip


BATCH_GROWTH = _grown(
    "batch-growth", "batch growth", StagedBatch(20, 2, most=16), 100, 8e-3, 0.6,
    "Smith, Kindermans, Ying, Le 2018, arXiv:1711.00489, abstract: fewer parameter updates",
)  # fmt: skip

CR_PSGD = _grown(
    "cr-psgd", "CR-PSGD", SteadyBatch(60, LAST_BATCH), 75, 5e-3, 0.3,
    "Yu, Jin 2019, arXiv:1905.04346, Theorem 1: O(1/(nT)) with O(log T) rounds",
    MEASURED_ANEW,
)  # fmt: skip
