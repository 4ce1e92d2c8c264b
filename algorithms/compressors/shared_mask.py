"""Shared mask: all workers of a replica send the same random coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.compressors.masked import MaskCompressor
from algorithms.compressors.random_mask import RandomMask
from algorithms.core.key import Draws, Key
from algorithms.kernels.mask_to_indices import drawn_limit
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.shared_mask_rows import shared_mask
from theory.claims import Claim


@final
@dataclass(frozen=True, eq=False)
class SharedMask(MaskCompressor):
    r"""$C(x) = m \circ x$ with one Bernoulli(q) mask m for all workers of a replica, drawn from
    ``key`` for ``replicas`` ``[...]`` and worker 0.

    Linear over workers: C(x) - C(y) = C(x - y), which masks of the workers' own are not. The seed
    is known to all, so messages hold values alone, no indices: q d of them on average. (Tang, Shi,
    Chu 2020, arXiv:2002.09692, Section III-B.)

    Raises:
        ValueError: q outside (0, 1].
    """

    q: float
    key: Key
    replicas: Tensor

    def __post_init__(self) -> None:
        self.alone()

    @property
    def name(self) -> str:
        return f"shared mask(q={self.q:g})"

    def alone(self) -> RandomMask:
        """Compressor of one worker's messages alone."""
        return RandomMask(self.q)

    @property
    def indices_sent(self) -> bool:
        return False

    @property
    def factor(self) -> float:
        return 1.0

    def claims(self, d: int) -> tuple[Claim, ...]:
        return self.alone().claims(d)

    def mask(self, x: Tensor, draws: Draws) -> Tensor:
        return self.coordinates(x.shape[-1]).expand(x.shape)

    def mask_again(self, d: int, draws: Draws) -> Tensor:
        return self.coordinates(d).expand(*draws.workers.shape, d)

    def coordinates(self, d: int) -> Tensor:
        """The mask ``[..., 1, d]`` (bool)."""
        first = torch.zeros(1, dtype=torch.int64, device=self.replicas.device)
        return self.alone().mask_again(d, self.key.draws(self.replicas, first))

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        ints = (drawn_limit(self.q), torch.finfo(dtype).bits)
        return RowPart(shared_mask, numbers(dtype, ints=ints), work=4 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return self.alone().stated_bits(d, float_bits)
