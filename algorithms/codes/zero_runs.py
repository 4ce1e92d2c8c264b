"""ZeroRuns: a head, then bytes below 243 with runs of one value shortened (3LC)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Layout, Symbols, layout_bits
from algorithms.codes.packed import Packed
from algorithms.kernels import zero_runs as kernel
from algorithms.kernels.deferred_checks import now


@final
@dataclass(frozen=True)
class ZeroRuns(Code):
    """``head`` of whole bytes at its widths, then ``count`` bytes, runs of ``zero`` as one byte.

    Symbols: the head's, then the bytes ``[..., m, count]`` (uint8, below 243).
    """

    head: Layout
    count: int
    zero: int

    fixed_bits = None

    @cached_property
    def _front(self) -> Packed:
        return Packed(self.head)

    def _squeezed(self, symbols: Symbols) -> tuple[Tensor, Tensor]:
        return kernel.squeeze(self._rows(symbols).cpu(), self.zero)

    def _rows(self, symbols: Symbols) -> Tensor:
        """The bytes ``[P, count]``.

        Raises:
            ValueError: a byte that stands for a run.
        """
        rows = symbols[-1].reshape(-1, self.count)
        late = now()
        if late is not None and not rows.is_cpu:
            late.suspect(rows >= kernel.FIRST, f"a byte was {kernel.FIRST} or above")
        elif rows.numel() and int(rows.max()) >= kernel.FIRST:
            raise ValueError(f"bytes must lie below {kernel.FIRST}, got {int(rows.max())}")
        return rows

    def lengths(self, symbols: Symbols) -> Tensor:
        total = layout_bits(self.head) + 8 * kernel.sizes(self._rows(symbols), self.zero)
        return total.reshape(symbols[-1].shape[:-1])

    def pack(self, symbols: Symbols) -> Tensor:
        shape = symbols[-1].shape[:-1]
        rows, sizes = self._squeezed(symbols)
        front = self._front.pack(tuple(part.cpu() for part in symbols[:-1]))
        joined = torch.cat((front.reshape(len(rows), -1), rows), -1)
        width = front.shape[-1] + (int(sizes.max()) if len(rows) else 0)
        return joined[:, :width].reshape(*shape, width).to(symbols[-1].device)

    def unpack(self, packed: Tensor, lengths: Tensor | None = None) -> Symbols:
        if lengths is None:
            raise ValueError("messages of this code vary in length: lengths [..., m] are needed")
        shape, device = packed.shape[:-1], packed.device
        flat, ends = packed.reshape(shape.numel(), -1).cpu(), lengths.reshape(-1).cpu()
        size = layout_bits(self.head) // 8
        padded = torch.nn.functional.pad(flat, (0, max(0, size - flat.shape[-1])))
        head = self._front.unpack(padded[:, :size].contiguous())
        sizes = (ends // 8 - size).clamp_min(0)
        rows = kernel.spread(padded[:, size:], sizes, self.zero, self.count)
        return tuple(part.reshape(*shape, -1).to(device) for part in (*head, rows))
