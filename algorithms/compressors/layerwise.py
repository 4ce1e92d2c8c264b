"""Layer-wise and bucketed compression: any operator, applied to parts of the row by themselves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

import torch

from algorithms.compressors.base import Compressor, Shapes
from algorithms.compressors.parted import Parted
from algorithms.compressors.parts_kernel import parts_kernel
from algorithms.kernels.row_parts import RowPart


@final
@dataclass(frozen=True)
class LayerWise(Parted):
    """``inner`` on every tensor of the model; ``shapes`` come with :meth:`for_shapes`, else one
    block. (As in TernGrad: Wen et al. 2017, arXiv:1705.07878, Section 4.)

    Raises:
        ValueError: the shapes do not add up to d.
    """

    inner: Compressor
    shapes: Shapes = ()

    @property
    def name(self) -> str:
        return f"{self.inner.name} by layer"

    def for_shapes(self, shapes: Shapes) -> Compressor:
        return replace(self, shapes=shapes)

    def sizes(self, d: int) -> tuple[int, ...]:
        if not self.shapes:
            return (d,)
        sizes = tuple(math.prod(shape) for shape in self.shapes)
        if sum(sizes) != d:
            raise ValueError(f"shapes must hold d={d} numbers together, got {self.shapes}")
        return sizes

    def operators(self, d: int) -> tuple[Compressor, ...]:
        shapes = self.shapes or ((d,),)
        return tuple(self.inner.for_shapes((shape,)) for shape in shapes)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        return parts_kernel(self, d, dtype)


@final
@dataclass(frozen=True)
class Buckets(Parted):
    """``inner`` on consecutive buckets of ``size`` numbers, the last one shorter.

    (QSGD: Alistarh et al. 2017, arXiv:1610.02132, Section 4.)

    Raises:
        ValueError: size < 1.
    """

    inner: Compressor
    size: int

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"size must be at least 1, got size={self.size}")

    @property
    def name(self) -> str:
        return f"{self.inner.name} in buckets of {self.size}"

    def sizes(self, d: int) -> tuple[int, ...]:
        whole, rest = divmod(d, self.size)
        return (self.size,) * whole + ((rest,) if rest else ())

    def operators(self, d: int) -> tuple[Compressor, ...]:
        return (self.inner,) * len(self.sizes(d))

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        return parts_kernel(self, d, dtype)

    def kinds(self, d: int) -> Mapping[tuple[Compressor, int], int]:
        """The whole buckets and the rest, however many there are."""
        whole, rest = divmod(d, self.size)
        counts = {(self.inner, self.size): whole, (self.inner, rest): int(rest > 0)}
        return {kind: times for kind, times in counts.items() if times}
