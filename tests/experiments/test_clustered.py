"""Runs and comparisons in the seconds of a cluster."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from algorithms.catalogue import FORMS, METHODS, problem, row
from algorithms.clusters.files import cluster_of
from algorithms.clusters.steps import ModelOnCluster
from experiments.compare.clustered import OnCluster
from experiments.compare.single import run_single
from tests.experiments.calls import call, refuse

ON = ("--cluster", "survey-001-10gbe", "--model", "resnet-50", "--schedule", "wfbp")
RUN = ("-p", "quadratic-sc", "-n", "8", "-T", "40", "--json")


def told(*words: str) -> dict:
    code, out, err = call(*words)
    assert code == 0, err
    return json.loads(out)


def test_a_run_has_the_seconds_of_a_cluster(tmp_path: Path) -> None:
    out = ("--out", str(tmp_path), "--replicas", "2")
    place = ModelOnCluster(cluster_of("survey-001-10gbe"), "resnet-50", 8, "wfbp")
    here = told("run", "bsp-sgd", *RUN, *ON, *out)
    assert here["time"] == place.name
    assert here["curves"]["seconds"][-1] == pytest.approx(40 * place.step_seconds)
    plain = told("run", "bsp-sgd", *RUN, *out)
    assert plain["curves"]["mean"] == here["curves"]["mean"]  # the run itself is the same
    assert plain["curves"]["seconds"][-1] != here["curves"]["seconds"][-1]


def test_a_schedule_of_gradients_keeps_its_shape(tmp_path: Path) -> None:
    """ASP's clock in units of a push and pull over servers that all use at once."""
    out = ("--out", str(tmp_path), "--replicas", "1")
    here, plain = (told("run", "asp", *RUN, *on, *out) for on in (ON, ()))
    ratios = [
        one / other
        for one, other in zip(here["curves"]["seconds"], plain["curves"]["seconds"], strict=True)
        if other
    ]
    assert ratios == pytest.approx([ratios[0]] * len(ratios))
    servers = ModelOnCluster(cluster_of("survey-001-10gbe"), "resnet-50", 8, "bsp", "servers")
    times = row("asp").build(problem("quadratic-sc", 8), 40).times
    mean = times.times.shift + times.times.rest + times.up + times.down
    # 32,768 drawn gradients: 0.25% off by one standard error
    assert ratios[0] * mean == pytest.approx(servers.step_seconds, rel=0.02)


def test_rows_are_compared_at_equal_seconds_of_a_cluster(tmp_path: Path) -> None:
    words = ("compare", "bsp-sgd", "local-sgd", "-p", "quadratic-sc", "--x", "seconds", "-n", "8")
    found = told(*words, "-T", "40", "--replicas", "2", *ON, "--out", str(tmp_path), "--json")
    place = ModelOnCluster(cluster_of("survey-001-10gbe"), "resnet-50", 8, "wfbp")
    assert found["budget"] == pytest.approx(40 * place.step_seconds)


@pytest.mark.slow
def test_every_row_and_form_has_the_seconds_of_a_cluster() -> None:
    """None is refused, none keeps the standard time, in which four steps take milliseconds: a
    gradient of BERT-Large takes 0.163 s, four arrivals of eight workers half of that at least, and
    ADMM in which all eight take turns the longest."""
    place = OnCluster("survey-001-10gbe")
    for one in (*METHODS, *FORMS.values()):
        found = run_single(one, problem(one.problems[0], 8), steps=4, replicas=1, place=place)
        seconds = found.curves().seconds
        assert seconds is not None and found.timing.name.startswith("BERT-Large"), one.key
        assert 0.08 < seconds[-1] < 200, (one.key, seconds[-1])


def test_a_clock_that_sets_periods_is_the_clusters(tmp_path: Path) -> None:
    """AdaComm sets its period every T/10 gradients; from the start, 8 gradients and a sum, all
    workers alike: hours by hand, with the rule F(x)/F(x_0) below 1/64 after a while."""
    place = ModelOnCluster(cluster_of("survey-001-10gbe"), "resnet-50", 8, "wfbp")
    here = told("run", "adacomm", *RUN, *ON, "--out", str(tmp_path), "--replicas", "1")
    taken = here["curves"]["seconds"]
    sums = round((taken[-1] - 40 * place.compute) / (place.step_seconds - place.compute), 6)
    assert sums == int(sums) and 5 < sums <= 40, sums  # H_0 = 8 alone would sum 5 times
    gaps = [b - a for a, b in pairwise(taken)]
    met = [gap > place.compute * 1.001 for gap in gaps]
    assert met[:8] == [False] * 7 + [True] and not all(met)
    words = ("compare", "adacomm", "bsp-sgd", "-p", "quadratic-sc", "--x", "seconds", "-n", "8",
             "-T", "40", "--replicas", "2", *ON, "--out", str(tmp_path), "--json")  # fmt: skip
    assert told(*words)["budget"] == pytest.approx(taken[-1], rel=0.5)


def test_merged_lists_are_not_selected_among_all_entries_again() -> None:
    """gTop-k with eight workers: one selection a step, and six messages one after another."""
    gtop = row("gtop-k")
    on = problem("quadratic-sc", 8)
    place = OnCluster("survey-001-10gbe")
    rounds = place.rounds(gtop, on)
    assert rounds is not None
    selecting = sum(rounds.sent.selection)
    size = gtop.operators[0].stated_bits(on.d, 64)
    merged = rounds.exchange_seconds(size, 1, merged=True)
    assert 0.3 < merged < selecting < rounds.exchange_seconds(size, 1)
    taken = run_single(gtop, on, steps=4, replicas=1, place=place).curves().seconds
    assert taken is not None
    step = rounds.compute + rounds.exchange_seconds(size, 1) + 5 * merged
    assert taken[-1] == pytest.approx(4 * step)


def test_what_a_cluster_cannot_time_is_said(tmp_path: Path) -> None:
    out = ("--out", str(tmp_path))
    small = ("-p", "quadratic-sc", "-n", "8", "-T", "5")
    refuse(("run", "bsp-sgd", *small, "--cluster", "nowhere", *out), "unknown cluster 'nowhere'")
    refuse(("run", "bsp-sgd", *small, *ON, "--model", "lstm", *out), "no times of model 'lstm'")


@pytest.mark.parametrize("other", [("resnet-50",), ("bert-large", "nan"), ("bert-large", "wfbp")])
def test_what_a_cluster_alone_heeds_is_refused_without_one(other: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"is heeded on a cluster alone, got \w+='"):
        OnCluster("", *other).timing(row("bsp-sgd"), problem("quadratic-sc", 2))
