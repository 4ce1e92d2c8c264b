"""A study is run: which blocks are to be done, on whose processes, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, final
from urllib.parse import unquote

import pandas as pd
import pyarrow.parquet as pq
from matplotlib.figure import Figure
from rich.console import Console

from experiments.closure.versions import cell_versions
from experiments.figures.heatmap import heatmap_figure
from experiments.figures.style import styled
from experiments.processes.executors import pool_of
from experiments.processes.pool import Ended
from experiments.processes.progress import duration
from experiments.sweeps.heat import heat_maps
from experiments.sweeps.run_point import BlockWork, run_point
from experiments.sweeps.study import SweepStudy
from proofs_check.cell import Cell, CellKind
from proofs_check.prepare import prepare

DATA, ASIDE = "data", "left-over"
_SHOWN = 5.0  # seconds between two lines of progress


@final
@dataclass(frozen=True)
class Swept:
    """Result of a study.

    Attributes:
        study: the grid.
        folder: where its data set lies.
        reused: blocks that were there already.
        failures: numbers of the blocks that failed, with the error.
        seconds: how long it ran.
    """

    study: SweepStudy
    folder: Path
    reused: int
    failures: Mapping[int, str] = field(default_factory=dict)
    seconds: float = 0.0

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The last record of every replica of every run, one line each; the whole data set is read
        by ``pandas.read_parquet(folder)`` or duckdb."""
        return last_records(self.folder)

    def heatmap(self, x: str, y: str, quantity: str = "suboptimality") -> Figure:
        """Median of a quantity of the last records over two axes of the grid, see
        :func:`experiments.sweeps.heat.heat_maps`."""
        maps = heat_maps(self.frame, x, y, quantity, self.study.name)
        with styled():
            return heatmap_figure(maps)


@final
@dataclass(frozen=True)
class SweepCost:
    """Cost of a study, estimated from trial runs.

    Attributes:
        runs: how many runs.
        blocks: how many files.
        done: files that are there already.
        tried: runs that were made, of how many seconds each.
        seconds: processor seconds of all runs, as the runs that were tried say.
    """

    runs: int
    blocks: int
    done: int
    tried: tuple[tuple[str, float], ...]
    seconds: float


def versions_of(study: SweepStudy) -> dict[tuple[str, str], str]:
    """The version of the code that each pair's runs rest on."""
    cells = {
        Cell(pair.row, pair.problem, CellKind.RUN, n=dict(pair.axes)["n"][0]): pair
        for pair in study.pairs
    }
    found = cell_versions(cells, prepare)
    return {(pair.row, pair.problem): found[cell] for cell, pair in cells.items()}


def run_sweep(
    study: SweepStudy, out: Path, console: Console, *, executor: str = "", workers: int = 2
) -> Swept:
    """Play the blocks whose files are not there yet.

    Files of runs that the study has no longer are moved aside, not removed. ``executor`` as of
    :func:`experiments.processes.executors.pool_of`; its workers must see the folder under the same
    name.

    Raises:
        ValueError: the executor is none, or workers < 1.
        ExecutorLost: it broke and did not open again.
    """
    begin, shown = time.monotonic(), 0.0
    work = BlockWork(study, (out / DATA).resolve(), versions_of(study))
    _aside(work, out, console)
    todo = [k for k in range(study.blocks) if not work.done(study.block_at(k))]
    reused = study.blocks - len(todo)
    # refuses an executor that is none before anything is told
    pool = pool_of(executor, work, min(workers, max(1, len(todo))))
    console.print(
        f"{study.runs} runs in {study.blocks} files; {reused} are there, {len(todo)} to do",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    failures: dict[int, str] = {}
    done = 0
    if todo:
        with pool:
            for event in pool.run(todo):
                if isinstance(event, Ended):
                    done += 1
                    if event.error:
                        failures[event.task] = event.error
                now = time.monotonic() - begin
                if done and now - shown > _SHOWN:
                    shown = now
                    left = duration(now / done * (len(todo) - done))
                    console.print(
                        f"{done} of {len(todo)} files, about {left} left", highlight=False
                    )
    return Swept(study, work.folder, reused, failures, time.monotonic() - begin)


def plan(study: SweepStudy, out: Path, tries: int = 12) -> SweepCost:
    """Estimate the work and its cost: some runs of the study are made, one of each row on
    a problem with a tuning, as far as ``tries`` go.

    Among runs of such a kind the cost is taken to grow with workers times steps, and of kinds that
    were not tried to be the mean of those that were.
    """
    work = BlockWork(study, (out / DATA).resolve(), versions_of(study))
    done = sum(work.done(study.block_at(k)) for k in range(study.blocks))
    kinds = [(pair, word) for pair in study.pairs for word in dict(pair.axes)["tuning"]]
    tried, rates, drawn = list[tuple[str, float]](), dict[int, float](), Random(0)
    for k in range(0, len(kinds), -(-len(kinds) // tries)):
        pair, tuning = kinds[k]
        point = replace(pair.point(drawn.randrange(pair.runs)), tuning=tuning)
        run_point(point, study)  # what is compiled and cached once is not a run's cost
        begin = time.process_time()
        run_point(point, study)
        seconds = time.process_time() - begin
        how = f"tuning {tuning}" if point.gamma is None else f"gamma {point.gamma:g}"
        words = f"{point.row} on {point.problem}, n = {point.n}, T = {point.steps}, {how}"
        tried.append((words, seconds))
        rates[k] = seconds / (point.n * point.steps)
    mean = sum(rates.values()) / len(rates)
    whole = sum(
        rates.get(k, mean) * _size(dict(pair.axes), pair.runs) / len(dict(pair.axes)["tuning"])
        for k, (pair, _) in enumerate(kinds)
    )
    return SweepCost(study.runs, study.blocks, done, tuple(tried), whole)


def _size(axes: Mapping[str, tuple[Any, ...]], runs: int) -> float:
    """Workers times steps, over all runs of a pair."""
    n, steps = (float(sum(axes[name])) / len(axes[name]) for name in ("n", "steps"))
    return runs * n * steps


def last_records(folder: Path) -> pd.DataFrame:
    """The last record of every replica, read file by file: memory grows with runs, not records."""
    parts = []
    for path in sorted(folder.rglob("*.parquet")):
        whole = pq.read_table(path, partitioning=None, page_checksum_verification=True).to_pandas()
        told = [name for name in whole.columns if name.startswith("set.")]
        keys = ["seed", "n", "T", "tuning", "gamma", *told, "replica"]
        last = whole.groupby(keys, dropna=False, sort=False).tail(1)
        where = (folder_name.partition("=") for folder_name in path.relative_to(folder).parts[:-1])
        parts.append(last.assign(**{name: unquote(value) for name, _, value in where}))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _aside(work: BlockWork, out: Path, console: Console) -> None:
    """Move files of runs that the study has not out of the data set."""
    mine = {work.path(work.study.block_at(k)) for k in range(work.study.blocks)}
    strangers = [path for path in work.folder.rglob("*.parquet") if path not in mine]
    for path in strangers:
        to = (out / ASIDE).resolve() / path.relative_to(work.folder)
        to.parent.mkdir(parents=True, exist_ok=True)
        path.replace(to)
    if strangers:
        console.print(
            f"{len(strangers)} files hold runs that the study has not; moved to {out / ASIDE}",
            style="yellow", highlight=False, soft_wrap=True,
        )  # fmt: skip
