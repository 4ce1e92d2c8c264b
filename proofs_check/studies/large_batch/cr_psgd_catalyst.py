r"""CR-PSGD-Catalyst where f is not convex: 1/sqrt(nT) with O(sqrt(nT) log(T/n)) rounds.

T gradients a worker are cut into sqrt(nT) stages of sqrt(T/n) each (Yu, Jin 2019, arXiv:1905.04346,
Algorithm 2); a stage runs CR-PSGD on f + theta/2 ||. - y||^2 with theta > L. The mean of
||grad f(y_k)||^2 over the stages' centres falls as T^(-1/2) at least. Batches double from one
sample, so that a stage ends with half of its gradients in one batch; with slower growth from a
larger first batch the rate is reached only in long stages.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.catalogue import problem
from algorithms.methods.large_batch.cr_psgd import CatalystPSGD
from algorithms.problems.base import Problem
from proofs_check.instruments.evidence import ALPHA, identity
from proofs_check.instruments.paths import path
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import Study, StudyResult, fitted
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.rules.batch_rules import GeometricBatch
from theory.stepsizes import ConstantStep

_NAME, _N, _REPLICAS, _SEED = "nonconvex-digits-dirichlet", 4, 32, 99
_LENGTHS = (4, 5, 6, 7)  # steps of a stage
_BATCH, _RATIO = GeometricBatch(2.0, 1), 1.5  # 1, 2, 4, ...; theta / L


class StagePlan(NamedTuple):
    """Stages, steps in each, and gradients a worker takes in all.

    Attributes:
        stages: number of stages.
        length: steps of a stage.
    """

    stages: int
    length: int
    gradients: int

    @staticmethod
    def of(length: int, n: int) -> StagePlan:
        """Stages of b gradients a worker make T = n b^2: b = sqrt(T/n), and n b = sqrt(nT) stages.

        So no horizon is rounded.
        """
        b = sum(_BATCH(s) for s in range(length))
        return StagePlan(n * b, length, n * b * b)

    @property
    def rounds(self) -> int:
        """Rounds of communication: one a step."""
        return self.stages * self.length


def centres(built: Problem, plan: StagePlan) -> Floats:
    """Mean of ||grad f(y_k)||^2 over the stages, for each replica ``[R]``."""
    smooth = built.constants().need("L")
    theta = _RATIO * smooth
    method = CatalystPSGD(ConstantStep(1 / (theta + smooth)), _BATCH, plan.length, theta)
    total = np.zeros(_REPLICAS)
    for moment in path(method, built, plan.rounds, seed=_SEED, replicas=_REPLICAS):
        if moment.t % plan.length == 0 and moment.t < plan.rounds:
            slope = built.mean_gradient(moment.state.x[:, 0])
            total += slope.square().sum(-1).numpy()
    return total / plan.stages


def rounds_verdict(plans: tuple[StagePlan, ...]) -> Verdict:
    r"""Rounds are \sqrt{nT} \log_2(1 + \sqrt{T/n}): 1 + 2 + 4 + ... = 2^s - 1 gradients a stage."""
    return identity(
        "cr-psgd", "T gradients a worker take sqrt(nT) log2(1 + sqrt(T/n)) rounds",
        [plan.rounds for plan in plans],
        [math.sqrt(_N * p.gradients) * math.log2(1 + math.sqrt(p.gradients / _N)) for p in plans],
        check="rounds of communication", problem=_NAME,
        provenance="Yu, Jin 2019, Theorem 2; the schedule itself, no seed",
    )  # fmt: skip


def measure() -> StudyResult:
    """The exponent of T, and the rounds."""
    built = problem(_NAME, _N)
    plans = tuple(StagePlan.of(s, _N) for s in _LENGTHS)
    y = np.stack([centres(built, plan) for plan in plans], axis=1)
    x = np.array([plan.gradients for plan in plans], dtype=np.float64)
    fit = fit_power(x, y, ALPHA)
    verdict = rate_verdict(
        fit, -0.5, False, subject="cr-psgd", problem=_NAME,
        claim="the mean of E||grad f(y_k)||^2 falls at least as T^(-1/2)",
        provenance=f"Yu, Jin 2019, Theorem 2; seed {_SEED}, {_REPLICAS} replicas, n={_N}, theta "
        f"{_RATIO:g} L, error {ALPHA:g}",
    )  # fmt: skip
    reference = y[:, 0].mean() * np.sqrt(x[0] / x)
    return StudyResult((verdict, rounds_verdict(plans)), (fitted(x, y, fit, reference),))


STUDY = Study(
    "cr_psgd_catalyst", "cr-psgd", _NAME, "1/sqrt(nT) with sqrt(nT) log(T/n) rounds",
    "gradients a worker T", "mean E||grad f(y_k)||^2 [(f/x)^2]", measure,
)  # fmt: skip
