"""A stepsize is chosen by the last record alone where nothing else is read."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
import torch

from algorithms.engine.run import Diverged
from proofs_check.instruments.chosen_steps import chosen_steps, steps_of
from proofs_check.instruments.contrast import contrast
from proofs_check.instruments.effect_check import Arm, StepsizeChoice
from proofs_check.instruments.measurement import Measurement, StepsizeFound
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.tuned_arm import FINE, FURTHER, Score, at_best, best_of, searched
from proofs_check.registry import EFFECTS
from theory.stepsizes import ConstantStep


@pytest.mark.parametrize("key", ["dorefa", "lars"])
@pytest.mark.parametrize("side", [Arm.METHOD, Arm.FAULT])
def test_the_end_alone_chooses_what_all_records_choose(key, side, monkeypatch):
    short = EFFECTS[key].measure(side)
    monkeypatch.setattr(Reading, "of_last_record", False)
    whole = EFFECTS[key].measure(side)
    assert short.choice == whole.choice is not None
    for one, other in zip(short[:3], whole[:3], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "reading",
    [
        Reading(target=0.1), Reading("sent_bits", budget=100.0), Reading(last=3),
        Reading(quantity="average_squared_gradient"), Reading(shown=lambda found: found),
    ],
)  # fmt: skip
def test_what_reads_more_than_the_last_record_says_so(reading):
    assert not reading.of_last_record


def test_scores_choose_and_the_play_is_measured():
    """The best of the scores is at 3, a diverging score never is."""
    asked = []

    def play(step, *, seed, replicas):
        asked.append((step, seed, replicas))
        return Measurement(np.full(replicas, float(step)), np.zeros(1), np.zeros((replicas, 1)))

    def scored(step, *, seed, replicas):
        if step == 4:
            raise Diverged("", None)
        return Measurement(np.full(replicas, abs(step - 3.0)), np.zeros(1), np.zeros((1, 1)))

    found = at_best(play, (1, 2, 3, 4), 20, (1, 2), scored)
    assert asked == [(3, 2, 20)]
    assert found.values.tolist() == [3.0] * 20


@pytest.mark.parametrize("best", [2.0**-6, 0.25, 1.0, 2.0**7])
def test_a_search_goes_on_beyond_an_end_that_is_the_best(best):
    """f = |log2(gamma / best)|: wherever the minimum lies, its neighbours have been tried."""
    seen = []

    def play(size, *, seed, replicas):
        seen.append((size, seed))
        value = np.array([abs(math.log2(size / best))])
        return Measurement(value, value, value[None])

    found = at_best(play, (0.5, 1.0, 0.25))
    assert found.values == [0.0] and found.choice.size == best
    assert found.choice.inside
    near = [size for size in found.choice.tried if 1 / FINE <= size / best <= FINE]
    assert min(near) < best < max(near), "both neighbours are near"
    assert [size for size, seed in seen if seed == 2] == [best]
    assert len(seen) == len(found.choice.tried) + 1, "nothing is run twice"


def test_a_search_stops_at_its_bound_and_says_so():
    """Ever better with ever larger steps: the choice is not called inside."""
    scores = searched(lambda size: Score(1 / size, 0.0), (1.0, 2.0))
    assert max(scores) == 2.0 * 2**FURTHER and min(scores) == 1.0
    assert str(StepsizeFound(512.0, tuple(sorted(scores)))) == "512, an end of 1 to 512"
    assert str(StepsizeFound(2.0, (1.0, 2.0, 4.0))) == "2, inside 1 to 4"


def test_a_target_that_none_reached_is_sought_by_what_is_left():
    """Nothing on the grid gets there: the error that is left points to 1/8, which does."""
    scores = searched(
        lambda size: Score(3.0 if size == 0.125 else math.inf, abs(size - 0.125)), (0.5, 1.0)
    )
    assert best_of(scores) == 0.125


def test_a_grid_that_diverges_is_left_downwards():
    """Steps of 1/4 and more diverge; so do all, for one arm."""
    lost = Score(math.inf, math.inf)
    scores = searched(lambda size: Score(size, 0.0) if size < 0.2 else lost, (0.5, 1.0, 2.0))
    assert max(scores) == 2.0 and scores[0.125] == Score(0.125, 0.0)
    assert min(searched(lambda _: lost, (0.5, 1.0))) == 0.5 / 2**FURTHER


def test_equals_stay_on_the_grid():
    """A reading that no stepsize changes is tried once beyond each end, and left as it was."""
    scores = searched(lambda _: Score(1.0, 0.0), (1.0, 2.0))
    assert {0.5, 1.0, 2.0, 4.0} < set(scores) and best_of(scores) == 1.0


def test_a_coarse_grid_is_refined_about_its_best():
    """|log(size / 30)| on powers of ten: the best is found within the factor that is stated."""
    scores = searched(lambda size: Score(abs(math.log(size / 30.0)), 0.0), (1.0, 10.0, 100.0))
    assert 30 / FINE < best_of(scores) < 30 * FINE


@pytest.mark.parametrize("best", [0.1, 0.25, 3.0])
def test_a_kept_start_is_left_where_it_is_not_the_best(best):
    def play(size, *, seed, replicas):
        value = np.array([abs(math.log2(size / best))])
        return Measurement(value, value, value[None])

    found = at_best(play, (0.5, 1.0), start=0.25)
    assert abs(math.log(found.choice.size / best)) <= math.log(FINE)
    assert found.choice.inside


def test_equals_go_to_what_is_kept():
    def play(size, *, seed, replicas):
        return Measurement(np.ones(1), np.zeros(1), np.ones((1, 1)))

    assert at_best(play, (0.5, 1.0), start=0.25).choice.size == 0.25


def test_a_search_that_ends_with_no_step_says_so():
    """x_t = 1 + size: the smaller the better, and none gains; 1 + (size - 1)^2 - 1 does."""

    def play(size, *, seed, replicas):
        return Measurement(np.array([1 + size]), np.zeros(2), np.array([[1.0, 1 + size]]))

    def good(size, *, seed, replicas):
        left = (size - 1) ** 2
        return Measurement(np.array([left]), np.zeros(2), np.array([[1.0, left]]))

    choice = at_best(play, (0.5, 1.0)).choice
    assert choice.best_is_none and str(choice) == "no step is best, down to 0.001953"
    assert not at_best(good, (0.5, 1.0)).choice.best_is_none


def test_kept_starts_are_of_the_arms_that_choose():
    for key, kept in chosen_steps().items():
        contest = EFFECTS[key].measure.args[0]
        assert set(kept.sizes) == {arm for arm in Arm if contest.setting_of(arm).chooses}, key


def test_a_start_that_was_kept_of_another_setting_is_ignored():
    key = "qsgd"
    effect = EFFECTS[key]
    words = [effect.problem, effect.quantity, effect.description]
    assert steps_of(key, *words) == chosen_steps()[key].sizes
    for k in range(3):
        assert not steps_of(key, *words[:k], "another", *words[k + 1 :])


def test_one_stepsize_for_all_is_what_it_says():
    contest = EFFECTS["cmfl"].measure.args[0]
    two = contest.arms | {Arm.BASELINE: contest.arms[Arm.BASELINE]._replace(
        changes={"step": ConstantStep(0.5)})}  # fmt: skip
    with pytest.raises(ValueError, match="say why not; seen: None, said: one stepsize for all"):
        contrast(
            "cmfl", "", contest.setting, contest.reading, method=two[Arm.METHOD],
            baseline=two[Arm.BASELINE], without=two[Arm.FAULT], at_most=0.5, source="",
            tuning=StepsizeChoice.ALIKE,
        )  # fmt: skip


def _contests():
    made = {key: one.measure.args[0] for key, one in EFFECTS.items()
            if isinstance(one.measure, partial)}  # fmt: skip
    return {key: one for key, one in made.items() if hasattr(one, "reading")}


@pytest.mark.parametrize("key", sorted(
    key for key, one in _contests().items()
    if one.setting.dtype == torch.float32 and one.reading.quantity == "suboptimality"
    and one.reading.target is not None
))  # fmt: skip
def test_floats_resolve_the_target(key):
    """f - f* at the minimiser, and the spacing of floats at f*, are far below the target."""
    contest = _contests()[key]
    stage, target = contest.setting.built, contest.reading.target
    if stage.f_star is None:
        assert stage.x_star is None, "what is read is f itself"
        return
    start, end = stage.value(torch.stack((stage.start(), stage.x_star))).tolist()
    if contest.reading.share:
        target *= start - stage.f_star
    assert max(abs(end - stage.f_star), float(np.spacing(np.float32(stage.f_star)))) <= target / 20


@pytest.mark.slow
@pytest.mark.parametrize("key", np.random.default_rng(11).choice(sorted(chosen_steps()), 4))
def test_a_search_from_the_grid_finds_no_better_than_one_from_what_is_kept(key):
    """By a fifth of what is measured, as neighbours of a best stepsize differ; rows are drawn."""
    effect = EFFECTS[key]
    for arm in Arm:
        whole, kept = effect.search(arm), effect.measure(arm)
        assert (whole.choice is None) == (kept.choice is None)
        assert not whole.values.mean() < 0.8 * kept.values.mean(), (arm, whole.choice, kept.choice)
