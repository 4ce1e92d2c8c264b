"""``rateproof figure``: the table, the pictures, and data that cannot be read."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from algorithms.problems.least_squares_data import FEATURES, dealt, packaged, read
from algorithms.topologies.ring import Ring
from experiments.cli.main import app
from experiments.figures.reproduction import Reproduction, at_least, at_most, near
from experiments.published import koloskova2019_fig2, koloskova2019_section53
from experiments.published.figure import CostClass, PublishedFigure
from proofs_check.figure_runs.averaging import SMALL
from proofs_check.figure_runs.compressed_training import TrainingSetting
from theory.claims import Confidence, Source

STEMS = ("data28", "data29", "data30")


def folder(tmp_path):
    """Three small sets in the published form."""
    rng = np.random.default_rng(0)
    for k, stem in enumerate(STEMS):
        rows = 20 + k
        np.savetxt(tmp_path / f"{stem}_data.txt", rng.uniform(-1, 1, (rows, FEATURES + k)))
        np.savetxt(tmp_path / f"{stem}_y.txt", rng.uniform(0, 1, rows))
    return tmp_path


def call(*arguments):
    return CliRunner().invoke(app, ["figure", *map(str, arguments)])


@pytest.mark.slow
def test_packaged_data_are_drawn_and_named(tmp_path):
    result = call("lag", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "scikit-learn" in result.output and "5283" not in result.output
    assert "GD" in result.output and "LAG-WK" in result.output
    for name in ("png", "svg", "csv"):
        assert (tmp_path / f"chen2018_table5.{name}").stat().st_size > 2_000


def test_json_of_a_folder(tmp_path):
    data, words = folder(tmp_path), ("--workers", 9, "--workers", 18)
    result = call("lag", "--data", data, *words, "--out", tmp_path / "out", "--json")
    assert result.exit_code == 1, "made data are not the published ones"
    told = json.loads(result.stdout)
    assert told["verdict"].startswith("not reproduced, by ")
    assert told["packaged_data"] is False
    assert [race["workers"] for race in told["races"]] == [9, 18]
    assert [race["published"]["LAG-WK"] for race in told["races"]] == [412, 657]
    for race in told["races"]:
        by_name = {method["method"]: method for method in race["methods"]}
        assert {name for name, method in by_name.items() if not method["reached"]} <= {"LAG-PS"}
        assert by_name["LAQ"]["sent_bits"] < by_name["GD"]["sent_bits"]
        assert sum(by_name["LAG-WK"]["uploads_by_worker"]) + 1 == by_name["LAG-WK"]["uploads"]


@pytest.mark.slow
def test_a_race_without_a_winner_is_told(tmp_path):
    """With three workers on easy data the published weights of the server's rule diverge."""
    words = ("--data", folder(tmp_path), "--workers", 3, "--out", tmp_path / "out", "--json")
    (race,) = json.loads(call("lag", *words).stdout)["races"]
    assert [m["reached"] for m in race["methods"] if m["method"] == "LAG-PS"] == [False]


