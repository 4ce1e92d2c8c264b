"""Entropy: small integers in an arithmetic or Huffman code, their histogram before them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Layout, Symbols, layout_bits
from algorithms.codes.packed import Packed
from algorithms.kernels import entropy as kernel


@final
@dataclass(frozen=True)
class EntropyCode(Code):
    """``head`` at its widths; the row's histogram over [0, k), its last count implied; the symbols.

    ``count`` symbols take at most n H + 2 bits (and 1.5 n^2 / 2^30 of rounding) by arithmetic
    coding, less than n (H + 1) by Huffman's code, H the entropy of the histogram; the histogram
    takes (k - 1) times the bits of ``count``.
    """

    head: Layout
    count: int
    k: int
    arithmetic: bool = True

    fixed_bits = None

    @cached_property
    def _before(self) -> Packed:
        """The code of what precedes the entropy-coded digits: the head and the histogram."""
        return Packed((*self.head, Field("histogram", self.k - 1, self.count.bit_length())))

    def _cut(self, symbols: Symbols) -> tuple[Tensor, Tensor, Symbols]:
        """Rows, their histograms, and the symbols of the front part."""
        rows = symbols[-1].to(torch.int64).reshape(-1, self.count).cpu()
        if rows.numel() and (int(rows.min()) < 0 or int(rows.max()) >= self.k):
            bad = int(rows[(rows < 0) | (rows >= self.k)][0])
            raise ValueError(f"symbols must lie in [0, {self.k}), got {bad}")
        counts = kernel.histogram(rows, self.k)
        shape = symbols[-1].shape[:-1]
        front = (*(part.cpu() for part in symbols[:-1]), counts[:, :-1].reshape(*shape, -1))
        return rows, counts, front

    def lengths(self, symbols: Symbols) -> Tensor:
        rows, counts, _ = self._cut(symbols)
        start = torch.full((len(rows),), layout_bits(self._before.layout))
        ends = kernel.ends(rows, counts, start, self.arithmetic)
        return ends.reshape(symbols[-1].shape[:-1]).to(symbols[-1].device)

    def pack(self, symbols: Symbols) -> Tensor:
        shape = symbols[-1].shape[:-1]
        rows, counts, front = self._cut(symbols)
        fixed = self._before.pack(front).reshape(len(rows), -1)
        start = torch.full((len(rows),), layout_bits(self._before.layout))
        ends = kernel.ends(rows, counts, start, self.arithmetic)
        width = max(fixed.shape[-1], -(-int(ends.max()) // 8)) if len(rows) else 0
        out = torch.zeros((len(rows), width), dtype=torch.uint8)
        out[:, : fixed.shape[-1]] = fixed
        kernel.write(rows, counts, out, start, self.arithmetic)
        return out.reshape(*shape, width).to(symbols[-1].device)

    def unpack(self, packed: Tensor, lengths: Tensor | None = None) -> Symbols:
        if lengths is None:
            raise ValueError("messages of this code vary in length: lengths [..., m] are needed")
        shape, device = packed.shape[:-1], packed.device
        flat, end = packed.reshape(shape.numel(), -1).cpu(), lengths.reshape(-1).cpu()
        size = -(-layout_bits(self._before.layout) // 8)
        front = torch.nn.functional.pad(flat, (0, max(0, size - flat.shape[-1])))[:, :size]
        *head, known = self._before.unpack(front.contiguous())
        last = self.count - known.sum(-1, keepdim=True)
        counts = torch.where(end[:, None] > 0, torch.cat((known, last), -1), 0)
        start = torch.full_like(end, layout_bits(self._before.layout))
        rows = kernel.read(flat, start, end, counts, self.count, self.arithmetic)
        return tuple(part.reshape(*shape, -1).to(device) for part in (*head, rows))
