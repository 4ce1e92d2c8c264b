"""Calibration on clocks that are made and numbers that were taken down; nothing is timed here."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from algorithms.clusters.cluster import CodingTimes, ModelTimes
from algorithms.clusters.files import cluster_of, read_cluster, written
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.network.link_times import message_seconds
from algorithms.workloads import WORKLOADS
from experiments.calibration.fitting import link_points
from experiments.calibration.measuring import (
    CalibrationFindings,
    CalibrationPlan,
    cluster_from,
    ring_prediction,
)
from experiments.calibration.working import coding_times, estimated_times, module_times
from tests.experiments.calls import call, refuse
from tests.experiments.test_launch import under_torchrun
from theory.seconds.collectives import ring_seconds
from theory.seconds.costs import AlphaBeta
from theory.seconds.protocols import ProtocolLink

PLAN = CalibrationPlan()
PAIR = (torch.nn.Linear(2, 3), torch.ones(1, 2))
LOSS = torch.nn.functional.mse_loss


class MadeClock:
    """Goes on only when it is told to; every third message meets another's work."""

    def __init__(self, link: AlphaBeta) -> None:
        self.link, self.now, self.count = link, 0.0, 0

    def __call__(self) -> float:
        return self.now

    def swap(self, size: int) -> None:
        self.count += 1
        self.now += self.link.seconds(8.0 * size, 1) * (1 + (self.count % 3 != 0))


def test_a_made_link_is_found_and_predicts_a_ring_of_another_size(tmp_path: Path) -> None:
    """Written, read again, and asked for a vector between two of the measured sizes."""
    inside, network = AlphaBeta(2e-5, 1e-10), AlphaBeta(1e-4, 1e-9)
    clocks = [MadeClock(link) for link in (inside, network)]
    told = [tuple(message_seconds(c.swap, PLAN.sizes, 4, c)) for c in clocks]
    found = CalibrationFindings(told[0], told[1], (), (), 1.0, 1.0)
    path = tmp_path / "made.toml"
    path.write_text(written(cluster_from(PLAN, found, 4, 1)), encoding="utf-8")
    cluster = read_cluster(path)
    assert cluster.size == 4
    for bits in (3e5, 7.7e6, 4e8):
        assert ring_prediction(cluster, bits) == pytest.approx(ring_seconds(network, 4, bits), 1e-6)
    one_machine = cluster_from(PLAN, found._replace(network=()), 1, 4)
    assert ring_prediction(one_machine, 7.7e6) == pytest.approx(
        ring_seconds(inside, 4, 7.7e6), 1e-6
    )
    assert "network not measured, as the other" in one_machine.source


TAKEN = (5.045e-5, 5.0e-5, 5.06e-5, 6.61e-5, 1.148e-4, 4.59e-4, 1.837e-3)
"""Two gloo ranks on a machine of two busy cores, rounded; 16 KiB were quicker than 1 KiB."""


def test_a_ring_that_was_measured_is_predicted_within_a_quarter() -> None:
    """The same two ranks took 0.628 ms for an all-reduce of 1,398,100 bytes."""
    bits = 8 * 1_398_100.0
    cluster = cluster_from(PLAN, CalibrationFindings(TAKEN, (), (), (), bits, 6.28e-4), 1, 2)
    assert 0.8 < ring_prediction(cluster, bits) / 6.28e-4 < 1.25


def test_points_are_those_of_a_link_however_messages_were_disturbed() -> None:
    bits = [8.0 * size for size in PLAN.sizes]
    exact, off = link_points(bits, [1e-5 + 2e-10 * b for b in bits])
    assert off == pytest.approx(1, abs=1e-6)
    assert [t for _, t in exact] == pytest.approx([1e-5 + 2e-10 * b for b in bits], 1e-6)
    drawn = np.random.default_rng(3)
    for _ in range(50):
        noisy = [(1e-5 + 2e-10 * b) * drawn.uniform(0.2, 5) for b in bits]
        points, off = link_points(bits, noisy)
        assert off >= 1
        link = ProtocolLink("found", points)
        assert all(link.segment(b).alpha >= 0 for b in bits)
        assert all(one[1] < other[1] for one, other in pairwise(points))


