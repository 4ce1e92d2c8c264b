"""Draws of a whole method that are chosen where that is wanted, and else those of a key.

Normal numbers are the noise, which a linear method adds: they are zero unless they are chosen.
Uniforms and integers decide what is done: they are the key's own unless they are chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, cast, final

import torch
from torch import Tensor

from algorithms.core.key import Draws, Key, WorkerIds

Path = tuple[tuple[int | str, ...], ...]
"""The words of one fold after another."""


class DrawSource(NamedTuple):
    """One request for random numbers by one worker: what for, and ``high`` of integers below it
    (0: uniforms, -1: normal numbers).

    Attributes:
        path: the words that were folded in.
        worker: the id of the row.
    """

    path: Path
    worker: int
    high: int


NORMAL, UNIFORM = -1, 0


@final
@dataclass
class Script:
    """Choices made and numbers asked for in one call of a step.

    Attributes:
        chosen: numbers ``[R, c]`` of a source, one line for each replica.
        asked: every source that was asked, with how many numbers it gave.
    """

    chosen: dict[DrawSource, Tensor] = field(default_factory=dict)
    asked: dict[DrawSource, int] = field(default_factory=dict)

    def filled(self, path: Path, high: int, own: Tensor, workers: Tensor) -> Tensor:
        """Numbers ``[..., m, c]`` of ``workers`` ``[..., m]``: the chosen ones, else ``own``."""
        count, alike = own.shape[-1], bool((workers == workers[:1]).all())
        for worker in set((workers[:1] if alike else workers).flatten().tolist()):
            source = DrawSource(path, worker, high)
            self.asked[source] = max(count, self.asked.get(source, 0))
            if (chosen := self.chosen.get(source)) is not None:
                here = (workers[:1] if alike else workers) == worker
                own = torch.where(here[..., None], chosen[:, None, :count].to(own.dtype), own)
        return own


@final
class MethodDraws(Draws):
    """Draws for one purpose, of a key or of its script.

    Attributes:
        workers: ids of the rows ``[..., m]``.
    """

    def __init__(self, own: Draws, path: Path, script: Script) -> None:
        self._own, self._path, self._script = own, path, script

    @property
    def workers(self) -> Tensor:  # type: ignore[override]
        return self._own.workers

    def fold(self, *words: int | str) -> MethodDraws:
        return MethodDraws(self._own.fold(*words), (*self._path, words), self._script)

    def uniform(self, count: int, dtype: torch.dtype) -> Tensor:
        own = self._own.uniform(count, dtype)
        return self._script.filled(self._path, UNIFORM, own, self.workers)

    def normal(self, count: int, dtype: torch.dtype) -> Tensor:
        zeros = torch.zeros((*self.workers.shape, count), dtype=dtype)
        return self._script.filled(self._path, NORMAL, zeros, self.workers)

    def integers(self, high: int, count: int) -> Tensor:
        own = self._own.integers(high, count)
        return self._script.filled(self._path, high, own, self.workers)


@final
class MethodKey:
    """A key whose draws are scripted; it stands where a method expects a :class:`Key`.

    Attributes:
        numbers: a key's: its draws have numbers.
    """

    numbers = True

    def __init__(self, own: Key, script: Script, path: Path = ()) -> None:
        self._own, self._script, self._path = own, script, path

    @property
    def words(self) -> tuple[int, int]:
        """The words of the key itself."""
        return self._own.words

    def fold(self, *words: int | str) -> Key:
        """A key for a narrower purpose."""
        folded = MethodKey(self._own.fold(*words), self._script, (*self._path, words))
        return cast(Key, folded)

    def draws(self, replicas: Tensor, workers: Tensor) -> Draws:
        """Draws for replica ids ``[...]`` and worker ids ``[m]`` or ``[..., m]``."""
        return self.draws_of(WorkerIds(replicas, workers))

    def draws_of(self, rows: WorkerIds) -> Draws:
        """Draws for rows that ask again and again."""
        return MethodDraws(self._own.draws_of(rows), self._path, self._script)


def scripted_key(own: Key, script: Script) -> Key:
    """``own`` with the numbers of ``script`` in place of its own, where that has any."""
    return cast(Key, MethodKey(own, script))
