"""Packed: every field at its width, without gaps; only the end of a row is padded to a byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Layout, Symbols, layout_bits
from algorithms.core.row_slices import row_slices
from algorithms.kernels import packing

_PATTERN = {torch.float32: torch.int32, torch.float64: torch.int64}


def packed_bytes(layout: Layout) -> int:
    """Bytes of one row's message: its bits, rounded up to 8."""
    return -(-layout_bits(layout) // 8)


@final
@dataclass(frozen=True)
class Packed(Code):
    """Fields in layout order, symbols in order, bits most significant first.

    Floats go as their IEEE bits, so every value comes back bit for bit, NaN included. Widths run
    from 0 (a field whose only symbol is 0) to 64 (any int64, two's complement).
    """

    layout: Layout

    @cached_property
    def fixed_bits(self) -> int:
        return layout_bits(self.layout)

    def lengths(self, symbols: Symbols) -> Tensor:
        shape = _leading(self.layout, symbols)
        return torch.full(shape, self.fixed_bits, dtype=torch.int64, device=symbols[0].device)

    def pack(self, symbols: Symbols) -> Tensor:
        layout = self.layout
        shape = _leading(layout, symbols)
        out = torch.zeros(
            (shape.numel(), packed_bytes(layout)), dtype=torch.uint8, device=symbols[0].device
        )
        start = 0
        for field, tensor in zip(layout, symbols, strict=True):
            words = _words(field, tensor).reshape(shape.numel(), field.count)
            if field.bits:
                packing.put(words, field.width, start, out)
            start += field.bits
        return out.reshape(*shape, out.shape[-1])

    def unpack(self, packed: Tensor, lengths: Tensor | None = None) -> Symbols:
        size = packed_bytes(self.layout)
        if packed.dtype != torch.uint8 or packed.shape[-1] != size:
            raise ValueError(
                f"packed must be uint8 [..., m, {size}] for this layout, "
                f"got {packed.dtype} {tuple(packed.shape)}"
            )
        flat = packed.reshape(packed.shape[:-1].numel(), size).contiguous()
        symbols = []
        start = 0
        for field in self.layout:
            floats = field.dtype.is_floating_point
            kind = _PATTERN[field.dtype] if floats else field.dtype
            words = packing.get(flat, field.width, start, field.count, kind)
            shaped = words.reshape(*packed.shape[:-1], field.count)
            symbols.append(shaped.view(field.dtype) if floats else shaped)
            start += field.bits
        return tuple(symbols)


def symbols_in(packed: Tensor, field: Field, start: int, here: slice) -> Tensor:
    """Symbols ``here`` ``[P, count]`` of a field that starts at bit ``start`` of bytes ``[P, B]``,
    or of one row's ``[B]``."""
    first, last = (start + field.width * end for end in (here.start, here.stop))
    flat = packed.reshape(-1, packed.shape[-1])[:, first // 8 : -(-last // 8)].contiguous()
    floats = field.dtype.is_floating_point
    kind = _PATTERN[field.dtype] if floats else field.dtype
    words = packing.get(flat, field.width, first % 8, here.stop - here.start, kind)
    return words.view(field.dtype) if floats else words


def float_slices(packed: Tensor, d: int, dtype: torch.dtype) -> Iterator[tuple[slice, Tensor]]:
    """Slices of rows of d numbers of ``dtype`` that are written one number after another."""
    size = torch.finfo(dtype).bits // 8
    for here in row_slices(d):
        code = Packed((Field.floats("row", here.stop - here.start, dtype),))
        (part,) = code.unpack(packed[..., size * here.start : size * here.stop])
        yield here, part


def _leading(layout: Layout, symbols: Symbols) -> torch.Size:
    """The shape ``[..., m]`` that all symbols share."""
    if not layout or len(layout) != len(symbols):
        raise ValueError(
            f"symbols must hold one tensor per field, got {len(symbols)} for "
            f"{len(layout)} fields; a layout has at least one field"
        )
    shape = symbols[0].shape[:-1]
    for field, tensor in zip(layout, symbols, strict=True):
        if tensor.shape != (*shape, field.count):
            raise ValueError(
                f"field {field.name} needs symbols {(*shape, field.count)}, "
                f"got {tuple(tensor.shape)}"
            )
    return shape


def _words(field: Field, tensor: Tensor) -> Tensor:
    """Bit patterns of a field's symbols as integers."""
    if not 0 <= field.width <= 64:
        raise ValueError(f"width of field {field.name} must lie in [0, 64], got {field.width}")
    if field.dtype.is_floating_point:
        if tensor.dtype != field.dtype:
            raise ValueError(f"field {field.name} needs {field.dtype}, got {tensor.dtype}")
        return tensor.detach().contiguous().view(_PATTERN[field.dtype])
    if tensor.dtype.is_floating_point:
        raise ValueError(f"field {field.name} needs integers, got {tensor.dtype}")
    if field.width < 64 and tensor.numel():
        low, high = (int(end) for end in torch.aminmax(tensor))
        if low < 0 or high >> field.width:
            raise ValueError(
                f"field {field.name} holds symbols in [0, 2^{field.width}), "
                f"got {low if low < 0 else high}; a wider field would do"
            )
    return tensor.contiguous()
