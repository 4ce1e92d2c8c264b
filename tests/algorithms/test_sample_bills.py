"""Modelled seconds of rounds that evaluate different numbers of samples, by hand.

Breast cancer on 8 workers has 71 samples each in batches of 8: an exact gradient is nine batches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.catalogue import problem, row
from algorithms.compressors.rand_k import RandK
from algorithms.engine.run import run
from algorithms.engine.trace import Trace
from algorithms.methods.base import Method
from algorithms.methods.parts.gradients import Full, Sampled
from algorithms.methods.parts.sample_bills import exact_worth
from algorithms.methods.variance_reduced.dasha import Dasha
from algorithms.methods.variance_reduced.marina import Marina
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stopwatch import Timing
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep

N, T, EXACT = 8, 40, 9
STEP, FEW = ConstantStep(0.01), RandK(3)
FREE = AlphaBeta(0.0, 0.0)


@pytest.fixture(scope="module")
def data() -> Problem:
    return problem("logreg-breast-cancer", N)


def timed(method: Method[Any], on: Problem, slowest: float = 1.0) -> Trace:
    """A run in which messages take no time and worker 0 is the slowest."""
    times = Constant((slowest, *(N - 1) * (0.5,)))
    return run(method, on, steps=T, timing=Timing(times, FREE), points=20 * T, seed=3)


def test_an_exact_gradient_is_worth_the_batches_of_its_samples(data: Problem) -> None:
    assert data.exact_cost == 71 / 8 and exact_worth(data) == EXACT
    assert exact_worth(Quadratic.strongly_convex(N, 4)) == 1


def test_full_rounds_of_vr_marina_take_nine_batches_and_others_two(data: Problem) -> None:
    """Which rounds are full is read off the bits that are sent: 64 d a worker."""
    trace = timed(Marina(STEP, FEW, refresh=0.3, differences=Sampled()), data, 2.0)
    full = [float(sent) == 64 * data.d for sent in np.diff(trace.sent_bits[0])]
    assert 5 < sum(full) < 30 and full[0]
    passed = [0.0]
    for whole in full:
        passed.append(passed[-1] + 2.0 * (EXACT if whole else 2))
    assert trace.seconds[0].tolist() == passed
    assert float(trace.gradients[0, -1]) == sum(EXACT if whole else 2 for whole in full)


def test_workers_out_of_a_round_of_pp_marina_compute_nothing(data: Problem) -> None:
    """Exact gradients throughout are the unit: one in a full round of all, two of 3 of 8 else."""
    trace = timed(Marina(STEP, FEW, refresh=0.3, participants=3), data)
    rounds = np.diff(trace.gradients[0])
    assert set(rounds.tolist()) == {1.0, 2 * 3 / N}
    assert float(trace.seconds[0, -1]) < float(
        timed(Marina(STEP, FEW, refresh=0.3), data).seconds[0, -1]
    )


@pytest.mark.parametrize(("chance", "later"), [(1.0, EXACT), (1e-12, 2)])
def test_dasha_page_bills_what_each_worker_takes(data: Problem, chance: float, later: int) -> None:
    trace = timed(Dasha(STEP, FEW, gradients=Sampled(), momentum=0.0, refresh=chance), data)
    want = [0.0, *(float(EXACT + t * later) for t in range(T))]
    assert trace.seconds[0].tolist() == want and trace.gradients[0].tolist() == want


def test_a_round_of_dasha_page_waits_for_whoever_takes_the_exact_gradient(data: Problem) -> None:
    """k of 8 workers take nine batches in a round, 8 - k two; all workers are alike here."""
    method = Dasha(STEP, FEW, gradients=Sampled(), momentum=0.0, refresh=0.1)
    trace = run(method, data, steps=T, timing=Timing(Constant(1.0), FREE), points=20 * T, seed=3)
    worked, passed = np.diff(trace.gradients[0]), np.diff(trace.seconds[0])
    exact = ((N * worked - 2 * N) / (EXACT - 2)).tolist()
    assert exact[0] == N and all(k == round(k) for k in exact)
    assert passed.tolist() == [float(EXACT if k else 2) for k in exact]
    assert 12 < sum(exact[1:]) < 55  # 39 rounds of 8 at a tenth: 31 in the mean


def test_dasha_mvr_takes_two_batches_after_the_first(data: Problem) -> None:
    trace = timed(Dasha(STEP, FEW, gradients=Sampled(), momentum=0.1), data)
    assert trace.seconds[0].tolist() == [0.0, *(float(1 + 2 * t) for t in range(T))]


def test_exact_gradients_throughout_stay_the_unit(data: Problem) -> None:
    page = Dasha(STEP, FEW, gradients=Full(), refresh=0.5)
    assert timed(page, data).seconds[0].tolist() == [float(t) for t in range(T + 1)]


@pytest.mark.parametrize(("key", "form"), [("marina", "samples"), ("dasha", "page")])
def test_a_stopwatch_changes_no_number(key: str, form: str, data: Problem) -> None:
    method = row(f"{key}:{form}").build(data, T)
    plain = run(method, data, steps=T, points=20 * T, seed=3)
    assert timed(method, data).suboptimality.tolist() == plain.suboptimality.tolist()