@pytest.mark.parametrize(
    ("bits", "seconds", "told"),
    [
        ([8.0], [1.0], "messages must be at least two"),
        ([8.0, 8.0], [1.0, 2.0], "sizes must grow"),
        ([8.0, 16.0], [1.0, 0.0], "times be positive"),
        ([8.0, 16.0], [1.0, float("inf")], "times must be finite"),
    ],
)
def test_what_is_no_link_is_refused(bits: list[float], seconds: list[float], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        link_points(bits, seconds)


def test_work_is_the_least_of_its_times() -> None:
    """A clock that runs one second, then two, then three, and so on: the first is left out."""
    hours = iter(np.cumsum([0.0, 1.0, 0.0, 5.0, 0.0, 4.0, 0.0, 6.0, 0.0, 2.0, 0.0, 3.0, 0.0, 9.0]))
    module = nn.Linear(6, 2)
    times = module_times(module, (torch.ones(3, 6),), 2, clock=lambda: float(next(hours)))
    assert times == ModelTimes(3, 4.0)
    assert module.weight.grad is not None
    hours = iter(np.cumsum([0.0, 9.0, 0.0, 4.0, 0.0, 9.0, 0.0, 8.0]))
    coded = coding_times(ScaledSign(), 40, 1, clock=lambda: float(next(hours)))
    assert coded == CodingTimes(0.1, 0.2, True)
    assert estimated_times(WORKLOADS["alexnet"], 4, 1e9).seconds == pytest.approx(
        4 * 6 * WORKLOADS["alexnet"].macs / 1e9
    )


def test_refusals(tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "c.toml"))
    refuse(("calibrate", "--out", str(tmp_path / "c.txt")), "out must end in .toml")
    refuse(("calibrate", *out, "--ranks", "1"), "ranks must be at least 2")
    refuse(("calibrate", *out, "--repeats", "0"), "repeats must be at least 1")
    refuse(("calibrate", *out, "--samples", "0"), "samples must be at least 1")
    refuse(("calibrate", *out, "--largest", "100"), "largest must be at least 4096 bytes")
    refuse(("calibrate", *out, "--model", "resnet"), "unknown model 'resnet'")
    refuse(("calibrate", *out, "--model", "alexnet", "--model", "alexnet"), "named once each")
    refuse(("calibrate", *out, "--name", " "), "name must not be empty")
    for found, told in (
        ("PAIR", "must have the 61100840 parameters of alexnet, got 9"),
        ("LOSS", "must be a tuple of a torch module and its inputs"),
    ):
        words = ("--model", f"alexnet=tests.experiments.calibration.test_calibrate:{found}")
        refuse(("calibrate", *out, *words), told)
    with pytest.raises(ValueError, match="seconds of one link at least"):
        cluster_from(PLAN, CalibrationFindings((), (), (), (), 0.0, 0.0), 1, 1)
    for made in (lambda: coding_times(ScaledSign(), 0, 1), lambda: message_seconds(print, (1,), 0)):
        with pytest.raises(ValueError, match="must be at least 1"):
            made()
    with pytest.raises(ValueError, match="inputs must begin"):
        module_times(nn.Linear(1, 1), (), 1)
    assert not list(tmp_path.iterdir())


@pytest.mark.sharded
def test_two_ranks_here_write_a_file_that_other_commands_read(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "here.toml"
    words = ("calibrate", "--out", str(out), "--model", "alexnet", "--largest", "16384",
             "--repeats", "2", "--name", "here")  # fmt: skip
    code, told, _ = call(*words, "--json")
    data = json.loads(told)
    cluster = cluster_of(str(out))
    assert (code, cluster.name, cluster.machines, cluster.workers) == (0, "here", 1, 2)
    assert [list(point) for point in cluster.network] == data["network"]
    assert data["ring_seconds"] > 0 and data["ring_predicted"] > 0
    assert all(one.measured for _, one in cluster.operators) and len(cluster.operators) == 8
    run = ("run", "top-k", "-p", "quadratic-sc", "-n", "2", "-T", "20", "--replicas", "2",
           "--cluster", str(out), "--model", "alexnet", "--out", str(tmp_path),
           "--json")  # fmt: skip
    code, told, _ = call(*run)
    assert code == 0, told


@pytest.mark.slow
@pytest.mark.sharded
def test_advice_comes_from_what_a_calibration_wrote(tmp_path: Path) -> None:
    out = tmp_path / "here.toml"
    words = ("calibrate", "--out", str(out), "--model", "alexnet", "--largest", "4096",
             "--repeats", "2")  # fmt: skip
    assert call(*words)[0] == 0
    cluster = cluster_of(str(out))
    advice = ("advise", "--model", "alexnet", "--cluster", str(out), "--target", "0.9",
              "-T", "10", "--json")  # fmt: skip
    code, told, _ = call(*advice)
    assert code == 0
    gradient = cluster.step_times("alexnet").seconds
    for one in json.loads(told)["portfolios"]:
        # Without a barrier a step is one arrival, and the two workers compute side by side.
        each = gradient / cluster.workers if one["schedule"] == "as they come" else gradient
        assert one["seconds"] >= one["steps"] * each > 0, one
    assert json.loads(told)["assumed_coding"] == []  # the file's coding times were measured
    for name in ("bert-large", "resnet-50"):
        refuse((*advice[:2], name, *advice[3:]), f"no times of model '{name}', only of alexnet")


def test_a_file_that_is_no_toml_says_so_and_where(tmp_path: Path) -> None:
    for text, line in (("name = here\n", 1), ("machines = 2\n\nworkers 3\n", 3)):
        (tmp_path / "bad.toml").write_text(text, encoding="utf-8")
        for command in (("advise", "--model", "alexnet"), ("run", "bsp-sgd")):
            words = (*command, "--cluster", str(tmp_path / "bad.toml"))
            refuse(words, "is not TOML (")
            refuse(words, f"line {line},")


@pytest.mark.slow
@pytest.mark.sharded
@pytest.mark.processes
def test_two_machines_of_two_ranks_have_both_links(tmp_path: Path) -> None:
    words = ("calibrate", "--out", "both.toml", "--largest", "16384", "--repeats", "2",
             "--no-operators")  # fmt: skip
    told = under_torchrun(tmp_path, *words)
    assert [code for code, _, _ in told] == [0, 0], told
    cluster = cluster_of(str(tmp_path / "both.toml"))
    assert (cluster.machines, cluster.workers) == (2, 2)
    assert cluster.network != cluster.inside
