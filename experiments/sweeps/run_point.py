"""A block of a study's runs, played one after another and left as one file of the data set.

The data set has a folder for each row and in it one for each problem (``row=bsp-sgd/
problem=quadratic-sc``), as pandas and duckdb read them. A file is there whole or not at all; its
footer says which runs it holds and by which version of the code.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from algorithms.catalogue import problem, row
from algorithms.engine.run import Diverged
from algorithms.engine.trace import Trace
from experiments.compare.tuned_rows import Tuning, chosen
from experiments.storage.files import write_atomically
from experiments.sweeps.study import RunBlock, RunPoint, SweepStudy
from proofs_check.methods.tuned_run import tuned_run

FORMAT = "rateproof-sweep-1"
_TRACED = (
    "suboptimality", "squared_gradient", "squared_distance", "consensus", "sent_bits",
    "received_bits", "gradients", "seconds",
)  # fmt: skip
_DESCRIPTION: dict[str, Any] = {
    "n": pa.int32(), "T": pa.int64(), "tuning": pa.string(), "gamma": pa.float64(),
    "seed": pa.int64(), "outcome": pa.string(), "tuned_by": pa.string(),
    "run_seconds": pa.float64(), "replica": pa.int32(), "step": pa.int64(),
}  # fmt: skip

FINISHED, DIVERGED = "finished", "diverged"
"""Outcomes of a run; of one that diverged there are the records up to where it did."""


@final
@dataclass(frozen=True)
class BlockWork:
    """Setup of a worker process, sent once: it is then given numbers of blocks.

    Attributes:
        study: the grid.
        folder: where the data set lies, on a disk that every worker has.
        versions: by row and problem, the version of the code that a run rests on.
    """

    study: SweepStudy
    folder: Path
    versions: Mapping[tuple[str, str], str]

    def __call__(self, number: int) -> None:
        """Play the block of a number, unless its file is there already, and store it."""
        block = self.study.block_at(number)
        if self.done(block):
            return
        tables = [run_point(point, self.study) for point in block.points]
        told = {"format": FORMAT, "runs": block.name, "version": self.version(block)}
        table = pa.concat_tables(tables).replace_schema_metadata(told)
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
        path = self.path(block)
        write_atomically(path, sink.getvalue().to_pybytes())

    def path(self, block: RunBlock) -> Path:
        """Path of a block's file, existing or not."""
        where = self.folder / f"row={_safe(block.pair.row)}" / f"problem={block.pair.problem}"
        return where / f"{block.name}.parquet"

    def version(self, block: RunBlock) -> str:
        """Of the code that a block's runs rest on."""
        return self.versions[block.pair.row, block.pair.problem]

    def done(self, block: RunBlock) -> bool:
        """Whether the block's file is there, whole, and of this version of the code."""
        try:
            whole = pq.read_table(
                self.path(block), partitioning=None, page_checksum_verification=True
            )
        except (OSError, pa.ArrowException):
            return False
        told = whole.schema.metadata or {}
        wanted = {"format": FORMAT, "runs": block.name, "version": self.version(block)}
        return all(told.get(key.encode()) == value.encode() for key, value in wanted.items())


def _safe(key: str) -> str:
    """A row's key as part of a path: forms (``lag:server``) have a colon."""
    return key.replace(":", "%3A")


def schema(study: SweepStudy) -> pa.Schema:
    """Columns of every file of a study; row and problem are in the folders' names."""
    settings = {f"set.{name}": pa.string() for name in study.settings}
    traced = dict.fromkeys(_TRACED, pa.float64())
    return pa.schema(list({**_DESCRIPTION, **settings, **traced}.items()))


def run_point(point: RunPoint, study: SweepStudy) -> pa.Table:
    """One run as tidy data: a line for each replica and record.

    Raises:
        ValueError: the row cannot be tuned so on the problem.
    """
    begin = time.monotonic()
    objective = problem(point.problem, point.n)
    ready = chosen(
        row(point.row), objective, Tuning(point.tuning), seed=point.seed, gamma=point.gamma,
        settings=dict(point.settings), steps=point.steps,
    )  # fmt: skip
    by, outcome = ready.note, FINISHED
    try:
        result = tuned_run(
            ready.row, objective, point.steps, study.replicas, point.seed, ready.step,
            points=study.records,
        )  # fmt: skip
        trace = result.trace
        theorem = result.tuned.theorem
        by = f"{result.tuned.step_text}, {by or (theorem.title if theorem else 'no theorem')}"
    except Diverged as error:
        trace, outcome = error.trace, DIVERGED
    return _table(point, study, trace, outcome, by, time.monotonic() - begin)


def _table(
    point: RunPoint, study: SweepStudy, trace: Trace, outcome: str, by: str, seconds: float
) -> pa.Table:
    replicas, records = trace.suboptimality.shape
    same = {
        "n": point.n, "T": point.steps, "tuning": point.tuning,
        "gamma": math.nan if point.gamma is None else point.gamma, "seed": point.seed,
        "outcome": outcome, "tuned_by": by, "run_seconds": seconds,
        **{f"set.{name}": None for name in study.settings},
        **{f"set.{name}": value for name, value in point.settings},
    }  # fmt: skip
    lines = replicas * records
    columns: dict[str, Any] = {name: [value] * lines for name, value in same.items()}
    columns["replica"] = np.repeat(np.arange(replicas), records)
    columns["step"] = np.tile(trace.steps, replicas)
    for name in _TRACED:
        columns[name] = np.asarray(getattr(trace, name), dtype=np.float64).ravel()
    return pa.Table.from_pydict(columns, schema=schema(study))
