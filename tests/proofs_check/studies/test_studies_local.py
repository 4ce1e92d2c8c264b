"""Studies and closed forms of local updates, and for each a fault that it must see."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import Tensor

from algorithms.methods.base import Method, RunContext
from algorithms.methods.local_updates.local_sgd import LocalSGD, LocalSGDState
from algorithms.problems.base import Problem
from algorithms.synchronisation.periods import FixedPeriod, Periods
from proofs_check.curves import RateSeries
from proofs_check.evidence.cooperative import studies as rounds_for_speedup_cocod
from proofs_check.evidence.cooperative.closed_forms import law_of_overlap
from proofs_check.evidence.local_updates import studies as local_drift_zeta
from proofs_check.evidence.local_updates import studies_periods as one_shot_floor
from proofs_check.evidence.local_updates import studies_rounds as rounds_for_speedup
from proofs_check.evidence.local_updates import studies_rounds as rounds_for_speedup_lupa
from proofs_check.evidence.local_updates import studies_rounds as rounds_for_speedup_pr
from proofs_check.evidence.local_updates import studies_speedup as local_speedup
from proofs_check.evidence.local_updates.closed_forms import (
    law_of_bsp,
    path_of_bsp,
    random_fixed_points,
)
from proofs_check.evidence.local_updates.closed_forms_law import (
    FallingLaw,
    LocalLaw,
    TwoKinds,
    law_of_uneven_workers,
    law_while_steps_fall,
)
from proofs_check.instruments.speedup_search import longest_period
from proofs_check.instruments.speedup_verdicts import Scan, SpeedupGrid, exponent_fit
from proofs_check.methods.faulty.methods import GradientAveragingLocalSGD
from proofs_check.verdict import Outcome, Verdict
from theory.constants import Constants
from theory.stepsizes import InverseTimeStep, Stepsize

SMALL = SpeedupGrid(horizons=(128, 256, 512), workers=(2, 4, 8), middle=256)


def outcomes(verdicts: tuple[Verdict, ...]) -> set[Outcome]:
    return {verdict.outcome for verdict in verdicts}


@dataclass(frozen=True)
class Twisted(Method[LocalSGDState]):
    """Local SGD, to be done wrong."""

    step_rule: Stepsize
    period: int | Periods

    def meets(self, t: int) -> bool:
        periods = FixedPeriod(self.period) if isinstance(self.period, int) else self.period
        return periods.meets(t)

    @property
    def name(self) -> str:
        return type(self).__name__

    def constants(self, problem: Problem) -> Constants:
        return LocalSGD(self.step_rule, self.period).constants(problem)

    def init(self, x0: Tensor, context: RunContext) -> LocalSGDState:
        return LocalSGD(self.step_rule, self.period).init(x0, context)

    def step(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        return LocalSGD(self.step_rule, self.period).step(state, t, context)

    def models(self, state: LocalSGDState) -> Tensor:
        return state.x


class SameSeed(Twisted):
    """Every worker seeds its generator as worker 0 does (equal workers)."""

    def step(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        first = torch.zeros_like(context.network.workers)
        draws = context.key.fold("gradient", t).draws(context.replicas, first)
        x = state.x - self.step_rule(t) * context.problem.gradient(state.x, draws)
        return LocalSGDState(x.mean(-2, True).expand_as(x).clone() if self.meets(t) else x)


class LeavesOneOut(Twisted):
    """The mean of the models forgets the last worker's."""

    def step(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        x = state.x - self.step_rule(t) * context.gradient(state.x, t)
        if not self.meets(t):
            return LocalSGDState(x)
        return LocalSGDState(x[..., :-1, :].mean(-2, keepdim=True).expand_as(x).clone())


class TakesOne(Twisted):
    """The server takes the model of worker 0 for the mean."""

    def step(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        x = state.x - self.step_rule(t) * context.gradient(state.x, t)
        if not self.meets(t):
            return LocalSGDState(x)
        return LocalSGDState(x[..., :1, :].expand_as(x).clone())


STUDIES = {
    "rounds, local SGD": lambda: rounds_for_speedup.rounds_for_speedup_measure(grid=SMALL),
    "rounds, CoCoD-SGD": lambda: rounds_for_speedup_cocod.rounds_for_speedup_cocod_measure(
        grid=SMALL
    ),
    "rounds, PR-SGD": lambda: rounds_for_speedup_pr.measure(grid=SMALL),
}


@pytest.mark.parametrize("study", STUDIES, ids=str)
def test_rounds_support_their_claims_on_shorter_horizons(study: str) -> None:
    result = STUDIES[study]()
    for verdict in result.verdicts:
        assert verdict.outcome.holds, verdict
        assert verdict.evidence and "seed" in verdict.provenance
    assert [rate.along for rate in result.curves if isinstance(rate, RateSeries)] == ["", "n"]
    for rate in result.curves:
        assert np.isfinite([rate.mean, rate.low, rate.high, rate.fit, rate.reference]).all(), rate


FAULTS = {
    "gradients averaged: as many rounds as steps": lambda: (
        rounds_for_speedup.rounds_for_speedup_measure(GradientAveragingLocalSGD, SMALL)
    ),
    "gradients averaged, non-convex metric": lambda: rounds_for_speedup_pr.measure(
        GradientAveragingLocalSGD, SMALL
    ),
    "one model left out: other longest periods": lambda: rounds_for_speedup_pr.measure(
        LeavesOneOut, SMALL
    ),
    "gradients averaged: models drift without end": lambda: (
        local_drift_zeta.local_drift_zeta_measure(GradientAveragingLocalSGD)
    ),
    "one model left out: another fixed point": lambda: local_drift_zeta.local_drift_zeta_measure(
        LeavesOneOut
    ),
    "averaging every step is no one-shot averaging": lambda: one_shot_floor.one_shot_floor_measure(
        lambda step, _: LocalSGD(step, 1), replicas=64
    ),
    "CoCoD-SGD with fresh averages: other longest periods": (
        lambda: rounds_for_speedup_cocod.rounds_for_speedup_cocod_measure(LocalSGD, SMALL)
    ),
    "one model for all: the periods of LUPA-SGD give no speedup": (
        lambda: rounds_for_speedup_lupa.rounds_for_speedup_lupa_measure(TakesOne, SMALL)
    ),
    "equal seeds: no speedup": lambda: local_speedup.local_speedup_measure(SameSeed),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_planted_faults_are_refuted(fault: str) -> None:
    assert Outcome.REFUTED in outcomes(FAULTS[fault]().verdicts)


CLOSED_FORM_FAULTS = {
    "law of BSP, equal seeds": lambda: law_of_bsp(SameSeed),
    "law of BSP, one model left out": lambda: law_of_bsp(LeavesOneOut),
    "path of BSP, one model left out": lambda: path_of_bsp(LeavesOneOut),
    "fixed points, gradients averaged": lambda: random_fixed_points(GradientAveragingLocalSGD),
    "exact moments, falling steps, one model left out": lambda: law_while_steps_fall(LeavesOneOut),
    "exact moments of CoCoD-SGD, fresh averages": lambda: law_of_overlap(LocalSGD),
    "exact moments, gradients averaged": lambda: law_of_uneven_workers(GradientAveragingLocalSGD),
    "exact moments, one model left out": lambda: law_of_uneven_workers(LeavesOneOut),
}


@pytest.mark.parametrize("fault", CLOSED_FORM_FAULTS, ids=str)
def test_closed_forms_refute_planted_faults(fault: str) -> None:
    assert Outcome.REFUTED in outcomes(CLOSED_FORM_FAULTS[fault]())


@pytest.mark.parametrize("power", [1.0, 2.0])
@pytest.mark.parametrize("longest", [3.7, 41.3])
def test_search_finds_a_known_longest_period(power: float, longest: float) -> None:
    """e(H) = e(1) (1 + ((H - 1)/(H* - 1))^power), multiplied by noise that all H share."""
    noise = np.random.default_rng(3).chisquare(32, size=256) / 32

    def errors(period: int) -> np.ndarray:
        return noise * (1 + ((period - 1) / (longest - 1)) ** power)

    found = longest_period(errors, 2, 1000)
    assert math.exp(found.log_period) == pytest.approx(longest, rel=0.04)
    assert found.low <= math.exp(found.log_period) <= found.high and not found.saturated
    near = longest_period(errors, round(longest), 1000)
    assert math.exp(near.log_period) == pytest.approx(longest, rel=0.04)
    assert near.runs == 3 < found.runs


def test_search_says_where_one_round_is_enough() -> None:
    found = longest_period(lambda period: np.ones(8), 2, 100)
    assert found.saturated and found.log_period == pytest.approx(math.log(100))


def test_search_extrapolates_where_one_round_may_not_be_enough() -> None:
    noise = np.random.default_rng(4).chisquare(4, size=(2, 64)) / 4
    found = longest_period(lambda period: noise[min(period - 1, 1)] * (1 + period / 100), 50, 100)
    assert not found.saturated and found.high > 100 > found.low


def test_interval_covers_the_longest_period() -> None:
    """Independent noise for every H: the truth lies within, and the estimate is near."""
    for seed in range(20):
        generator = np.random.default_rng(seed)

        def errors(period: int, generator: np.random.Generator = generator) -> np.ndarray:
            return generator.chisquare(32, size=256) / 32 * (1 + ((period - 1) / 20) ** 2)

        found = longest_period(errors, 4, 1000)
        assert found.low * 0.97 <= 21 <= found.high * 1.03


def test_search_names_a_guess_out_of_range() -> None:
    with pytest.raises(ValueError, match=r"guess must lie in \[2, 100\], got guess=101"):
        longest_period(lambda period: np.ones(4), 101, 100)


def test_exponent_of_exact_rounds() -> None:
    """H* = 3 T^(1/4) n^(-3/4) gives T^(3/4) n^(3/4) rounds."""
    steps = np.array([256.0, 1024.0, 4096.0])
    found = tuple(
        longest_period(
            lambda period, s=s: np.full(4, 1 + ((period - 1) / (30 * s**0.25 - 1)) ** 2), 50, int(s)
        )
        for s in steps
    )
    assert exponent_fit(Scan(steps, found, steps)).slope == pytest.approx(0.75, abs=0.01)


@pytest.mark.parametrize("overlapped", [False, True])
@pytest.mark.parametrize("period", [1, 3, 8])
def test_exact_law_is_that_of_a_dense_gaussian_recursion(period: int, overlapped: bool) -> None:
    """All n models as one linear Gaussian system, step by step, in numpy."""
    kinds, gamma, steps = TwoKinds(4, 0.8, 0.4, 1.5, 0.7), 0.15, 21
    sign = np.array([1.0, -1.0, 1.0, -1.0])
    a, n = 0.8 * (1 + 0.4 * sign), 4
    meet = np.full((n, n), 1 / n)
    mean, cov = np.zeros(2 * n), np.zeros((2 * n, 2 * n))  # models, and models at the round's start
    local = np.block([[np.diag(1 - gamma * a), np.zeros((n, n))], [np.zeros((n, n)), np.eye(n)]])
    shift = np.concatenate((-gamma * 1.5 * sign, np.zeros(n)))
    noise = np.diag(np.concatenate((np.full(n, gamma**2 * 0.7), np.zeros(n))))
    join = np.hstack((np.eye(n), meet - np.eye(n))) if overlapped else np.hstack((meet, 0 * meet))
    total = 0.0
    for t in range(steps):
        w = np.concatenate((np.full(n, 1 / n), np.zeros(n)))
        total += (w @ mean) ** 2 + w @ cov @ w
        mean, cov = local @ mean + shift, local @ cov @ local.T + noise
        if (t + 1) % period == 0:
            both = np.vstack((join, join))
            mean, cov = both @ mean, both @ cov @ both.T
    due = 0.8**2 * total / steps
    law = LocalLaw(kinds, gamma, period, overlapped)
    assert law.average_squared_gradient(steps) == pytest.approx(due, rel=1e-12)


def test_law_while_steps_fall_is_that_of_a_dense_gaussian_recursion() -> None:
    """All n models and the weighted sum as one linear Gaussian system, step by step, in numpy."""
    kinds, step, steps, period = TwoKinds(4, 0.8, 0.4, 1.5, 0.7), InverseTimeStep(3.0, 9.0), 23, 5
    sign, n = np.array([1.0, -1.0, 1.0, -1.0]), 4
    mean, cov = np.zeros(n + 1), np.zeros((n + 1, n + 1))
    weights = [(9.0 + t) ** 1.5 for t in range(steps)]
    for t, weight in enumerate(weights):
        gamma = step(t)
        look = np.eye(n + 1)
        look[n, :n] += weight / n
        local = np.diag(np.append(1 - gamma * 0.8 * (1 + 0.4 * sign), 1.0))
        meet = np.eye(n + 1)
        meet[:n, :n] = np.full((n, n), 1 / n) if (t + 1) % period == 0 else np.eye(n)
        shift = np.append(-gamma * 1.5 * sign, 0.0)
        noise = np.diag(np.append(np.full(n, gamma**2 * 0.7), 0.0))
        mean = meet @ (local @ look @ mean + shift)
        cov = meet @ (local @ look @ cov @ look.T @ local.T + noise) @ meet.T
    due = 0.8 / 2 * (mean[n] ** 2 + cov[n, n]) / sum(weights) ** 2
    got = FallingLaw(kinds, step, period).suboptimality(steps, lambda t: weights[t])
    assert got == pytest.approx(due, rel=1e-12)


def test_two_kinds_need_an_even_number() -> None:
    with pytest.raises(ValueError, match="n must be even, half of each kind, got n=3"):
        TwoKinds(3, 1.0, 0.5, 1.0)
