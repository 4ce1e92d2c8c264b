"""Runs and comparisons in the seconds of a cluster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from algorithms.catalogue import problem, row
from algorithms.clusters.files import cluster_of
from algorithms.clusters.steps import ModelOnCluster
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


def test_what_a_cluster_cannot_time_is_said(tmp_path: Path) -> None:
    out = ("--out", str(tmp_path))
    small = ("-p", "quadratic-sc", "-n", "8", "-T", "5")
    refuse(("run", "adacomm", *small, *ON, *out), "keeps a clock of its own")
    refuse(("run", "bsp-sgd", *small, "--cluster", "nowhere", *out), "unknown cluster 'nowhere'")
    refuse(("run", "bsp-sgd", *small, *ON, "--model", "lstm", *out), "no times of model 'lstm'")
