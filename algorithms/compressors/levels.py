"""Uniform levels below a scale of the row: the grid {0, 1/s, ..., 1} times +-scale(x)."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import ClassVar

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.codes.packed import symbols_in
from algorithms.compressors.base import Property
from algorithms.compressors.grid import GridCompressor
from algorithms.compressors.requirements import adds_up, require_finite, require_rows
from algorithms.core.key import Draws, uniforms
from algorithms.core.row_slices import row_slices
from algorithms.kernels import rounding


class LevelCompressor(GridCompressor):
    r"""C(x)_j = scale(x) sign(x_j) l_j / s, l_j one of the neighbours of s |x_j| / scale(x).

    Message: the scale as a float, then a sign and a level of $\lceil\log_2(s+1)\rceil$ bits a
    coordinate. Finite for every finite x whose scale is within the range of its type. The scale may
    be rounded: levels are drawn on the grid of the scale that is sent, so C stays unbiased.
    """

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION}
    )

    s: int

    @abstractmethod
    def scale(self, x: Tensor) -> Tensor:
        """Scale ``[..., m, 1]`` of rows ``[..., m, d]``, at least max |x_j|."""

    @abstractmethod
    def exact_scale(self, x: Sequence[Fraction]) -> Fraction:
        """The scale in exact arithmetic.

        Raises:
            IrrationalScale: it is not rational.
        """

    @property
    def width(self) -> int:
        """Bits of a level: ceil(log2(s + 1))."""
        return self.s.bit_length()

    def cells(self, x: Tensor) -> tuple[Tensor, Tensor]:
        scale = self.scale(x)
        place = torch.where(scale > 0, x.abs() / scale * self.s, 0)
        inner = place.floor()
        outer = place.ceil()
        signed = torch.where(x < 0, -scale, scale)
        return inner / self.s * signed, outer / self.s * signed

    def exact_cells(self, x: Sequence[Fraction]) -> tuple[tuple[Fraction, Fraction], ...]:
        scale = self.exact_scale(x)
        if scale == 0:
            return tuple((Fraction(0), Fraction(0)) for _ in x)
        places = [(abs(t) / scale * self.s, -scale if t < 0 else scale) for t in x]
        return tuple(
            (math.floor(place) * signed / self.s, math.ceil(place) * signed / self.s)
            for place, signed in places
        )

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        width = 1 + self.width
        levels = Field("levels", d, width, rounding.code_dtype(width))
        return (Field.floats("scale", 1, dtype), levels)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        scale = self.scale(x)
        if not adds_up(scale):
            require_finite(scale, x, self.name)
        return scale, rounding.levels(x, scale, self.s, uniforms(draws, x), self.width)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        scale, codes = symbols
        return rounding.values(codes, scale, self.s, self.width, dtype)

    def sent_rows(
        self, packed: Tensor, lengths: Tensor | None, d: int, dtype: torch.dtype
    ) -> Iterator[tuple[slice, Tensor]]:
        top, levels = self.layout(d, dtype)
        flat, shape = packed.reshape(-1, packed.shape[-1]), packed.shape[:-1]
        scale = symbols_in(flat, top, 0, slice(0, 1)).reshape(*shape, 1)
        for here in row_slices(d):
            codes = symbols_in(flat, levels, top.bits, here).reshape(*shape, -1)
            yield here, rounding.values(codes, scale, self.s, self.width, dtype)
