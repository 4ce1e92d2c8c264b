"""``rateproof predict fig4`` finds the numbers of a made cluster, and writes what was asked for."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from experiments.predictions.cluster import calibrated, start_up, wait_free
from experiments.predictions.fig4 import predicted
from experiments.predictions.throughputs import FILE, read_throughputs
from tests.experiments.calls import call, refuse
from tests.experiments.predictions.made import HOP, LEFT, write


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("data")
    write(made)
    return made


def test_start_ups_are_the_surveys_own() -> None:
    """figures.md A5: 93 to 95, 20 to 21 and 6.2 to 6.4 microseconds, by the two message sizes."""
    assert [round(start_up(net) * 1e6, 1) for net in ("10GbE", "100GbE", "100GbIB")] == [
        94.7, 20.9, 6.4,
    ]  # fmt: skip


def test_calibration_finds_what_the_data_were_made_with(folder: Path) -> None:
    points = read_throughputs(folder)
    model = calibrated(points)
    assert model.hop == pytest.approx(HOP, rel=1e-3)
    assert model.left == pytest.approx(LEFT, rel=1e-3)
    assert abs(model.errors(wait_free(points))).max() < 1e-4


def test_what_was_calibrated_on_is_predicted_exactly(folder: Path) -> None:
    points = read_throughputs(folder)
    made = {p[:4]: p.samples_per_second for p in predicted(calibrated(points))}
    for p in points:
        if p.method == "BSP-A2A":
            got = made[p.model, p.network, p.method, p.gpus]
            assert got == pytest.approx(p.mean)


def test_the_command_writes_252_predictions(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "predictions.csv"
    words = ("predict", "fig4", "--data", str(folder), "--out", str(out))
    code, told, _ = call(*words, "--json")
    found = json.loads(told)
    assert code == 0
    assert [one["number"] for one in found["findings"]] == [1, 2, 3, 4, 5, 6]
    assert max(most for _, most in found["held_out"].values()) < 1e-3
    with out.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == found["predictions"] == 252
    assert list(rows[0]) == ["model", "network", "method", "gpus", "samples_per_second"]
    assert len({(r["model"], r["network"], r["method"], r["gpus"]) for r in rows}) == 252
    rate = {(r["method"], r["gpus"]): float(r["samples_per_second"]) for r in rows if
            (r["model"], r["network"]) == ("BERT-Large", "10GbE")}  # fmt: skip
    assert rate["WFBP-A2A", "32"] < rate["BSP-A2A", "32"] < rate["MG-WFBP", "32"]
    code, told, _ = call(*words)
    assert code == 0 and told.index("What cannot follow") < told.index("fitted: hop")


def test_bad_data_are_named(folder: Path, tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "p.csv"))
    refuse(("predict", "fig5", "--data", str(folder), *out), "unknown prediction 'fig5'")
    refuse(("predict", "fig4", "--data", str(tmp_path), *out), f"must be a folder with {FILE}")
    text = (folder / FILE).read_text()
    for changed, told in (
        (text.replace("single_gpu", "single"), "must have columns"),
        (text.replace(",250.0,", ",fast,", 1), "line 2"),
        (text.replace(",250.0,", ",-1,", 1), "numbers must be positive"),
        ("\n".join(x for x in text.splitlines() if "10GbE" not in x), "must have BSP-A2A of"),
        ("\n".join(x for x in text.splitlines() if "WFBP" not in x), "must have WFBP-A2A"),
    ):
        (tmp_path / FILE).write_text(changed)
        refuse(("predict", "fig4", "--data", str(tmp_path), *out), told)
