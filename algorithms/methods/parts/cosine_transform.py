"""Orthonormal cosine transform of consecutive chunks of a row (Ahmed, Natarajan, Rao 1974)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import torch
from torch import Tensor

from algorithms.kernels import low_rank
from algorithms.kernels.devices import put
from algorithms.problems.base import require_int


@final
@dataclass(frozen=True)
class CosineTransform:
    r"""X_k = s_k \sum_n x_n \cos(\pi (2 n + 1) k / (2 c)) on chunks of c numbers, s_0 = \sqrt{1/c},
    s_k = \sqrt{2/c}: the DCT-II, orthonormal; the last chunk of a row may be shorter.

    Chunks whose length has an odd factor have basis vectors with entries 0. Those are exactly 0
    here, and entries of equal magnitude are the same number: angles are reduced as integers. So
    what is 0 by symmetry is 0, and no rounding decides its sign; powers of 2 have no such entry.

    Attributes:
        chunk: c, length of a chunk.

    Raises:
        ValueError: chunk < 1.
    """

    chunk: int

    def __post_init__(self) -> None:
        require_int("chunk", self.chunk, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Coefficients ``[..., m, d]`` of rows x ``[..., m, d]``, chunk by chunk."""
        return self._by_chunk(x, False)

    def inverse(self, coefficients: Tensor) -> Tensor:
        """Rows ``[..., m, d]`` with these coefficients."""
        return self._by_chunk(coefficients, True)

    def matrix(self, size: int) -> Tensor:
        """Basis vectors of a chunk of ``size`` numbers as rows ``[size, size]``, float64."""
        return _basis(size)

    def _by_chunk(self, x: Tensor, back: bool) -> Tensor:
        whole = x.shape[-1] - x.shape[-1] % self.chunk
        parts = []
        for part, size in ((x[..., :whole], self.chunk), (x[..., whole:], x.shape[-1] - whole)):
            if part.shape[-1]:
                basis = put(self.matrix(size).to(x.dtype), x.device)
                basis = basis if back else basis.T
                cut = torch.unflatten(part, -1, (-1, size))
                parts.append(low_rank.times(cut, basis[None]).reshape(part.shape))
        return torch.cat(parts, -1)


@lru_cache(maxsize=64)
def _basis(size: int) -> Tensor:
    quarter = [math.cos(math.pi * j / (2 * size)) for j in range(size)] + [0.0]
    rows = [
        [_cosine((2 * n + 1) * k % (4 * size), size, quarter) for n in range(size)]
        for k in range(size)
    ]
    scales = [math.sqrt((1 if k == 0 else 2) / size) for k in range(size)]
    return (
        torch.tensor(rows, dtype=torch.float64) * torch.tensor(scales, dtype=torch.float64)[:, None]
    )


def _cosine(turned: int, size: int, quarter: list[float]) -> float:
    """cos(pi turned / (2 size)) by the values in the first quarter, ``turned`` below 4 size."""
    turned = min(turned, 4 * size - turned)
    return quarter[turned] if turned <= size else -quarter[2 * size - turned]
