"""Comparisons: equal budgets, decisions by scipy's own tests, what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from algorithms.catalogue import problem, row
from algorithms.engine.replicas import interval, middle
from algorithms.tuning import grid, stored
from algorithms.tuning.grid import SEED, Best
from algorithms.tuning.stored import tunings
from experiments.compare import comparing, comparison
from experiments.compare.axes import AXES
from experiments.compare.comparing import compare_rows
from experiments.compare.comparison import Comparison
from experiments.compare.ranking import CHANCE, Entrant, enough_replicas, error_at, paired
from experiments.compare.tuned_rows import Tuning, chosen
from proofs_check.methods.tuned_run import VACUOUS
from tests.experiments.calls import call
from theory.stepsizes import ConstantStep

SMALL = {"steps": 60, "replicas": 4, "tuning": Tuning.THEOREM}


@pytest.mark.parametrize("axis", list(AXES))
def test_every_row_spends_the_budget_and_no_more(axis):
    found = compare_rows(
        [row("bsp-sgd"), row("asp"), row("qsgd")], problem("quadratic-sc", 4), axis=axis, **SMALL
    )
    price = {one.key: one.x[:, -1] / (one.x.shape[1] - 1) for one in found.entrants}
    for one in found.entrants:
        spent = np.where(one.x <= found.budget * (1 + 1e-9), one.x, 0).max(axis=1)
        assert (spent <= found.budget * (1 + 1e-9)).all()
        assert (spent >= 0.9 * found.budget - 2 * price[one.key]).all(), one.key


def _made(errors, budget=1.0, target=0.5):
    """Rows whose errors ``[R]`` at the budget are given; at half of it they are twice as large, and
    beyond it, where nobody may look, they are zero."""
    entrants = tuple(
        Entrant(
            key,
            "",
            np.broadcast_to([0.5, 1.0, 2.0], (len(e), 3)),
            np.stack([2 * e, e, 0 * e], axis=1),
        )
        for key, e in errors.items()
    )
    return Comparison("made", 4, 0, "bits", budget, "error", target, entrants)


def test_an_error_beyond_the_budget_does_not_count():
    """A comparison at unequal budgets would call the second row the best."""
    found = _made({"a": np.array([1.0, 1.1]), "b": np.array([2.0, 2.1])})
    assert [one.key for one in found.standings] == ["a", "b"]
    assert error_at(found.entrants[0], 1.9) == pytest.approx([1.0, 1.1])
    assert found.standings[0].error == pytest.approx(1.05)


def test_medians_lie_between_the_order_statistics_that_scipy_finds():
    """Whatever the largest error is; a Student interval of the same errors reaches below zero."""
    drawn = np.random.default_rng(1).pareto(0.6, (25, 4)) + 1  # f of a heavy tail has no mean
    for replicas in (6, 16, 25):
        found = middle(drawn[:replicas], True)
        for k in range(drawn.shape[1]):
            ends = stats.quantile_test(drawn[:replicas, k], p=0.5).confidence_interval(0.95)
            assert (found.low[k], found.high[k]) == (ends.low, ends.high)
    mean, half = interval(drawn[:16])
    assert (mean - half).min() < 0 < found.low.min()
    assert np.isinf(middle(drawn[:5], True).high).all()  # 2^-5 on each side is more than 5%


@pytest.mark.slow
def test_where_noise_has_no_variance_medians_are_compared(tmp_path):
    """`local-clipping` is clearly better; the means of plain SGD are those of its worst replica."""
    words = ["compare", "local-clipping", "bsp-sgd", "-p", "quadratic-heavy-tailed", "-n", "4"]
    more = ["-T", "200", "--replicas", "16", "--out", str(tmp_path)]
    found = compare_rows(
        [row("local-clipping"), row("bsp-sgd")], problem("quadratic-heavy-tailed", 4), steps=200,
        tuning=Tuning.GRID,
    )  # fmt: skip
    best, worse = found.standings
    ends = {one.key: error_at(one, found.budget) for one in found.entrants}
    assert best.key == "local-clipping" and worse.verdict == "worse"
    assert worse.error == np.median(ends["bsp-sgd"]) and worse.low <= worse.error <= worse.high
    sign = stats.binomtest(int((ends["bsp-sgd"] > ends["local-clipping"]).sum()), 16).pvalue
    assert worse.p == pytest.approx(sign)
    _, description, _ = call(*words, *more)
    assert "errors have no mean: medians" in description and "±" not in description
    data = json.loads(call(*words, *more, "--json")[1])
    assert data["centre"] == "median" and data["rows"][0]["low"] <= data["rows"][0]["error"]


def test_decisions_are_those_of_a_paired_test_for_all_pairs():
    drawn = np.random.default_rng(0)
    common = drawn.normal(0, 1, 12)
    errors = {
        "best": 10 + common,
        "near": 10.06 + common + drawn.normal(0, 0.1, 12),
        "far": 11 + common + drawn.normal(0, 0.1, 12),
    }
    by_key = {one.key: one for one in _made(errors).standings}
    assert by_key["best"].verdict == "best" and math.isnan(by_key["best"].p)
    for key in ("near", "far"):
        p = float(stats.ttest_rel(errors[key], errors["best"]).pvalue)
        assert by_key[key].p == pytest.approx(min(1.0, math.comb(3, 2) * p))
    assert by_key["far"].verdict == "worse"
    assert by_key["near"].verdict == "not told apart from the best"


def test_rows_that_are_one_up_to_rounding_are_not_told_apart():
    e = np.array([1.0, 1.2, 0.9])
    found = _made({"a": e, "b": e * (1 + 1e-12)})
    assert found.standings[1].p == 1.0


def test_what_it_takes_to_reach_a_target():
    found = _made({"a": np.array([0.3, 0.3]), "b": np.array([0.6, 0.6])}, target=0.6)
    assert {one.key: one.spent for one in found.standings} == {"a": 0.5, "b": 1.0}
    assert math.isinf(_made({"a": np.ones(2), "b": np.ones(2)}, target=-1.0).standings[0].spent)


def test_the_frame_is_tidy():
    frame = compare_rows([row("bsp-sgd"), row("qsgd")], problem("quadratic-sc", 4), **SMALL).frame
    assert set(frame.columns) >= {"row", "problem", "n", "seed", "replica", "record", "bits"}
    assert not frame.duplicated(["row", "replica", "record"]).any()
    assert np.isfinite(frame["error"]).all()


def test_the_seed_of_a_tuning_is_refused():
    """A grid's best looks better on the runs that chose it than it is."""
    objective = problem("quadratic-sc", 4)
    with pytest.raises(ValueError, match=f"seed={SEED} is the one that the grid's tunings were"):
        chosen(row("bsp-sgd"), objective, Tuning.GRID, seed=SEED)


