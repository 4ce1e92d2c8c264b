"""Advice: seconds by hand, what flips it, and the command."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from algorithms.catalogue import METHODS, problem
from algorithms.clusters.cluster import Cluster, CodingTimes, ModelTimes
from algorithms.clusters.files import written
from algorithms.problems.quadratic_data import unequal
from experiments.advice import iterations
from experiments.advice.evidence import evidence_of
from experiments.advice.iterations import RowSteps, candidates, steps_to_target
from experiments.advice.portfolios import (
    ASSUMPTIONS,
    flips,
    iteration_margins,
    portfolios,
)
from experiments.advice.regions import FACTORS_OF_LINKS, advice_regions
from proofs_check.effects import EFFECTS
from tests.experiments.calls import call, refuse

QUICK, SLOW = ((1e3, 2e-6), (1e6, 2e-5)), ((1e3, 2e-5), (1e6, 8e-4))
CLUSTER = Cluster(
    "mine", "two machines of four", "made up", 2, 4, SLOW, QUICK, 1.0,
    (("alexnet", ModelTimes(8, 0.5)),),
    tuple(
        (name, CodingTimes(1e-10, 1e-11, False))
        for name in ("scaled sign", "QSGD", "natural compression", "top-k", "low rank")
    ),
)  # fmt: skip
ON = problem("quadratic-sc", 8)
DENSE = 64.0 * ON.d
PLAIN = RowSteps("bsp-sgd", "", 100.0, 100.0, 100.0, 0, DENSE)
LOCAL = RowSteps("local-sgd", "", 120.0, 120.0, 15.0, 0, DENSE)


def test_seconds_are_computing_and_rounds():
    found = portfolios((PLAIN, LOCAL), CLUSTER, "alexnet", 8, ON, 1.0)
    assert [one.seconds for one in found] == sorted(one.seconds for one in found)
    for one in found:
        added = one.rounds.step_seconds - 0.5
        assert one.seconds == pytest.approx(one.way.gradients * 0.5 + one.way.rounds * added)
        assert one.bytes == pytest.approx(one.way.rounds * 61_100_840 * 4)
    twice = portfolios((PLAIN,), CLUSTER, "alexnet", 8, ON, 2.0)
    assert twice[0].seconds == pytest.approx(2 * _best(found, "bsp-sgd").seconds)


def test_regions_are_the_advice_on_the_clusters_that_factors_make():
    """Cells of the map against portfolios of a cluster with those links, from the beginning."""
    found = portfolios((PLAIN, LOCAL), CLUSTER, "alexnet", 8, ON, 1.0)
    seen = advice_regions(found)
    size = len(FACTORS_OF_LINKS)
    assert len(seen.best) == size and seen.lead.shape == (size, size)
    for row, column in ((3, 3), (0, size - 1), (size - 1, 0)):
        start, bandwidth = FACTORS_OF_LINKS[row], FACTORS_OF_LINKS[column]
        there = ASSUMPTIONS["start-ups of messages"](CLUSTER, start)
        there = ASSUMPTIONS["seconds a bit on links"](there, 1 / bandwidth)
        anew = portfolios((PLAIN, LOCAL), there, "alexnet", 8, ON, 1.0)
        assert seen.best[row][column] == anew[0].way.key
        other = next(one for one in anew if one.way.key != anew[0].way.key)
        assert seen.lead[row, column] == pytest.approx(other.seconds / anew[0].seconds)
    assert {one for line in seen.best for one in line} <= {"bsp-sgd", "local-sgd"}


def _best(found, key):
    return next(one for one in found if one.way.key == key)


def test_what_limits_is_what_takes_the_time():
    """61 million entries at 1.25 Gbit/s take seconds, computing half of one."""
    best = _best(portfolios((PLAIN,), CLUSTER, "alexnet", 8, ON, 1.0), "bsp-sgd")
    name, share = best.limits()
    assert name == "seconds a bit on links"
    assert share > 0.2
    idle = replace(CLUSTER, models=(("alexnet", ModelTimes(8, 1e4)),))
    assert (
        portfolios((PLAIN,), idle, "alexnet", 8, ON, 1.0)[0].limits()[0] == "seconds of computing"
    )


def test_advice_flips_where_the_seconds_are_equal():
    """20 more gradients against 85 more sums: equal when a sum costs 20/85 of a gradient."""
    found = portfolios((PLAIN, LOCAL), CLUSTER, "alexnet", 8, ON, 1.0)
    assert found[0].way.key == "local-sgd"
    added = _best(found, "bsp-sgd").rounds.step_seconds - 0.5
    assert added > 20 / 85 * 0.5
    told = {(flip.assumption, flip.factor > 1): flip for flip in flips(found)}
    dear = told["seconds of computing", True]
    assert dear.instead.startswith("bsp-sgd")
    slower = ASSUMPTIONS["seconds of computing"](CLUSTER, dear.factor)
    again = portfolios((PLAIN, LOCAL), slower, "alexnet", 8, ON, 1.0)
    assert again[0].way.key == "bsp-sgd"
    (margin,) = iteration_margins(found)
    assert margin.factor == pytest.approx(_best(found, "bsp-sgd").seconds / found[0].seconds)


def test_steps_are_those_of_the_run():
    """A sum a step of BSP, one in H of local SGD, two neighbours on a ring, trips of ASP."""
    plain, local, gossip, asp = (
        steps_to_target(key, ON, 0.1, 400) for key in ("bsp-sgd", "local-sgd", "d-psgd", "asp")
    )
    assert plain.rounds == plain.steps == plain.gradients
    assert plain.bits == DENSE
    assert local.rounds < local.steps / 2
    assert gossip.degree == 2 and gossip.rounds == pytest.approx(gossip.steps)
    assert asp.trips > 0 and asp.rounds == 0
    assert math.isinf(steps_to_target("bsp-sgd", ON, 1e-30, 5).steps)


def test_rows_say_themselves_that_they_are_weighed():
    """Those of the surveys that were weighed before, and methods since; BSP, the measure, first."""
    weighed = {one.key for one in METHODS if one.advised}
    assert set(iterations.ROWS) == weighed and iterations.ROWS[0] == iterations.PLAIN
    assert {"ef21", "scaffold", "scaffnew", "diloco", "ringmaster", "marina"} <= weighed
    assert {"gradient-tracking", "local-sgd", "powersgd", "asp"} <= weighed


def test_exact_gradients_are_paid_for_or_left_out():
    """Of 569 // 8 samples in batches of 8 an exact one costs 71/8 others; no number of gradients
    with noise of no samples is exact, and without noise it costs one."""
    data, noisy = problem("logreg-breast-cancer", 8), problem("quadratic-unequal", 8)
    assert data.exact_cost == 71 / 8 and noisy.exact_cost == math.inf
    assert unequal(8, sigma2=0.0).exact_cost == 1.0
    assert {"ef21", "marina"} <= set(candidates(data).keys)
    assert set(candidates(noisy).left_out) >= {"ef21", "marina"}
    assert "not of samples" in candidates(noisy).left_out["marina"]
    found = steps_to_target("ef21", data, 0.5, 200)
    assert found.gradients == pytest.approx(71 / 8 * found.steps)


def test_two_vectors_to_a_neighbour_are_one_message():
    """Gradient tracking sends models and trackers, but at the first step one of them alone: once a
    step to each of two, twice as long."""
    found = steps_to_target("gradient-tracking", ON, 0.1, 400)
    assert found.degree == 2 and found.rounds == pytest.approx(found.steps)
    assert found.steps > 1 and found.bits == pytest.approx((2 - 1 / found.steps) * DENSE)


def test_evidence_is_read_off_the_row():
    """Its paper, its effect, theorems; a row of no effect or theorem says so."""
    found = evidence_of("scaffnew")
    assert "2202.09357" in found.source and not found.surveyed
    assert found.effect == EFFECTS["scaffnew"].effect and found.theorems == ("scaffnew",)
    assert "since the surveys" in str(found) and found.check == "rateproof check scaffnew"
    assert "no theorem speaks of it" in str(evidence_of("diloco"))
    assert evidence_of("qsgd").surveyed


@pytest.mark.slow
def test_every_row_takes_the_step_that_is_there_soonest(monkeypatch):
    """Plain SGD is not slower than the same with compressed gossip, as it is at steps that a grid
    chose for the least error in the end: 2 steps against 44, and the answer with them.
    """
    on = problem("logreg-breast-cancer", 32)

    def steps() -> dict[str, float]:
        return {k: steps_to_target(k, on, 0.1, 60).steps for k in ("bsp-sgd", "choco-sgd")}

    soonest = steps()
    assert soonest["bsp-sgd"] <= soonest["choco-sgd"] < 10
    monkeypatch.setattr(iterations, "_soonest", lambda *_: None)
    assert steps()["bsp-sgd"] > 10 * soonest["bsp-sgd"]


def test_a_model_of_all_workers_is_one_sum_at_least():
    """Local SGD that is there before its first sum still has to make the mean model."""
    found = steps_to_target("local-sgd", problem("logreg-breast-cancer", 8), 0.1, 200)
    assert found.steps < 8 and found.rounds == 1 and found.bits == 64.0 * 30


@pytest.mark.slow
def test_the_command_says_what_it_rests_on(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(written(CLUSTER), encoding="utf-8")
    words = ("advise", "--model", "alexnet", "--cluster", str(path), "-p", "quadratic-sc")
    code, out, err = call(*words, "-T", "400", "--baseline", "1e5", "--json")
    assert code == 0, err
    found = json.loads(out)
    best, *others = found["portfolios"]
    assert best["seconds"] <= min(one["seconds"] for one in others)
    assert {"row", "architecture", "schedule", "bytes", "limit"} <= set(best)
    plain = next(one for one in found["portfolios"] if one["row"] == "bsp-sgd")
    assert plain["steps"] == pytest.approx(1e5)
    assert "quadratic-sc with 8 workers" in found["basis"] and "assumption" in found["basis"]
    assert "top-k" in found["assumed_coding"]
    assert found["margins"]
    assert {one["key"] for one in found["evidence"]} == {one["row"] for one in found["portfolios"]}
    assert "ef21" in found["left_out"]


def test_bad_questions_are_refused(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(written(CLUSTER), encoding="utf-8")
    words = ("advise", "--model", "alexnet", "--cluster", str(path))
    refuse((*words, "--target", "2"), "target must lie in (0, 1)")
    refuse((*words, "-n", "7"), "n=4 would do")
    refuse((*words, "--baseline", "0"), "baseline must be positive")
    refuse(("advise", "--model", "lstm", "--cluster", str(path)), "no times of model 'lstm'")


def test_links_of_many_messages_stay_links_whatever_is_changed():
    """Start-ups of measured links differ by size; every factor that is tried gives a cluster."""
    points = ((8e3, 5.0e-5), (1e5, 5.1e-5), (2e6, 1.1e-4), (3e7, 1.6e-3))
    mine = replace(CLUSTER, network=points, inside=points)
    for change in ASSUMPTIONS.values():
        for factor in (1e-6, 0.1, 10.0):
            assert change(mine, factor).regimes(8)
