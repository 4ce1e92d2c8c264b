"""Single runs: intervals and modelled time against other implementations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from algorithms.catalogue import problem, row
from experiments.single import LABELS, interval, run_single, uncovered
from proofs_check.methods.tuned_run import AGREEMENT
from theory.stepsizes import ConstantStep
from theory.theorem import Metric


def test_interval_is_students() -> None:
    values = np.random.default_rng(5).lognormal(size=(7, 3))
    mean, half = interval(values)
    for k in range(3):
        sample = values[:, k]
        low, high = stats.t.interval(0.95, 6, sample.mean(), stats.sem(sample))
        assert mean[k] - half[k] == pytest.approx(low, rel=1e-12)
        assert mean[k] + half[k] == pytest.approx(high, rel=1e-12)
    assert np.isnan(interval(values[:1])[1]).all()


def test_runs_show_modelled_time() -> None:
    single = run_single(row("bsp-sgd"), problem("quadratic-sc", 4), steps=20, replicas=2)
    seconds = single.curves().seconds
    assert seconds is not None and seconds[0] == 0 and (np.diff(seconds) > 0).all()


def test_consensus_rows_show_consensus() -> None:
    single = run_single(row("choco-gossip"), problem("consensus", 6), steps=50, replicas=2)
    assert single.series.quantity == AGREEMENT
    curves = single.curves()
    assert curves.mean[-1] < curves.mean[0]


def test_theorems_that_do_not_apply_say_why() -> None:
    objective = problem("nonconvex-breast-cancer", 4)
    reasons = uncovered(row("bsp-sgd"), objective, 100)
    assert any("mu" in reason for reason in reasons), reasons
    single = run_single(row("bsp-sgd"), objective, steps=100, replicas=2)
    assert single.theorem is not None
    assert not any(single.theorem.title in reason for reason in reasons)


def test_a_stepsize_of_ones_own_is_taken_as_it_is() -> None:
    method, objective = row("bsp-sgd"), problem("nonconvex-breast-cancer", 4)
    tuned = run_single(method, objective, steps=60, replicas=2)
    step = tuned.played.tuned.step
    assert isinstance(step, ConstantStep) and tuned.theorem is not None
    same = run_single(method, objective, steps=60, replicas=2, step=ConstantStep(step.gamma))
    assert same.theorem is tuned.theorem
    np.testing.assert_array_equal(same.curves().mean, tuned.curves().mean)
    np.testing.assert_array_equal(same.curves().bound, tuned.curves().bound)


def test_a_stepsize_too_large_for_every_theorem_has_no_bound() -> None:
    method, objective = row("bsp-sgd"), problem("quadratic-sc", 4)
    large = ConstantStep(1.9 / objective.constants().need("L"))
    assert uncovered(method, objective, 5) == ()
    reasons = uncovered(method, objective, 5, large)
    assert len(reasons) == len(method.theorems) and all("gamma" in reason for reason in reasons)
    single = run_single(method, objective, steps=5, replicas=2, step=large)
    assert single.theorem is None and single.bound is None
    assert single.played.tuned.step == large


def test_every_metric_of_a_theorem_has_a_label() -> None:
    assert {metric.value for metric in Metric} <= set(LABELS)