def test_nothing_is_ranked_by_a_guess_and_a_vacuous_theorem_says_so():
    """ASP has no theorem here, so that the stored grid tunes it; DGD's bound is above the start."""
    found = compare_rows(
        [row("asp"), row("dgd")], problem("quadratic-sc", 4), axis="steps", **SMALL
    )
    description = {one.key: one.description for one in found.standings}
    best = tunings()["asp"]["quadratic-sc"]
    assert (
        f"gamma = {2.0**best.power:.4g}" in description["asp"]
        and "no theorem applies; best of" in description["asp"]
    )
    assert VACUOUS in description["dgd"]


def test_a_row_that_nobody_tuned_is_searched_before_it_is_ranked(monkeypatch):
    """Without a stored tuning a run may start from a guess; a comparison may not."""
    monkeypatch.setattr(stored, "tunings", dict)
    monkeypatch.setattr(stored, "search", lambda row, problem: Best("", -3, {}, 0.0, 10))
    objective = problem("quadratic-sc", 4)
    guessed = chosen(row("asp"), objective, Tuning.THEOREM, seed=0)
    ranked = chosen(row("asp"), objective, Tuning.THEOREM, seed=0, guess=False)
    assert guessed.step is None and ranked.step == ConstantStep(1 / 8)
    assert "searched now" in ranked.note


def _at_equal_budgets(found: Comparison) -> bool:
    """Whether every error is that of the last record within the budget, replica by replica."""
    description = {one.key: one.error for one in found.standings}
    return all(
        description[one.key]
        == pytest.approx(
            np.mean([e[x <= found.budget][-1] for x, e in zip(one.x, one.error, strict=True)])
        )
        for one in found.entrants
    )


