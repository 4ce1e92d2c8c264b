"""A study is run: its data set, what is run again, and what a run of it is beside `run`'s."""

from __future__ import annotations

import io

import duckdb
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import rateproof
from experiments.sweeps.run_point import DIVERGED, BlockWork
from experiments.sweeps.study_file import study_of
from experiments.sweeps.sweeping import last_records, plan

TOLD = {
    "replicas": 3, "records": 5, "block": 3,
    "grid": {"row": ["bsp-sgd", "d-psgd"], "problem": "quadratic-sc", "n": [4, 8], "steps": 20,
             "seed": [1, 2]},
    "set": {"d-psgd": {"topology": ["ring", "complete"]}},
}  # fmt: skip
NOW = {("bsp-sgd", "quadratic-sc"): "now", ("d-psgd", "quadratic-sc"): "now"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The data set of a small study."""
    study, folder = study_of(TOLD), tmp_path_factory.mktemp("sweep")
    work = BlockWork(study, folder, NOW)
    for k in range(study.blocks):
        work(k)
    return folder


def test_a_run_of_a_study_is_the_run_of_its_arguments(folder):
    whole = pd.read_parquet(folder)
    mine = whole[(whole.row == "d-psgd") & (whole["set.topology"] == "complete") & (whole.n == 8)]
    mine = mine[mine.seed == 2].sort_values(["replica", "step"])
    alone = rateproof.run("d-psgd", "quadratic-sc", n=8, steps=20, replicas=3, seed=2,
                          topology="complete").frame  # fmt: skip
    alone = alone[alone.steps.isin(set(mine.step))]
    assert np.array_equal(mine.suboptimality, alone.suboptimality)
    assert np.array_equal(mine.sent_bits, alone.sent_bits)
    assert len(set(mine.step)) == TOLD["records"] and {0, 20} <= set(mine.step)


def test_duckdb_and_pandas_read_the_data_set(folder):
    where = f"read_parquet('{folder}/**/*.parquet', hive_partitioning=true)"
    counted = dict(duckdb.sql(f"select row, count(distinct (seed, n)) from {where} group by row")
                   .fetchall())  # fmt: skip
    assert counted == {"bsp-sgd": 4, "d-psgd": 4}
    last = last_records(folder)
    assert len(last) == 3 * study_of(TOLD).runs and set(last.step) == {20}
    assert set(last.row) == {"bsp-sgd", "d-psgd"} and set(last.problem) == {"quadratic-sc"}


def test_only_what_is_missing_broken_or_old_is_played_again(folder):
    work = BlockWork(study_of(TOLD), folder, NOW)
    blocks = [work.study.block_at(k) for k in range(work.study.blocks)]
    assert all(map(work.done, blocks))
    before = work.path(blocks[0]).stat().st_mtime_ns
    work(0)
    assert work.path(blocks[0]).stat().st_mtime_ns == before
    edited = BlockWork(work.study, folder, {**NOW, ("d-psgd", "quadratic-sc"): "edited"})
    assert [b.pair.row for b in blocks if not edited.done(b)] == ["d-psgd"] * 3
    whole = work.path(blocks[0]).read_bytes()
    work.path(blocks[0]).write_bytes(whole[:-20])
    assert not work.done(blocks[0])
    work(0)
    assert work.done(blocks[0])
    last = pq.read_table(work.path(blocks[0])).to_pandas()
    again = pd.read_parquet(io.BytesIO(whole))
    columns = [name for name in again.columns if name != "run_seconds"]
    pd.testing.assert_frame_equal(last[columns], again[columns])


def test_a_run_that_diverges_is_kept_as_such(tmp_path):
    told = {"replicas": 2, "grid": {"row": "bsp-sgd", "problem": "quadratic-sc", "n": 2,
            "steps": 2000, "gamma": [0.1, 50.0]}}  # fmt: skip
    work = BlockWork(study_of(told), tmp_path, NOW)
    work(0)
    frame = pd.read_parquet(tmp_path)
    assert set(frame[frame.gamma == 50.0].outcome) == {DIVERGED}
    assert set(frame[frame.gamma == 0.1].outcome) == {"finished"}


def test_a_plan_says_what_all_runs_cost(tmp_path):
    found = plan(study_of(TOLD), tmp_path, tries=2)
    assert (found.runs, found.blocks, found.done) == (12, 5, 0)
    assert len(found.tried) == 2 and all(seconds > 0 for _, seconds in found.tried)
    least, most = sorted(seconds for _, seconds in found.tried)
    assert found.runs * least / 3 < found.seconds < found.runs * most * 3
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.processes
def test_a_sweep_goes_on_from_what_is_there_and_loses_no_file(tmp_path):
    first = rateproof.sweep(TOLD, out=tmp_path)
    assert (first.reused, dict(first.failures), len(first.frame)) == (0, {}, 36)
    grown = {**TOLD, "grid": {**TOLD["grid"], "seed": [1, 2, 3], "row": "d-psgd"}}
    second = rateproof.sweep(grown, out=tmp_path, console=Console(file=io.StringIO()))
    assert (second.reused, second.study.blocks, len(second.frame)) == (2, 4, 36)
    aside = list((tmp_path / "left-over").rglob("*.parquet"))
    assert len(aside) == 3, "two files of bsp-sgd, and the file that was not full"
