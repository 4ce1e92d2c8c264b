"""Buckets of tensors: any operator on groups of a model's tensors, as DDP's buckets are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.base import Compressor, ListedRows, Shapes, StatedLength
from algorithms.compressors.parted import Parted
from algorithms.compressors.parts_kernel import parts_kernel
from algorithms.compressors.rand_k import RandK
from algorithms.core.key import Draws
from algorithms.kernels.devices import put
from algorithms.kernels.row_parts import RowPart
from theory.claims import Claim, NoConstant

Groups = tuple[tuple[int, ...], ...]


@final
@dataclass(frozen=True)
class TensorBuckets(Parted):
    """``inner`` on each group of tensors, joined in the group's order.

    DistributedDataParallel fills its buckets in the order in which gradients become ready, about
    the reverse of the model's, and hands over each when it is full. (PyTorch Distributed: Li et al.
    2020, arXiv:2006.15704, Section 3.2.3.) Without ``shapes`` the row is one tensor, without
    ``groups`` all tensors are one group.

    Attributes:
        shapes: of the model's tensors, flat one after another in the row.
        groups: places of tensors, each in one group.

    Raises:
        ValueError: the groups do not hold each tensor once, or the shapes do not add up to d.
    """

    inner: Compressor
    shapes: Shapes = ()
    groups: Groups = ()

    def __post_init__(self) -> None:
        places = sorted(place for group in self.groups for place in group)
        if self.groups and places != list(range(max(1, len(self.shapes)))):
            raise ValueError(
                f"groups must hold each of {max(1, len(self.shapes))} tensors once, got "
                f"{self.groups}"
            )

    @property
    def name(self) -> str:
        return f"{self.inner.name} in buckets of tensors"

    def for_shapes(self, shapes: Shapes) -> Compressor:
        return replace(self, shapes=shapes)

    def sizes(self, d: int) -> tuple[int, ...]:
        tensors = self._tensors(d)
        return tuple(sum(math.prod(tensors[p]) for p in group) for group in self._grouped)

    def operators(self, d: int) -> tuple[Compressor, ...]:
        tensors = self._tensors(d)
        return tuple(
            self.inner.for_shapes(tuple(tensors[p] for p in group)) for group in self._grouped
        )

    def claims(self, d: int) -> tuple[Claim, ...]:
        """Those of the parts; witnesses in the order of the row."""
        claims = super().claims(d)
        back = self._order(d).argsort().tolist()
        return tuple(
            replace(
                claim,
                biased_at=tuple(claim.biased_at[j] for j in back),
                expands_at=tuple(claim.expands_at[j] for j in back),
            )
            if isinstance(claim, NoConstant)
            else claim
            for claim in claims
        )

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return super().encode(self._grouped_row(x), draws)

    def encode_guided(self, x: Tensor, guide: Tensor, draws: Draws) -> Symbols:
        return super().encode_guided(self._grouped_row(x), self._grouped_row(guide), draws)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        rows = super().decode(symbols, d, dtype, draws)
        return rows[..., put(self._order(d).argsort(), rows.device)]

    def listed(
        self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws
    ) -> ListedRows | None:
        listed = super().listed(symbols, d, dtype, draws)
        if listed is None:
            return None
        order = put(self._order(d), listed.positions.device)
        return replace(listed, positions=order[listed.positions])

    def pieces(
        self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws
    ) -> Iterator[ListedRows] | None:
        return self._ungrouped(super().pieces(symbols, d, dtype, draws), d)

    def lists_in(
        self, packed: Tensor, bits: slice, d: int, dtype: torch.dtype, draws: Draws
    ) -> Iterator[ListedRows] | None:
        return self._ungrouped(super().lists_in(packed, bits, d, dtype, draws), d)

    def _ungrouped(
        self, pieces: Iterator[ListedRows] | None, d: int
    ) -> Iterator[ListedRows] | None:
        """Pieces in the order of the row."""
        if pieces is None:
            return None
        order = self._order(d)
        return (replace(p, positions=put(order, p.positions.device)[p.positions]) for p in pieces)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        return parts_kernel(self, d, dtype, self._order(d).tolist())

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        return super().stated_lengths(self._grouped_row(sent), float_bits)

    @property
    def _grouped(self) -> Groups:
        return self.groups or (tuple(range(max(1, len(self.shapes)))),)

    def _tensors(self, d: int) -> Shapes:
        shapes = self.shapes or ((d,),)
        if sum(math.prod(shape) for shape in shapes) != d:
            raise ValueError(f"shapes must hold d={d} numbers together, got {self.shapes}")
        return shapes

    def _order(self, d: int) -> Tensor:
        """Coordinate of the row at each position in the groups, ``[d]``."""
        ends = list(accumulate(math.prod(shape) for shape in self._tensors(d)))
        starts = [0, *ends]
        places = [p for group in self._grouped for p in group]
        return torch.cat([torch.arange(starts[p], ends[p]) for p in places])

    def _grouped_row(self, x: Tensor) -> Tensor:
        return x[..., put(self._order(x.shape[-1]), x.device)]


EXAMPLES = (TensorBuckets(RandK(0.25)),)