def test_a_comparison_at_unequal_budgets_is_refuted(monkeypatch):
    """Planted: errors are read at the end of every run, whatever it spent."""
    errors = {"a": np.array([1.0, 1.1]), "b": np.array([2.0, 2.1])}
    assert _at_equal_budgets(_made(errors))
    monkeypatch.setattr(comparison, "error_at", lambda one, budget: one.error[:, -1])
    assert not _at_equal_budgets(_made(errors))


def _seeds(monkeypatch, objective):
    """Seeds of the runs that decide a tuning, and of those that a comparison rests on."""
    seen: dict[object, set[int]] = {grid: set(), comparing: set()}
    for module, found in seen.items():

        def played(*args, module_run=module.run, found=found, **options):
            found.add(options["seed"])
            return module_run(*args, **options)

        monkeypatch.setattr(module, "run", played)
    monkeypatch.setattr(stored, "tunings", dict)
    monkeypatch.setattr(grid, "POWERS", (-3, -2))
    compare_rows([row("bsp-sgd"), row("asp")], objective, steps=20, replicas=2, seed=7)
    return seen[grid], seen[comparing]


@pytest.mark.slow
def test_a_grid_that_leaks_the_seed_of_a_comparison_is_refuted(monkeypatch):
    """Planted: tunings decided on seed 7, which the comparison then runs."""
    objective = problem("quadratic-sc", 4)
    with monkeypatch.context() as right:
        decided, compared = _seeds(right, objective)
        assert decided == {SEED} and compared == {7} and not decided & compared
    with monkeypatch.context() as planted:
        planted.setattr(grid, "SEED", 7)
        decided, compared = _seeds(planted, objective)
        assert decided & compared


def test_workers_errors_are_compared_where_they_are_asked_for():
    """D-PSGD's workers are off by their spread, of which the mean model tells nothing."""
    both = {
        of: compare_rows(
            [row("d-psgd"), row("bsp-sgd")], problem("quadratic-unequal", 8), of_workers=of,
            axis="gradients", **SMALL,
        )
        for of in (False, True)
    }  # fmt: skip
    of_mean, of_all = ({one.key: one.error for one in both[of].standings} for of in (False, True))
    assert of_all["d-psgd"] > of_mean["d-psgd"]
    assert of_all["bsp-sgd"] == pytest.approx(of_mean["bsp-sgd"])


def test_the_command_prints_a_table_and_keeps_the_data(tmp_path: Path) -> None:
    words = ("compare", "bsp-sgd", "top-k", "-p", "quadratic-sc", "-n", "4", "-T", "40",
             "--tuning", "theorem", "--replicas", "3", "--out", str(tmp_path))  # fmt: skip
    code, out, err = call(*words, "--x", "seconds")
    assert code == 0, err
    assert "f(x) - f* at" in out and "verdict" in out and "p: paired t test" in out
    assert "modelled time [s]" in " ".join(out.split())
    code, out, err = call(*words, "--set", "top-k:k=0.5", "--json")
    assert code == 0, err
    data = json.loads(out)
    assert {one["key"] for one in data["rows"]} == {"bsp-sgd", "top-k"}
    frame = pd.read_parquet(next(name for name in data["files"] if name.endswith(".parquet")))
    assert set(frame["row"]) == {"bsp-sgd", "top-k"}
    assert all(Path(name).stat().st_size for name in data["files"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bsp-sgd", "-p", "quadratic-sc"), "rows must be two or more"),
        (("bsp-sgd", "bsp-sgd", "-p", "quadratic-sc"), "no two alike"),
        (("bsp-sgd", "qsgd", "-p", "quadratic-sc", "--x", "bytes"), "unknown axis 'bytes'"),
        (("bsp-sgd", "qsgd", "-p", "quadratic-sc", "--tuning", "grit"), "nearest: grid"),
        (("bsp-sgd", "d2", "-p", "quadratic-ball"), "does not keep its models there"),
        (("bsp-sgd", "qsgd", "-p", "quadratic-sc", "--replicas", "1"), "replicas must be at least"),
        (("bsp-sgd", "qsgd", "-p", "quadratic-sc", "--budget", "-1"), "budget must be positive"),
        (("bsp-sgd", "qsgd", "-p", "quadratic-sc", "--set", "k=1"), "--set must be ROW:NAME=VALUE"),
        (("push-sum", "choco-gossip", "-p", "consensus", "--x", "gradients"), "spends no gradient"),
    ],
)
def test_what_cannot_be_compared_is_refused(words, message, tmp_path):
    code, _, err = call("compare", *words, "--out", str(tmp_path / "figures" / "new"))
    assert code == 2 and message in err, err
    assert not any(tmp_path.iterdir()), "what is refused leaves no folder"