def test_rows_are_dealt_in_order_and_the_rest_is_dropped(tmp_path):
    tables = read(folder(tmp_path))
    problem = dealt(tables, 3, "made")
    assert problem.counts.tolist() == [6] * 3 + [7] * 6
    second = np.loadtxt(tmp_path / "data28_data.txt")[6:12, :FEATURES]
    assert (problem.features[1, :6].numpy() == second).all()
    assert (problem.features[1, 6:] == 0).all()
    assert [table.name for table in packaged()] == ["diabetes", "wine", "breast cancer"]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda f: (f / "data29_y.txt").unlink(), "data29_y.txt (No such file"),
        (lambda f: (f / "data30_data.txt").write_text("1 2\nx y\n"), "data30_data.txt is not a"),
        (lambda f: (f / "data30_data.txt").write_text("1 2\n1\n"), "data30_data.txt is not a"),
        (lambda f: (f / "data30_data.txt").write_bytes(b"\xff\xfe\x00"), "not a text file"),
        (lambda f: (f / "data28_y.txt").write_text("nan\n" * 20), "data28_y.txt must hold finite"),
        (lambda f: (f / "data28_y.txt").write_text("1\n"), "in as many lines"),
        (lambda f: (f / "data28_y.txt").write_text(""), "data28_y.txt"),
    ],
)
def test_spoilt_data_end_with_code_2(tmp_path, spoil, told):
    data = folder(tmp_path)
    spoil(data)
    result = call("lag", "--data", data, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert told in result.stderr
    assert any(advice in result.stderr for advice in ("give the folder", "must hold"))


def test_other_bad_input_ends_with_code_2(tmp_path):
    assert call("lga", "--out", tmp_path).exit_code == 2
    assert "nearest: lag" in call("lga", "--out", tmp_path).stderr
    file = tmp_path / "file"
    file.write_text("")
    assert "out must be a folder" in call("lag", "--out", file).stderr
    assert call("lag", "--data", tmp_path / "absent", "--out", tmp_path).exit_code == 2


def test_averaging_is_drawn_and_told(tmp_path, monkeypatch):
    monkeypatch.setattr(koloskova2019_fig2, "FULL", SMALL)
    result = call("choco-gossip", "--out", tmp_path, "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    by_name = {line["name"]: line for line in told["lines"]}
    second = 1 - np.linalg.eigvalsh(Ring(SMALL.n).matrix(0))[-2]
    assert len(by_name) == 8 and told["gap"] == pytest.approx(second, rel=1e-12)
    for line in by_name.values():
        assert len(line["steps"]) == len(line["error"]) == len(line["sent_bits"])
    dense = 64 * SMALL.d * 2  # two neighbours, double precision
    assert by_name["exact"]["sent_bits"][-1] == dense * by_name["exact"]["steps"][-1]
    assert by_name["Q2 rand"]["steps"][-1] < by_name["Q1 rand"]["steps"][-1]
    for path in told["files"]:
        assert (tmp_path / path).stat().st_size > 500
    assert told["reproduced"] and told["verdict"] == "reproduced"


def test_training_is_drawn_and_told(tmp_path, monkeypatch):
    few = TrainingSetting(steps=100, replicas=1, factors=(1.0, 1e-4))
    monkeypatch.setattr(koloskova2019_section53, "TrainingSetting", lambda: few)
    result = call("choco-sgd", "--out", tmp_path, "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert [p["problem"].split(",")[0] for p in told["problems"]] == (
        ["breast cancer"] * 2 + ["digits"] * 2
    )
    for place in told["problems"]:
        by_name = {method["method"]: method for method in place["methods"]}
        assert len(by_name) == 8 and by_name["DCD rand"]["lost"]
        assert by_name["CHOCO rand"]["sent_bits"][-1] < by_name["exact"]["sent_bits"][-1] / 4
        assert by_name["exact"]["stepsize_factor"] == 1 and not by_name["exact"]["lost"]
    for path in told["files"]:
        assert (tmp_path / path).stat().st_size > 500


@pytest.mark.parametrize("name", ["choco-gossip", "choco-sgd"])
def test_figures_without_options_refuse_them(tmp_path, name):
    result = call(name, "--data", tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == 2 and "data must be left out" in result.stderr
    result = call(name, "--workers", 9, "--out", tmp_path / "out")
    assert result.exit_code == 2 and "workers must be left out" in result.stderr


@pytest.mark.parametrize("workers", [0, -3, 10])
def test_workers_that_are_no_multiple_of_the_sets_are_refused(tmp_path, workers):
    result = call("lag", "--workers", workers, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert f"workers must be a multiple of 3, as many for each data set, got workers={workers}" in (
        result.stderr
    )


def test_without_a_name_all_figures_are_listed():
    listed = {one["name"]: one for one in json.loads(call("--json").stdout)}
    assert listed["chen2018-table5"]["options"] == ["data", "workers"]
    assert {one["cost"] for one in listed.values()} <= {"quick", "normal", "slow"}
    assert all(one["criterion"] and one["source"] for one in listed.values())
    assert "lag" in call().stdout and "--data --workers" in call().stdout


def number(published, ours, **more):
    return near("a number", published, ours, relative=0.1, **more)


def test_the_verdict_rests_on_what_was_read_and_says_by_how_much():
    memory = number(1.0, 9.0, confidence=Confidence.MEMORY)
    assert Reproduction((memory,)).verdict == "compared" and not memory.met
    assert Reproduction((memory, number(10.0, 11.0))).verdict == "reproduced"
    told = Reproduction((number(10.0, 12.0), number(10.0, 15.0))).verdict
    assert told == (
        "not reproduced, by 0.5 of the published value (a number: 15, = 10 published, and 1 more)"
    )
    assert not Reproduction((number(10.0, math.nan),)).reproduced


@pytest.mark.parametrize(("limit", "ours", "met"), [(2.0, 2.0, True), (2.0, 2.1, False)])
def test_a_bound_is_met_from_its_own_side(limit, ours, met):
    assert at_most("a number", limit, ours).met is met
    assert at_least("a number", -limit, -ours).met is met
    assert at_least("a number", limit, ours).met and at_most("a number", limit, -ours).met


def made(name, measure, cost=CostClass.QUICK):
    source = Source("Nobody", 2020, "", "Figure 1")
    return PublishedFigure(name, "A title", source, "it is so", measure, cost)


def test_one_figure_that_fails_does_not_stop_the_rest(tmp_path, monkeypatch):
    def broken(_):
        raise RuntimeError("no such data")

    figures = (
        made("broken", broken), made("right", lambda _: Reproduction((number(1, 1),))),
        made("wrong", lambda _: Reproduction((number(1, 2),))),
        made("dear", broken, CostClass.SLOW),
    )  # fmt: skip
    named = {figure.name: figure for figure in figures}
    monkeypatch.setattr("experiments.commands.figure.published_figures", lambda: named)
    result = CliRunner().invoke(
        app, ["figures", "--cost", "quick", "--out", str(tmp_path), "--json"]
    )
    assert result.exit_code == 1
    told = {one["name"]: one["verdict"] for one in json.loads(result.stdout)}
    assert told["broken"] == "failed, RuntimeError: no such data" and "dear" not in told
    assert told["right"] == "reproduced" and told["wrong"].startswith("not reproduced, by 1 ")
    assert (tmp_path / "right.png").exists() and (tmp_path / "right_numbers.csv").exists()
    listed = CliRunner().invoke(app, ["figures", "--list", "--json"])
    assert [one["cost"] for one in json.loads(listed.stdout)] == ["quick"] * 3 + ["slow"]
    assert CliRunner().invoke(app, ["figures", "--cost", "cheap"]).exit_code == 2
