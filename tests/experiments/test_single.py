"""Single runs: intervals and modelled time against other implementations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy import stats

from algorithms.catalogue import problem, row
from algorithms.engine.replicas import HEAVY, interval
from experiments.compare.comparing import compare_rows
from experiments.compare.device import usable_device
from experiments.compare.inapplicable_theorems import uncovered
from experiments.compare.single import LABELS, run_single
from experiments.compare.tuned_rows import Tuning, chosen
from proofs_check.curves import MEDIAN_BAND
from proofs_check.methods.run_series import AGREEMENT
from tests.experiments.calls import call
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
    step = tuned.result.tuned.step
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
    assert single.result.tuned.step == large


def test_every_metric_of_a_theorem_has_a_label() -> None:
    assert {metric.value for metric in Metric} <= set(LABELS)


@pytest.mark.slow
def test_where_noise_has_no_variance_a_run_is_told_as_a_comparison_tells_it(tmp_path: Path) -> None:
    """One rule for both: medians between order statistics, drawn as well."""
    stage = problem("quadratic-heavy-tailed", 4)
    ready = chosen(row("local-clipping"), stage, Tuning.GRID, seed=0, steps=60)
    single = run_single(ready.row, stage, steps=60, replicas=16, step=ready.step)
    ends = single.result.trace.suboptimality[:, -1]
    error = single.quantities()[0]
    inside = stats.quantile_test(ends, p=0.5).confidence_interval(0.95)
    assert (error.mean, error.low, error.high) == (np.median(ends), inside.low, inside.high)
    other = compare_rows([ready.row, row("bsp-sgd")], stage, axis="steps", steps=60)
    told = next(one for one in other.standings if one.key == "local-clipping")
    assert (told.error, told.low, told.high) == (error.mean, error.low, error.high)
    drawn = single.curves()
    assert drawn.name == "measured median" and drawn.band == MEDIAN_BAND
    assert (drawn.mean[-1], drawn.low[-1], drawn.high[-1]) == (error.mean, error.low, error.high)
    words = ["run", "local-clipping", "-p", stage.name, "-n", "4", "-T", "60", "--tuning", "grid"]
    words += ["--out", str(tmp_path)]
    _, few, noted = call(*words, "--replicas", "5")
    assert "no grid tuning of local-clipping on quadratic-heavy-tailed" in noted
    assert "searching 10 places or more" in noted, "the kept one is of 16 workers' threshold"
    assert "median" in few and "±" not in few and HEAVY in few
    assert "fewer than 6 replicas: no interval" in few
    data = json.loads(call(*words, "--replicas", "16", "--json")[1])
    assert data["centre"] == "median" and data["final"][0]["low"] == error.low


def test_the_workers_error_is_told_where_it_is_asked_for(tmp_path: Path) -> None:
    """Of D-PSGD that of the mean model and what workers are apart: f is a quadratic."""
    stage = problem("quadratic-sc", 4)
    single = run_single(row("d-psgd"), stage, steps=30, replicas=4, of_workers=True)
    told = {one.name: one.mean for one in single.quantities()}
    apart = (single.result.trace.rows - single.result.trace.model[:, None]) ** 2
    curvature = stage.constants().need("L") * apart.sum(-1).mean() / 2
    of_mean, of_workers = told["f(x_T) - f*"], told["(1/n) sum f(x_i) - f*"]
    assert of_mean < of_workers <= of_mean + float(curvature) * (1 + 1e-9)
    words = ["run", "d-psgd", "-p", "quadratic-sc", "-n", "4", "-T", "9", "--out", str(tmp_path)]
    assert "(1/n) sum f(x_i) - f*" in call(*words, "--of-workers")[1]
    assert "(1/n) sum f(x_i) - f*" not in call(*words)[1]


@pytest.mark.parametrize(
    ("name", "gpus", "told"),
    [
        ("cuda", 0, "device must be cpu where torch sees no GPU, got device=cuda"),
        ("cuda:2", 2, "device must be cuda:0 to cuda:1 here, got device=cuda:2"),
        ("tpu", 2, "device must be cpu, cuda or cuda:NUMBER, got device=tpu"),
        ("cuda:", 2, "device must be cpu, cuda or cuda:NUMBER, got device=cuda:"),
        ("cpu:0", 2, "device must be cpu, cuda or cuda:NUMBER, got device=cpu:0"),
    ],
)
def test_a_device_that_is_not_there_is_told_before_anything_runs(
    name: str, gpus: int, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    words = ["run", "bsp-sgd", "-n", "4", "-T", "9", "--out", str(tmp_path / "plots")]
    code, out, error = call(*words, "--device", name)
    assert code == 2 and told in error.replace("\n", " ") and not out
    assert not (tmp_path / "plots").exists()


def test_devices_that_are_there_have_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert [str(usable_device(one)) for one in ("cpu", "cuda", "cuda:1")] == [
        "cpu",
        "cuda",
        "cuda:1",
    ]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_run_says_on_a_gpu_what_it_says_on_the_cpu() -> None:
    mine, objective = row("qsgd"), problem("quadratic-sc", 4)
    cpu, gpu = (
        run_single(mine, objective, steps=40, replicas=4, device=one).quantities()
        for one in ("cpu", "cuda")
    )
    assert [one.name for one in cpu] == [one.name for one in gpu]
    assert [one.mean for one in gpu] == pytest.approx([one.mean for one in cpu], rel=1e-9)