RATE = ("rate", "bsp-sgd", "--vary", "batch", "-T", "40", "-n", "4")
"""On the row's first problem, quadratic-sc."""


def test_the_rate_of_a_row_is_measured_and_drawn(tmp_path: Path) -> None:
    words = (*RATE, "--replicas", "8", "--gamma", "0.5", "--out", str(tmp_path))
    code, out, err = call(*words)
    assert code == 0, err
    assert "rate in batch" in out and "gamma = 0.5" in out
    data = json.loads(call(*words, "--json")[1])
    assert data["x"] == [1, 2, 4, 8, 16, 32] and data["statistic"] == pytest.approx(-1, abs=0.3)
    assert all(Path(name).stat().st_size for name in data["files"])


def test_a_rate_of_errors_that_are_zero_is_told_and_drawn_without_a_line(tmp_path: Path) -> None:
    words = ["rate", "coded-regression", "-p", "least-squares-rising", "--vary", "n", "-T", "8"]
    code, description, _ = call(*words, "--replicas", "4", "--out", str(tmp_path))
    assert code == 0 and "at least 3 points above the floor" in description
    assert len(list(tmp_path.iterdir())) == 2


def test_a_rate_says_where_its_theorem_is_vacuous_and_is_not_held_to_it(tmp_path):
    """Stepsizes of a bound above the start hardly move the model: no rate is refuted by that."""
    words = ("rate", "dgd", "-p", "quadratic-sc", "--vary", "T", "-T", "64", "-n", "4", "--json")
    code, out, _ = call(*words, "--replicas", "4", "--out", str(tmp_path))
    found = json.loads(out)
    assert code == 0 and found["outcome"] == "compared" and found["statistic"] > -0.5
    assert f"points the theorem is vacuous: {VACUOUS}" in found["evidence"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*RATE, "--vary", "tua"), "unknown variable 'tua'; nearest: tau"),
        ((*RATE, "--vary", "H"), "has no parameter that moves H"),
        ((*RATE, "--error", "2"), "error must lie in (0, 1)"),
        ((*RATE, "--set", "period"), "--set must be NAME=VALUE"),
        (("rate", "cola", "-p", "quadratic-sc"), "does not run on problem=quadratic-sc"),
    ],
)
def test_a_rate_that_cannot_be_is_refused(words, message, tmp_path):
    code, _, err = call(*words, "--out", str(tmp_path / "new"))
    assert code == 2 and message in err, err
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(("effect", "pairs"), [(1.0, 1), (0.4, 1), (0.4, 3)])
def test_as_many_replicas_as_are_said_tell_rows_apart_nine_times_in_ten(effect, pairs):
    """By trials with the test that compares; 600 of them miss 0.9 by 5.5% once in 10^5."""
    rng = np.random.default_rng(3)
    shown = rng.standard_normal(4000)
    best = np.zeros(4000)
    enough = enough_replicas((shown - shown.mean()) / shown.std(ddof=1) + effect, best, pairs)
    count = int(enough)
    apart = [
        paired(rng.standard_normal(count) + effect, np.zeros(count), pairs) <= CHANCE
        for _ in range(600)
    ]
    assert np.mean(apart) == pytest.approx(0.9, abs=0.055)


def test_no_count_is_said_where_no_difference_is_seen():
    same = np.array([1.0, 2.0, 3.0])
    assert math.isnan(enough_replicas(same, same, 1))


def test_paired_differences_are_drawn_with_the_interval_of_scipys_test():
    """Their interval excludes 0 where the test of one pair tells the rows apart."""
    rng = np.random.default_rng(5)
    noise = rng.random(8)
    found = _made({"a": noise + 0.1 * rng.random(8), "b": noise + 0.2})
    ends = {one.key: error_at(one, found.budget) for one in found.entrants}
    best, other = (one.key for one in found.standings)
    low, high = stats.ttest_rel(ends[other], ends[best]).confidence_interval(0.95)
    (bar,) = found.differences_figure().axes[0].containers
    (segment,) = bar.lines[2][0].get_segments()
    unit = ends[best].mean()
    assert segment[:, 0] == pytest.approx([low / unit, high / unit], rel=1e-9)
