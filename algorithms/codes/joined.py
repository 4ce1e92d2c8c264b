"""Joined: several codes one after the other, as the blocks of a layered message are written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Symbols
from algorithms.codes.lists import Lists
from algorithms.codes.packed import Packed, symbols_in

_LENGTH = Field("length", 1, 32)
_HEAD = Packed((_LENGTH,))


@final
@dataclass(frozen=True)
class Joined(Code):
    """Part b holds the next ``counts[b]`` fields.

    A part of fixed length takes its whole bytes. A part whose length varies comes after 32 bits
    that say how long it is: the receiver could not find the next one otherwise.

    Attributes:
        parts: the codes of the parts, in the order in which they are sent.
    """

    parts: tuple[Code, ...]
    counts: tuple[int, ...]

    @cached_property
    def fixed_bits(self) -> int | None:
        widths = [part.fixed_bits for part in self.parts]
        if any(width is None for width in widths):
            return None
        return sum(8 * -(-width // 8) for width in widths if width is not None)

    def lengths(self, symbols: Symbols) -> Tensor:
        total = torch.zeros(symbols[0].shape[:-1], dtype=torch.int64, device=symbols[0].device)
        for part, own in zip(self.parts, self._split(symbols), strict=True):
            head = 32 if part.fixed_bits is None else 0
            total = total + head + 8 * -(-part.lengths(own) // 8)
        return total

    def pack(self, symbols: Symbols) -> Tensor:
        if symbols[0].shape[:-1].numel() == 1:
            return self._one_row(symbols)
        pieces: list[tuple[Tensor, Tensor]] = []
        for part, own in zip(self.parts, self._split(symbols), strict=True):
            lengths = part.lengths(own)
            if part.fixed_bits is None:
                head = _HEAD.pack((lengths[..., None],))
                pieces.append((head, torch.full_like(lengths, 4)))
            pieces.append((part.pack(own), -(-lengths // 8)))
        return _concatenated(pieces)

    def _one_row(self, symbols: Symbols) -> Tensor:
        """The bytes of one row; of its parts one is held beside them."""
        size = -(-int(self.lengths(symbols)) // 8)
        like = symbols[0]
        out = torch.zeros((*like.shape[:-1], size), dtype=torch.uint8, device=like.device)
        start = 0
        for part, own in zip(self.parts, self._split(symbols), strict=True):
            lengths = part.lengths(own)
            if part.fixed_bits is None:
                out[..., start : start + 4] = _HEAD.pack((lengths[..., None],))
                start += 4
            stop = start - (-int(lengths) // 8)
            if isinstance(part, Lists) and out.is_cpu:
                part.pack_onto(own, out.view(1, -1)[:, start:stop])
            else:
                out[..., start:stop] = part.pack(own)[..., : stop - start]
            start = stop
        return out

    def unpack(self, packed: Tensor, lengths: Tensor | None = None) -> Symbols:
        start = torch.zeros(packed.shape[:-1], dtype=torch.int64, device=packed.device)
        symbols: list[Tensor] = []
        for part in self.parts:
            fixed, sizes = part.fixed_bits, None
            if fixed is None:
                (head,) = _HEAD.unpack(_cut(packed, start, 4))
                sizes, start = head[..., 0], start + 4
                width = int(sizes.max()) + 7 >> 3 if sizes.numel() else 0
                step = -(-sizes // 8)
            else:
                width = -(-fixed // 8)
                step = torch.full_like(start, width)
            symbols.extend(part.unpack(_cut(packed, start, width), sizes))
            start = start + step
        return tuple(symbols)

    def spans(self, packed: Tensor, start: int) -> Iterator[slice]:
        """The bits of each part of one row, which starts at bit ``start`` of bytes ``[B]``."""
        for part in self.parts:
            size = part.fixed_bits
            if size is None:
                size, start = int(symbols_in(packed, _LENGTH, start, slice(0, 1))), start + 32
            yield slice(start, start + size)
            start += 8 * -(-size // 8)

    def _split(self, symbols: Symbols) -> list[Symbols]:
        groups, start = [], 0
        for count in self.counts:
            groups.append(symbols[start : start + count])
            start += count
        return groups


def _cut(packed: Tensor, start: Tensor, width: int) -> Tensor:
    """``width`` bytes of each row from its own ``start`` on; zeros beyond the end."""
    if start.numel() == 1:  # no places: they hold eight bytes for one
        part = packed[..., int(start) : int(start) + width]
        return torch.nn.functional.pad(part, (0, width - part.shape[-1]))
    where = start[..., None] + torch.arange(width, device=packed.device)
    inside = where < packed.shape[-1]
    padded = packed if packed.shape[-1] else packed.new_zeros((*packed.shape[:-1], 1))
    cut = padded.gather(-1, where.clamp_max(max(0, packed.shape[-1] - 1)))
    return torch.where(inside, cut, torch.zeros_like(cut))


def _concatenated(pieces: list[tuple[Tensor, Tensor]]) -> Tensor:
    """Rows ``[..., B]`` of pieces (bytes ``[..., b]``, how many count ``[...]``)."""
    total = torch.stack([sizes for _, sizes in pieces]).sum(0)
    width = int(total.max()) if total.numel() else 0
    out = pieces[0][0].new_zeros((*total.shape, width + 1))  # one spare byte for what is dropped
    start = torch.zeros_like(total)
    for packed, sizes in pieces:
        place = torch.arange(packed.shape[-1], device=packed.device)
        meant = place < sizes[..., None]
        where = torch.where(meant, start[..., None] + place, width)
        out.scatter_(-1, where, torch.where(meant, packed, 0))
        start = start + sizes
    return out[..., :width].contiguous()
