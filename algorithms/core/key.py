"""Randomness as a value: what a worker draws is a pure function of who asks for what.

A :class:`Key` names a purpose: it is folded with words ("gradient", t, ...) by a stable hash. Given
replica and worker ids it yields :class:`Draws`, whose numbers depend on nothing else; so a worker
draws the same numbers in the simulation and on whatever rank holds its row.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import torch
from torch import Tensor

from algorithms.kernels import drawn, mask_to_indices, philox, selection, top_of_uniforms
from algorithms.kernels.compiled import by_torch

_PART = 1 << 14  # numbers of a row that are drawn together, a multiple of 4


class NumbersAsked(Exception):
    """A random number was asked for of a key without numbers (:meth:`Key.without_numbers`)."""


class Draws(ABC):
    """Random numbers for a set of worker rows.

    ``workers`` are the ids ``[..., m]`` of the rows, ``replicas`` the ids ``[...]`` of the leading
    axes. Every method returns ``[..., m, count]``; asking twice gives the same numbers, so fold
    another word for another purpose.
    """

    workers: Tensor

    @abstractmethod
    def fold(self, *words: int | str) -> Draws:
        """Draws for the same rows and another purpose."""

    @abstractmethod
    def uniform(self, count: int, dtype: torch.dtype) -> Tensor:
        """Uniforms in [0, 1): multiples of 2^-53 in float64, of 2^-24 in float32."""

    def uniform_parts(self, count: int, dtype: torch.dtype) -> Iterator[tuple[slice, Tensor]]:
        """The numbers of :meth:`uniform`, slice by slice: where they lie, and they."""
        yield slice(0, count), self.uniform(count, dtype)

    @abstractmethod
    def normal(self, count: int, dtype: torch.dtype) -> Tensor:
        """Standard normal numbers ``[..., m, count]``."""

    @abstractmethod
    def integers(self, high: int, count: int) -> Tensor:
        """Integers in [0, high), int64; bias below high / 2^32."""

    def samples(self, size: int, count: int) -> Tensor:
        """Places (int64) of ``count`` samples, drawn with replacement from the ``size`` that each
        worker has, in one list of all workers' samples."""
        return self.workers[..., None] * size + self.integers(size, count)


@final
@dataclass(frozen=True)
class WorkerIds:
    """Replica ids ``[...]`` and worker ids ``[m]`` or ``[..., m]`` of a set of rows, joined once.

    Draws for one purpose after another share them.

    Attributes:
        replicas: replica ids ``[...]``.
    """

    replicas: Tensor
    ids: Tensor

    @cached_property
    def workers(self) -> Tensor:
        """Worker ids ``[..., m]``."""
        return self.ids.expand(*self.replicas.shape, self.ids.shape[-1])

    @cached_property
    def pairs(self) -> tuple[Tensor, Tensor]:
        """Replica and worker of every row in one line."""
        replicas = self.replicas[..., None].expand(self.workers.shape)
        return replicas.reshape(-1), self.workers.reshape(-1)


@final
class PhiloxDraws(Draws):
    """Draws from Philox4x32-10, counter = (block, worker, replica, 0)."""

    def __init__(self, key: Key, rows: WorkerIds) -> None:
        self._key = key
        self._rows = rows

    @property
    def workers(self) -> Tensor:  # type: ignore[override]
        return self._rows.workers

    @property
    def counters(self) -> philox.Counters:
        """Counters from which the numbers are drawn, for kernels that draw them as they go.

        Raises:
            NumbersAsked: the key has none.
        """
        if not self._key.numbers:
            raise NumbersAsked
        return philox.Counters(*self._key.words, *self._rows.pairs)

    def fold(self, *words: int | str) -> PhiloxDraws:
        return PhiloxDraws(self._key.fold(*words), self._rows)

    def uniform(self, count: int, dtype: torch.dtype) -> Tensor:
        fill = philox.uniform_torch if self._by_torch else philox.uniform_numba
        return self._shaped(fill(*self.counters, count, dtype))

    def uniform_parts(self, count: int, dtype: torch.dtype) -> Iterator[tuple[slice, Tensor]]:
        fill = philox.uniform_torch if self._by_torch else philox.uniform_numba
        for start in range(0, count, _PART):
            here = slice(start, min(start + _PART, count))
            size = here.stop - here.start
            yield here, self._shaped(fill(*self.counters, size, dtype, start))

    def normal(self, count: int, dtype: torch.dtype) -> Tensor:
        fill = philox.normal_torch if self._by_torch else philox.normal_numba
        return self._shaped(fill(*self.counters, count, dtype))

    def integers(self, high: int, count: int) -> Tensor:
        fill = philox.integers_torch if self._by_torch else philox.integers_numba
        return self._shaped(fill(*self.counters, count, high))

    def samples(self, size: int, count: int) -> Tensor:
        fill = philox.integers_torch if self._by_torch else philox.integers_numba
        return self._shaped(fill(*self.counters, count, size, size))

    @property
    def _by_torch(self) -> bool:
        return by_torch(self._rows.ids)

    def _shaped(self, flat: Tensor) -> Tensor:
        return flat.view(*self.workers.shape, flat.shape[-1])


