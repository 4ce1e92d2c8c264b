"""A study: which runs it has, and what is wrong with one is told before a run begins."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from algorithms.tuning.grid import SEED
from experiments.sweeps.study_file import read_study, study_of

GRID = {"row": ["bsp-sgd", "qsgd"], "problem": ["quadratic-sc"], "n": [2, 4], "steps": 10}


def test_every_combination_is_there_once():
    study = study_of({
        "grid": {**GRID, "seed": {"from": 1, "to": 5, "step": 2}, "gamma": [0.1, 0.2]},
        "set": {"qsgd": {"s": [1, 4, 16]}}, "block": 7,
    })  # fmt: skip
    points = [point for k in range(study.blocks) for point in study.block_at(k).points]
    assert len(points) == len(set(points)) == study.runs == 2 * 2 * 3 * (1 + 3)
    mine = {(p.n, p.seed, p.gamma, dict(p.settings)["s"]) for p in points if p.row == "qsgd"}
    assert mine == set(itertools.product((2, 4), (1, 3, 5), (0.1, 0.2), ("1", "4", "16")))
    assert {len(list(study.block_at(k).points)) for k in range(study.blocks)} == {7, 5, 1}
    with pytest.raises(IndexError, match=f"block must be below {study.blocks}"):
        study.block_at(study.blocks)


def test_a_study_that_grows_by_seeds_rows_or_problems_keeps_its_full_blocks():
    def names(**more):
        study = study_of({"grid": {**GRID, "seed": {"from": 0, "to": 9}, **more}, "block": 4})
        return {study.block_at(k).name for k in range(study.blocks)}

    before = names()
    assert before <= names(seed={"from": 0, "to": 19})
    assert before <= names(row=["d-psgd", "bsp-sgd", "qsgd"])
    assert before <= names(problem=["quadratic-unequal", "quadratic-sc"])
    assert not before & names(steps=11)


def test_a_hundred_thousand_runs_take_no_room():
    study = study_of({"grid": {**GRID, "seed": {"from": 0, "to": 24_999}}})
    assert study.runs == 100_000
    last = study.block_at(study.blocks - 1)
    assert list(last.points)[-1].seed == 24_999
    assert study.block_at(0).name != last.name


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({}, "grid must be a table"),
        ({"grids": GRID}, "unknown key of a study 'grids'; nearest: grid"),
        ({"grid": {**GRID, "rows": []}}, "unknown axis of a grid 'rows'; nearest: row"),
        ({"grid": {**GRID, "row": []}}, r"grid.row must be a list of names, got grid.row=\[\]"),
        ({"grid": {**GRID, "row": "qsdg"}}, "unknown row 'qsdg'"),
        ({"grid": {**GRID, "problem": "quadratic"}}, "unknown problem 'quadratic'"),
        ({"grid": {**GRID, "n": [1]}}, "grid.n must be at least 2, got grid.n=1"),
        ({"grid": {**GRID, "n": [2.5]}}, "grid.n must be a whole number, got grid.n=2.5"),
        ({"grid": {**GRID, "n": [4, 4]}}, "grid.n has 4 twice"),
        ({"grid": {**GRID, "seed": {"to": 3}}}, r"grid.seed must be a list, or \{from, to, step\}"),
        ({"grid": {**GRID, "gamma": [0]}}, "gamma must be positive and finite, got gamma=0"),
        ({"grid": {**GRID, "gamma": ["a"]}}, "grid.gamma must be a number, got grid.gamma='a'"),
        ({"grid": {**GRID, "gamma": 0.1, "tuning": "grid"}}, "grid.gamma sets the stepsize"),
        ({"grid": {**GRID, "tuning": "grid", "seed": SEED}}, "grid.seed has"),
        ({"grid": GRID, "replicas": 0}, "replicas must be at least 1, got replicas=0"),
        ({"grid": GRID, "set": {"d-psgd": {"k": 1}}}, "set.d-psgd is of a row that the grid has"),
        ({"grid": GRID, "set": {"qsgd": {"bits": 1}}}, "unknown parameter 'bits'"),
        ({"grid": GRID, "set": {"qsgd": {"s": "many"}}}, "compressor.s must be a number"),
        ({"grid": {**GRID, "row": "randomised-gossip"}}, "skip_unfit = true would leave"),
    ],
)
def test_what_is_wrong_is_named(told, sentence):
    with pytest.raises(ValueError, match=sentence):
        study_of(told)


def test_pairs_that_do_not_fit_can_be_left_out():
    grid = {**GRID, "row": ["bsp-sgd", "randomised-gossip"]}
    study = study_of({"grid": grid, "skip_unfit": True})
    assert [(pair.row, pair.problem) for pair in study.pairs] == [("bsp-sgd", "quadratic-sc")]
    assert len(study.left_out) == 1 and "randomised-gossip" in study.left_out[0]
    with pytest.raises(ValueError, match="no row of the grid runs on any of its problems"):
        study_of({"grid": {**GRID, "row": "randomised-gossip"}, "skip_unfit": True})


def test_a_file_that_is_no_study_is_named(tmp_path: Path):
    path = tmp_path / "study.toml"
    with pytest.raises(ValueError, match=r"study.toml: cannot be read"):
        read_study(path)
    path.write_text("[grid\n")
    with pytest.raises(ValueError, match=r"study.toml: not TOML"):
        read_study(path)
