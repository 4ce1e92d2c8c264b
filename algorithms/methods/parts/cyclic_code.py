"""Cyclic code: every worker sends one combination of its shards, any n - s of them give the sum."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
import torch
from torch import Tensor

from algorithms.problems.base import require_int
from theory.arrays import Floats

_DRAWS = 32  # codes tried; the one with the smallest largest entry is kept


@final
@dataclass(frozen=True)
class CyclicCode:
    r"""B ``[n, n]``: row i has shards i, ..., i+s mod n; any n - s rows span the row of ones.

    Rows of B lie in the null space of a matrix H ``[s, n]`` whose rows sum to 0 and any s columns
    of which are independent; that space has n - s dimensions and holds the ones. (Tandon, Lei,
    Dimakis, Karampatziakis 2017, ICML, arXiv:1612.03301, Algorithm 2. They draw one H; here the
    best conditioned of 32 drawn from a fixed seed is kept.)

    Attributes:
        spare: s, number of workers that may be missing.

    Raises:
        ValueError: n < 1 or spare outside [0, n - 1].
    """

    n: int
    spare: int

    def __post_init__(self) -> None:
        require_int("n", self.n, 1)
        require_int("spare", self.spare, 0, self.n - 1)

    @property
    def matrix(self) -> Floats:
        """B: row i encodes what worker i sends."""
        return chosen(self)

    def draw(self) -> Floats:
        """The best of the matrices drawn."""
        rng = np.random.default_rng(0)
        drawn = [self._from(rng.normal(size=(self.spare, self.n))) for _ in range(_DRAWS)]
        return min(drawn, key=lambda b: float(np.abs(b).max()))

    def _from(self, h: Floats) -> Floats:
        n, s = self.n, self.spare
        h[:, -1] = -h[:, :-1].sum(1)
        b = np.eye(n)
        for i in range(n):
            others = (i + 1 + np.arange(s)) % n
            system, right = torch.from_numpy(h[:, others]), torch.from_numpy(h[:, i, None])
            b[i, others] = -solved(system, right)[:, 0].numpy()
        return b

    def shares(self, workers: Tensor, shift: int, like: Tensor) -> Tensor:
        """Weight ``[..., k, 1]`` of shard i + ``shift`` mod n in the message of ``workers``."""
        i = torch.arange(self.n)
        entries = torch.from_numpy(self.matrix)[i, (i + shift) % self.n]
        return entries.to(like)[workers][..., None]

    def decoding(self, arrived: Tensor, like: Tensor) -> Tensor:
        r"""a ``[..., n - s, 1]`` with \sum_i a_i B_i = 1 for those ``arrived`` ``[..., n - s]``.

        Raises:
            ValueError: fewer than n - s workers arrived.
        """
        k = self.n - self.spare
        if arrived.shape[-1] < k or bool((arrived >= self.n).any()):
            raise ValueError(f"decoding needs arrivals of {k} of {self.n} workers, got fewer")
        rows = torch.from_numpy(self.matrix)[arrived.cpu()].transpose(-1, -2)
        ones = torch.ones((*rows.shape[:-1], 1), dtype=torch.float64)
        return solved(rows, ones).to(like)


@lru_cache(maxsize=16)
def chosen(code: CyclicCode) -> Floats:
    """The code's matrix, kept because it is asked for at every step."""
    return code.draw()


def solved(rows: Tensor, right: Tensor) -> Tensor:
    """a ``[..., k, 1]`` with rows a = right for consistent rows ``[..., n, k]`` of rank k.

    Gauss and Jordan with row pivots, entry by entry: the same bits in every process, which LAPACK
    does not promise.
    """
    m = torch.cat((rows, right), -1)
    for j in range(rows.shape[-1]):
        pivot = j + m[..., j:, j].abs().argmax(-1)
        index = pivot[..., None, None].expand(*pivot.shape, 1, m.shape[-1])
        line = m.gather(-2, index)
        m = m.scatter(-2, index, m[..., j, None, :])
        line = line / line[..., j, None]
        m = m - m[..., :, j, None] * line
        m[..., j, :] = line[..., 0, :]
    return m[..., : rows.shape[-1], -1:]
