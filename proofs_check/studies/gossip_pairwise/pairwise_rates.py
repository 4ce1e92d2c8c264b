r"""Orders in T of AD-PSGD and SAPS-PSGD, compared with those their papers state.

Both state O(1/sqrt T) for the mean squared gradient of smooth functions, with constants that are
not known for certain, so nothing is asserted. gamma is c/sqrt T; a step is one worker's gradient
for AD-PSGD and one of everybody's for SAPS-PSGD. Noise and different objectives; strongly convex,
where the noise floor alone, gamma L sigma^2, is of that order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD
from algorithms.methods.gossip_pairwise.saps_psgd import SAPSPSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Exponential
from algorithms.topologies.bandwidth_matching import BandwidthMatching, drawn_bandwidth
from algorithms.topologies.ring import Ring
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import Study, StudyResult, fitted
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep

Build = Callable[[float, int], Method[Any]]
"""Stepsize and number of steps to a method."""

_N, _D, _REPLICAS, _SEED = 8, 10, 32, 53
_PROBLEM = "quadratic-sc"


def _asynchronous(gamma: float, steps: int) -> Method[Any]:
    rule = ConstantStep(gamma)
    return ADPSGD(rule, steps, Exponential(), Ring(_N), replicas=_REPLICAS)


def _masked(gamma: float, steps: int) -> Method[Any]:
    peers = BandwidthMatching(drawn_bandwidth(_N, _SEED))
    return SAPSPSGD(ConstantStep(gamma), peers, 4.0)


def measure(row: str, build: Build, scale: float, horizons: tuple[int, ...]) -> StudyResult:
    """Mean squared gradient over the run against T, gamma = ``scale`` / sqrt T."""
    problem = Quadratic.strongly_convex(_N, _D, L=1.0, mu=0.1, sigma2=1.0, zeta2=0.5, R2=4.0)
    means = []
    for steps in horizons:
        method = build(scale / steps**0.5, steps)
        trace = run(method, problem, steps=steps, seed=_SEED, replicas=_REPLICAS, points=2, every=4)
        means.append(trace.average_squared_gradient[:, -1])
    x, y = np.array(horizons, dtype=np.float64), np.stack(means, axis=1)
    fit = fit_power(x, y, ALPHA)
    verdict = rate_verdict(
        fit, -0.5, False, subject=row, problem=_PROBLEM,
        claim="the mean squared gradient falls as fast as 1/sqrt T with gamma = c/sqrt T",
        provenance=f"n={_N}, c={scale:g}, T in {horizons}, {_REPLICAS} replicas, seed {_SEED}, "
        f"error {ALPHA:g}; the paper's rate is an order only",
    )  # fmt: skip
    reference = y.mean(axis=0)[0] * (x / x[0]) ** -0.5
    return StudyResult(
        (replace(verdict, outcome=Outcome.COMPARED),), (fitted(x, y, fit, reference),)
    )


def asynchronous() -> StudyResult:
    """AD-PSGD on a ring, exponential times."""
    return measure("ad-psgd", _asynchronous, 8.0, (256, 512, 1024))


def masked() -> StudyResult:
    """SAPS-PSGD, a quarter of the coordinates a step."""
    return measure("saps-psgd", _masked, 2.0, (128, 256, 512))


AD_PSGD = Study(
    "ad_psgd_rate", "ad-psgd", _PROBLEM, "order 1/sqrt T", "steps T",
    "(1/T) sum E||grad f(x_t)||^2", asynchronous,
)  # fmt: skip
SAPS_PSGD = Study(
    "saps_psgd_rate", "saps-psgd", _PROBLEM, "order 1/sqrt T", "steps T",
    "(1/T) sum E||grad f(x_t)||^2", masked,
)  # fmt: skip
