"""Runs without a common clock that go on: what happened is kept, and replayed to where it ended.

Nothing else need be kept. The simulation of what happened gives every rank's state to the bit;
gradients that were under way are begun again, with the random numbers of their count.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.durable import write_settled
from algorithms.core.key import Key
from algorithms.methods.base import RunContext
from algorithms.network.ranks import gathered_words, place
from algorithms.network.simulated import Simulated
from algorithms.problems.base import Problem
from algorithms.runner.checkpointed_run import parts_of, same_tensors, with_parts, worker_axes
from algorithms.synchronisation.recorded import Recorded, ScheduleRecord
from algorithms.synchronisation.worker_states import WorkerStates

_FORMAT = "rateproof-record-2"


class _Damaged(Exception):
    """A file that is not what was written."""


def _header(body: str) -> str:
    return f"{_FORMAT} sha256 {hashlib.sha256(body.encode()).hexdigest()}"


@final
@dataclass(frozen=True)
class KeptRecord:
    """Folder and interval of a rank's record of events.

    Attributes:
        folder: of this run alone; machines may have one each.
        every: updates between two writings.
        words: what the run must be, by name.

    Raises:
        ValueError: every < 1.
    """

    folder: Path
    every: int
    words: Mapping[str, str]

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ValueError(f"every must be at least 1 update, got every={self.every}")

    def write(self, rank: int, told: str) -> None:
        """Keep what the rank tells, JSON, so that it is there whole or as it was before."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self._file(rank)
        body = json.dumps({"run": dict(self.words), "told": told})
        content = f"{_header(body)}\n{body}".encode()
        if file.exists():
            os.replace(file, file.with_suffix(".before"))
        write_settled(file, content, file.with_suffix(f".{os.getpid()}.part"))

    def read(self, rank: int) -> str:
        """Last report of the rank that is whole; empty if there is none.

        A damaged one is named on standard error, and the one before it is used.

        Raises:
            ValueError: those that there are are no such files, or another run's: names what
                differs.
        """
        file, refused = self._file(rank), ""
        for one in (file, file.with_suffix(".before")):
            if not one.is_file():
                continue
            try:
                told = self._told(one)
            except _Damaged as error:
                refused = refused or str(error)
                continue
            if refused:
                print(f"note: {refused}; {one.name} is used", file=sys.stderr, flush=True)
            return told
        if refused:
            raise ValueError(f"{refused}; another folder would do")
        return ""

    def _told(self, file: Path) -> str:
        try:
            header, _, body = file.read_bytes().decode("utf-8").partition("\n")
            if not header.startswith(f"{_FORMAT} "):
                raise _Damaged(f"{file} is no kept record")
            if header != _header(body):
                raise _Damaged(f"{file} is half-written or changed")
            found = json.loads(body)
            run, told = dict(found["run"]), str(found["told"])
        except (OSError, UnicodeDecodeError, KeyError, TypeError) as error:
            raise _Damaged(f"{file} is no kept record") from error
        for name, value in self.words.items():
            if run.get(name) != value:
                raise ValueError(
                    f"{name} must be the kept record's {run.get(name)!r}, got {value!r}; another "
                    "folder would do"
                )
        return told

    def gathered(self) -> list[str]:
        """Last report of each rank; all ranks call it, and are refused alike."""
        told = refused = ""
        try:
            told = self.read(place()[0])
        except ValueError as error:
            refused = str(error)
        every = gathered_words({"told": told, "refused": refused})
        for one in every:
            if one["refused"]:
                raise ValueError(one["refused"])
        return [one["told"] for one in every]

    def _file(self, rank: int) -> Path:
        return self.folder / f"rank-{rank}.json"


@final
class Replayed(NamedTuple):
    """State of a run after its record.

    Attributes:
        record: what happened.
        state: the method's, of all workers.
        models: the method's models after 0, 1, ... updates ``[k + 1, n or 1, d]``.
        now: which gradient each worker is at, on which version, and who waits.
    """

    record: ScheduleRecord
    state: Any
    models: Tensor
    now: WorkerStates


def replayed(method: Any, problem: Problem, record: ScheduleRecord, seed: int) -> Replayed:
    """The simulation of ``record``.

    Raises:
        ValueError: the record is not one of the problem's n workers.
    """
    ticks = len(record.ticks)
    again = replace(method, barrier=Recorded(record), ticks=ticks, replicas=1)
    context = _simulated(problem, seed)
    state = again.init(problem.start(), context)
    models = [again.models(state)[0].clone()]
    for t in range(ticks):
        state = again.step(state, t, context)
        models.append(again.models(state)[0].clone())
    return Replayed(record, state, torch.stack(models), standing(record))


def past_of_server(
    method: Any, problem: Problem, seed: int, kept: KeptRecord | None
) -> Replayed | None:
    """State after rank 0's record, for all ranks, which call it; None if there is none."""
    told = "" if kept is None else kept.gathered()[0]
    return replayed(method, problem, ScheduleRecord.from_json(told), seed) if told else None


def standing(record: ScheduleRecord) -> WorkerStates:
    """States of the workers after the record; none of them has arrived again."""
    now = WorkerStates(record.n, lambda counts: np.full(counts.shape, np.inf))
    barrier = Recorded(record)
    for t, tick in enumerate(record.ticks):
        now.finish[0, list(tick.arrivals)] = tick.seconds
        now.move(barrier.decide(now), t)
    return now


def state_here(
    method: Any, problem: Problem, found: Replayed, seed: int, context: RunContext
) -> Any:
    """The replay's state as a rank holds it: the workers of ``context.network``."""
    axes = worker_axes(method, context)
    parts = parts_of(found.state, axes, _simulated(problem, seed))
    own = method.init(problem.start(), context)
    return with_parts(own, parts, axes, context, same_tensors(found.state))


def _simulated(problem: Problem, seed: int) -> RunContext:
    only = torch.zeros(1, dtype=torch.int64)
    return RunContext(problem, Simulated(problem.n), Key.seed(seed), only)
