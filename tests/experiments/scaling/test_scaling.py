"""Scaling: steps of a bound, seconds by hand, and the command."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from algorithms.catalogue import problem, row
from algorithms.clusters.cluster import Cluster, ModelTimes
from algorithms.clusters.files import written
from algorithms.workloads import WORKLOADS
from experiments.compare.clustered import OnCluster
from experiments.scaling.guarantees import guarantee, of_workers, steps_until
from experiments.scaling.points import scaling, sizes_of
from tests.experiments.calls import call, refuse
from theory.constants import Constants
from theory.seconds.collectives import ring_seconds
from theory.seconds.costs import AlphaBeta
from theory.theorems.bsp_nonconvex import BspNonconvex

LINK = AlphaBeta(1e-5, 1e-10)
POINTS = tuple((bits, LINK.seconds(bits, 1)) for bits in (1e3, 1e9))
CLUSTER = Cluster(
    "made", "single workers", "made up", 4, 1, POINTS, POINTS,
    models=(("resnet-50", ModelTimes(8, 0.5)),),
)  # fmt: skip
PLACE = OnCluster("", "resnet-50", "bsp", "ring")


def test_a_bound_is_as_low_as_asked_at_its_steps_and_not_before() -> None:
    theorem = BspNonconvex()
    c = Constants(n=8, L=1.0, sigma2=4.0, initial_gap=2.0).completed()
    for level in (1.0, 0.1, 0.003):
        steps = int(steps_until(theorem, c, level))
        ends = [
            float(theorem.bound(c, theorem.stepsize(c, t), np.array([float(t)]))[0])
            for t in (steps, steps - 1)
        ]
        assert ends[0] <= level < ends[1]
    assert math.isinf(steps_until(theorem, c, 0.0))


def test_where_noise_rules_twice_the_workers_need_half_the_steps() -> None:
    c = Constants(n=8, L=1.0, sigma2=1e6, initial_gap=2.0)
    one, two = (steps_until(BspNonconvex(), of_workers(c, n) or c, 1.0) for n in (8, 16))
    assert one / two == pytest.approx(2, rel=0.01)
    divided = of_workers(c, 16, 2.0)
    assert divided is not None and divided.sigma2 == 2e6
    assert steps_until(BspNonconvex(), divided, 1.0) == one, "one batch, more workers"


def test_constants_of_a_network_are_of_its_own_workers_only() -> None:
    gossip = Constants(n=8, sigma2=1.0, lam=0.5)
    assert of_workers(gossip, 16) is None and of_workers(gossip, 8) is not None
    assert of_workers(Constants(n=8), 8, 2.0) is None, "no variance is stated"
    noisier = of_workers(Constants(n=8, sigma2=1.0, G2=5.0), 16, 3.0)
    assert noisier is not None and noisier.G2 == 7.0


def test_who_has_no_theorem_is_told_so() -> None:
    promise = guarantee(row("adacomp"), problem("quadratic-sc", 4), {4: 1.0}, 0.1)
    assert promise.steps == {}
    assert promise.description == "no theorem tunes adacomp on quadratic-sc"


def test_seconds_of_steps_by_hand() -> None:
    """A ring of single workers after computing; strong: 64 samples in passes of eight, then 4."""
    found = scaling(
        row("bsp-sgd"), PLACE, CLUSTER, "quadratic-sc", 0.5, (2, 4, 16), simulated=4, steps=400,
        batch=64,
    )  # fmt: skip
    bits = 32 * WORKLOADS["resnet-50"].parameters
    weak = {p.n: p for p in found.points if p.kind == "weak"}
    strong = {p.n: p for p in found.points if p.kind == "strong"}
    for n, mine in weak.items():
        assert mine.step_seconds == pytest.approx(0.5 + ring_seconds(LINK, n, bits))
        assert mine.computing == pytest.approx(0.5 / mine.step_seconds)
        assert mine.efficiency == pytest.approx(weak[2].step_seconds / mine.step_seconds)
        assert math.isnan(mine.seconds) == (n == 16)
        if n != 16:
            assert mine.seconds == pytest.approx(mine.simulated * mine.step_seconds)
    for n, samples, computing in ((2, 32.0, 2.0), (4, 16.0, 1.0), (16, 4.0, 0.25)):
        mine = strong[n]
        assert mine.samples == samples
        assert mine.step_seconds == pytest.approx(computing + ring_seconds(LINK, n, bits))
        assert mine.promised_seconds == pytest.approx(mine.promised * mine.step_seconds)
    assert len({p.promised for p in strong.values()}) == 1, "one batch, whoever computes it"
    assert weak[2].promised > weak[16].promised


def test_a_divided_batch_is_simulated_where_as_many_workers_have_it() -> None:
    found = scaling(
        row("bsp-sgd"), PLACE, CLUSTER, "quadratic-sc", 0.5, (2, 4, 32), simulated=4, steps=400,
        batch=16,
    )  # fmt: skip
    weak, strong = ([p for p in found.points if p.kind == kind] for kind in ("weak", "strong"))
    assert [p.simulated for p in strong] == [weak[0].simulated] * 2
    assert "strong: from 32 workers on less than one sample each" in found.description


def test_the_command_writes_a_table_and_a_picture(tmp_path: Path) -> None:
    file = tmp_path / "made.toml"
    file.write_text(written(CLUSTER), encoding="utf-8")
    words = ("scaling", "bsp-sgd", "--cluster", str(file), "--model", "resnet-50", "--target", ".5",
             "--most", "64", "--simulated", "2", "-T", "400", "--out", str(tmp_path))  # fmt: skip
    code, description, _ = call(*words, "--json")
    data = json.loads(description)
    assert code == 0
    assert [p["n"] for p in data["points"]] == 2 * [2, 4, 8, 16, 32, 64]
    *pictures, table = map(Path, data["files"])
    assert all(path.is_file() for path in pictures)
    with table.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert float(rows[3]["promised_seconds"]) == data["points"][3]["promised_seconds"]
    code, description, _ = call(*words)
    assert code == 0 and "processor seconds for 64 workers" in description


def test_refusals(tmp_path: Path) -> None:
    file = tmp_path / "made.toml"
    file.write_text(written(CLUSTER), encoding="utf-8")
    words = ("scaling", "bsp-sgd", "--model", "resnet-50", "--out", str(tmp_path))
    here = (*words, "--cluster", str(file))
    refuse((*here, "--target", "2"), "target must lie in (0, 1)")
    refuse((*here, "--most", "1"), "most must be at least 2 workers, got most=1")
    refuse((*here, "--batch", "1"), "batch must be at least 2 samples, got batch=1")
    refuse((*here, "-T", "0"), "T must be at least 1")
    refuse((*words, "--cluster", "no-such"), "unknown cluster 'no-such'")
    refuse(("scaling", "ring", "--cluster", str(file)), "unknown row 'ring'")
    assert sizes_of(CLUSTER, 9) == (2, 4, 8)