@final
class SideBySide(Draws):
    """Draws of the same rows for several purposes, ``word`` with each of ``numbers``:
    ``[..., m, B, count]``, where each of the B draws what ``draws.fold(word, number)`` does.

    Rows ``[..., m, B, k]`` can be treated in one call with the numbers of B calls.
    """

    def __init__(self, draws: Draws, word: str, numbers: Sequence[int]) -> None:
        self._draws, self._word, self._numbers = draws, word, numbers

    @cached_property
    def _parts(self) -> list[Draws]:
        return [self._draws.fold(self._word, number) for number in self._numbers]

    @cached_property
    def workers(self) -> Tensor:  # type: ignore[override]
        own = self._draws.workers[..., None]
        return own.expand(*own.shape[:-1], len(self._numbers))

    def fold(self, *words: int | str) -> SideBySide:
        folded = SideBySide(self._draws, self._word, self._numbers)
        folded._parts = [part.fold(*words) for part in self._parts]
        return folded

    def uniform(self, count: int, dtype: torch.dtype) -> Tensor:
        counters = [part.counters for part in self._parts if isinstance(part, PhiloxDraws)]
        if len(counters) < len(self._parts) or by_torch(self.workers):
            return torch.stack([part.uniform(count, dtype) for part in self._parts], -2)
        return drawn.uniform_side_by_side(counters, count, dtype).view(*self.workers.shape, count)

    def normal(self, count: int, dtype: torch.dtype) -> Tensor:
        return torch.stack([part.normal(count, dtype) for part in self._parts], -2)

    def integers(self, high: int, count: int) -> Tensor:
        return torch.stack([part.integers(high, count) for part in self._parts], -2)


def below(draws: Draws, p: Callable[[slice], Tensor | float], count: int) -> Tensor:
    """Mask ``[..., m, count]``: which uniforms of double precision lie below ``p`` of their slice.

    Neither the numbers nor what they are held against are ever held for a whole row.
    """
    mask = torch.empty((*draws.workers.shape, count), dtype=torch.bool, device=draws.workers.device)
    for here, u in draws.uniform_parts(count, torch.float64):
        mask[..., here] = u < p(here)
    return mask


def below_one(draws: Draws, p: float, count: int) -> Tensor:
    """:func:`below` for one p in [0, 1] everywhere; kernels write the mask alone."""
    if not isinstance(draws, PhiloxDraws):
        return below(draws, lambda _: p, count)
    return mask_to_indices.drawn(draws.counters, p, count).view(*draws.workers.shape, count)


def drawn_lots(draws: Draws, d: int, k: int) -> Tensor:
    """Places ``[..., m, k]`` (int64) of the k largest of ``draws.uniform(d, torch.float64)``,
    ascending, ties to the lowest; kernels never hold the numbers."""
    if not isinstance(draws, PhiloxDraws):
        return selection.largest(draws.uniform(d, torch.float64), k)
    return top_of_uniforms.lots(draws.counters, d, k).view(*draws.workers.shape, k)


def uniforms(draws: Draws, x: Tensor) -> Tensor | philox.Counters:
    """One uniform for each coordinate of rows x ``[..., m, d]``, in the dtype of x.

    Philox draws for just these rows give their counters; kernels draw the same numbers from them.
    """
    if isinstance(draws, PhiloxDraws) and draws.workers.shape == x.shape[:-1]:
        return draws.counters
    return draws.uniform(x.shape[-1], x.dtype)


@final
@dataclass(frozen=True)
class Key:
    """Two 32-bit words of a Philox key; immutable.

    Attributes:
        words: the two words.
        numbers: whether its draws have numbers; else asking for one raises :class:`NumbersAsked`.
    """

    words: tuple[int, int]
    numbers: bool = True

    def without_numbers(self) -> Key:
        """The same key, to find out whether anybody asks it for a random number."""
        return Key(self.words, numbers=False)

    @staticmethod
    def seed(seed: int) -> Key:
        """The root key of a seed, any Python int."""
        return Key((0, 0)).fold("seed", seed)

    def fold(self, *words: int | str) -> Key:
        """A key for a narrower purpose: blake2b of this key and the words, stable over runs."""
        text = repr((self.words, words)).encode()
        both = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")
        return Key((both & 0xFFFFFFFF, both >> 32), self.numbers)

    def draws(self, replicas: Tensor, workers: Tensor) -> Draws:
        """Draws for replica ids ``[...]`` and worker ids ``[m]`` or ``[..., m]`` (int64)."""
        return self.draws_of(WorkerIds(replicas, workers))

    def draws_of(self, rows: WorkerIds) -> Draws:
        """Draws for rows that ask again and again."""
        return PhiloxDraws(self, rows)
