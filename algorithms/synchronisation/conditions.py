"""Compute times with more to them: time on links, a recorded trace, workers that die."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Draws
from algorithms.synchronisation.base import ComputeTimes


@final
@dataclass(frozen=True)
class Linked(ComputeTimes):
    """``times`` and the round trip of messages: a fetch of ``down`` and a push of ``up`` [seconds].

    Give alpha + beta * bits of a link, as ``theory.seconds.costs.AlphaBeta`` has them.

    Raises:
        ValueError: up or down negative or not finite.
    """

    times: ComputeTimes
    up: float
    down: float

    def __post_init__(self) -> None:
        for name in ("up", "down"):
            value = getattr(self, name)
            if not 0 <= value < math.inf:
                raise ValueError(f"{name} must be finite and >= 0 seconds, got {name}={value}")

    @property
    def name(self) -> str:
        return f"{self.times.name} + {self.up + self.down:g} s of messages"

    @property
    def shuffles(self) -> bool:
        return self.times.shuffles

    def seconds(self, draws: Draws, count: int, first: int = 0) -> Tensor:
        return self.times.seconds(draws, count, first) + (self.up + self.down)


@final
@dataclass(frozen=True)
class Repeated(ComputeTimes):
    """Work of ``count`` gradients in turn, each with ``times`` of its own.

    Raises:
        ValueError: count < 1.
    """

    times: ComputeTimes
    count: int

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError(f"count must be at least 1 gradient, got count={self.count}")

    @property
    def name(self) -> str:
        return f"{self.count} times {self.times.name}"

    def seconds(self, draws: Draws, count: int, first: int = 0) -> Tensor:
        parts = [
            self.times.seconds(draws.fold("part", k), count, first * self.count + k * count)
            for k in range(self.count)
        ]
        return torch.stack(parts).sum(0)


@final
@dataclass(frozen=True)
class RecordedTimes(ComputeTimes):
    """Recorded times: gradient k of worker i took ``table[i][k]`` [seconds]; then from the start.

    Every replica has the same times.

    Raises:
        ValueError: no workers, rows of different lengths, or a time that is not positive.
    """

    table: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        lengths = {len(row) for row in self.table}
        if len(lengths) != 1 or lengths == {0}:
            raise ValueError(
                "table must hold one row of times per worker, all of one length, got rows of "
                f"lengths {sorted(lengths)}"
            )
        for i, row in enumerate(self.table):
            for k, value in enumerate(row):
                if not value > 0:
                    raise ValueError(f"table[{i}][{k}] must be positive [seconds], got {value}")

    @staticmethod
    def read(path: Path) -> RecordedTimes:
        """From a text file: one line per worker, its times in seconds, separated by commas.

        Raises:
            ValueError: the file is missing or holds something else; names the file and line.
        """
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise ValueError(f"trace {path} cannot be read: {error.strerror}") from error
        rows = []
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                rows.append(tuple(float(cell) for cell in line.split(",")))
            except ValueError as error:
                raise ValueError(
                    f"trace {path}, line {number}: {error}; one line per worker, seconds "
                    "separated by commas"
                ) from error
        return RecordedTimes(tuple(rows))

    @property
    def name(self) -> str:
        return f"trace({len(self.table)} workers, {len(self.table[0])} gradients)"

    def seconds(self, draws: Draws, count: int, first: int = 0) -> Tensor:
        most = int(draws.workers.max())
        if most >= len(self.table):
            raise ValueError(
                f"the trace holds {len(self.table)} workers, {most + 1} are asked for; record more"
            )
        table = torch.tensor(self.table, dtype=torch.float64)
        columns = torch.from_numpy(np.arange(first, first + count) % table.shape[-1])
        return table[draws.workers][..., columns]


@final
@dataclass(frozen=True)
class LostWorker(ComputeTimes):
    """``times``, but ``worker`` dies or stalls for ever in its gradient number ``after``.

    Raises:
        ValueError: worker or after negative.
    """

    times: ComputeTimes
    worker: int
    after: int = 0

    def __post_init__(self) -> None:
        for name in ("worker", "after"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be at least 0, got {name}={getattr(self, name)}")

    @property
    def name(self) -> str:
        return f"{self.times.name}, worker {self.worker} lost after {self.after} gradients"

    def seconds(self, draws: Draws, count: int, first: int = 0) -> Tensor:
        times = self.times.seconds(draws, count, first)
        gone = torch.arange(first, first + count) >= self.after
        dead = (draws.workers == self.worker)[..., None] & gone
        return torch.where(dead, math.inf, times)
