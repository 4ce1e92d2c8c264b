"""``sweep --heatmap``: what is drawn of a study, and what cannot be is told before a run begins."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from experiments.sweeps.heat import heat_maps
from experiments.sweeps.study_file import read_study
from experiments.sweeps.sweeping import last_records
from tests.experiments.calls import call, refuse

STUDY = """
replicas = 3
[grid]
row = ["bsp-sgd", "d-psgd"]
problem = "quadratic-sc"
n = [2, 4]
steps = [5, 10]
seed = [0, 1]
[set.d-psgd]
topology = ["ring", "complete"]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("axes", "told"),
    [
        ("n", "--heatmap must be X,Y, two axes of the grid, got 'n'"),
        ("n,steps,row", "--heatmap must be X,Y, two axes of the grid, got 'n,steps,row'"),
        ("n,k", "unknown axis of the study 'k'"),
        ("n,seed", "unknown axis of the study 'seed'"),
        ("n,n", "a heat map has two axes, got n twice"),
    ],
)
def test_axes_that_a_study_has_not_are_told_before_a_run(
    study: Path, tmp_path: Path, axes: str, told: str
) -> None:
    refuse(("sweep", str(study), "--out", str(tmp_path / "out"), "--heatmap", axes), told)
    assert not list(tmp_path.rglob("*.parquet"))


@pytest.mark.slow
@pytest.mark.processes
def test_a_study_is_drawn_beside_its_data(study: Path, tmp_path: Path) -> None:
    """Medians as duckdb finds them in the data set; the same again without a run."""
    words = ("sweep", str(study), "--out", str(tmp_path / "out"), "--heatmap", "n,steps", "--json")
    code, out, _ = call(*words)
    told = json.loads(out)
    assert code == 0 and [Path(one).name for one in told["figures"]] == [
        "heatmap-n-steps.png", "heatmap-n-steps.svg",
    ]  # fmt: skip
    assert all(Path(one).is_file() for one in told["figures"])
    found = heat_maps(last_records(Path(told["data"])), "n", "steps")
    assert [panel.title for panel in found.panels] == [
        "bsp-sgd", "d-psgd, topology = ring", "d-psgd, topology = complete",
    ]  # fmt: skip
    medians = duckdb.sql(
        f"select median(suboptimality) from read_parquet('{told['data']}/**/*.parquet', "
        "hive_partitioning=true) where row = 'd-psgd' and step = T and \"set.topology\" = 'ring' "
        "group by T, n order by T, n"
    ).fetchall()
    assert found.panels[1].values.ravel().tolist() == [one for (one,) in medians]
    assert json.loads(call(*words)[1])["reused_files"] == read_study(study).blocks
