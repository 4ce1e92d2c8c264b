"""Lists: a head of fixed fields, then records, as many as there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Layout, Symbols, layout_bits
from algorithms.codes.packed import Packed
from algorithms.kernels import lists as kernel

_PATTERN = {torch.float32: torch.int32, torch.float64: torch.int64}


@final
@dataclass(frozen=True)
class Column:
    """One symbol of a record: ``width`` bits, or a code of an integer >= 1.

    Golomb's code with m = 2^width (Golomb 1966; Rice): the quotient of g - 1 in unary, ones ended
    by a zero, then ``width`` bits of remainder. Elias's codes (Elias 1975) need no width: ``gamma``
    takes 2 floor(log2 g) + 1 bits, ``omega`` writes the length of the length, recursively.

    Attributes:
        name: what the symbols are, for error messages.
        dtype: what they are read back as.
        golomb: whether Golomb's code is used.
        elias: which of Elias's codes is used; empty: none.
    """

    name: str
    width: int
    dtype: torch.dtype = torch.int64
    golomb: bool = False
    elias: Literal["", "gamma", "omega"] = ""

    @property
    def kind(self) -> int:
        """As the kernel counts codes."""
        if self.elias:
            return kernel.GAMMA if self.elias == "gamma" else kernel.OMEGA
        return kernel.GOLOMB if self.golomb else kernel.FIXED


@final
@dataclass(frozen=True)
class Records:
    """Up to ``most`` records of these columns; symbols are a count, then ``[..., m, most]`` each.

    Where the list is not the last of its message ``counted`` bits say how many records follow; the
    last one ends with the message.
    """

    columns: tuple[Column, ...]
    most: int
    counted: int = 0


class _List(NamedTuple):
    """One list of P rows as the kernel takes it."""

    counts: Tensor
    columns: Tensor
    widths: Tensor
    kinds: Tensor


@final
@dataclass(frozen=True)
class Lists(Code):
    """``head`` at its fixed widths, then each list; only the end of a row is padded to a byte.

    Symbols: the fields of the head, then for each list its count ``[..., m, 1]`` and its columns,
    of which the first ``count`` slots are meant and the others are zero.

    Attributes:
        lists: the lists that follow the head, each with a count of its own.
    """

    head: Layout
    lists: tuple[Records, ...]

    fixed_bits = None

    def lengths(self, symbols: Symbols) -> Tensor:
        shape = symbols[0].shape[:-1]
        total = torch.full((shape.numel(),), layout_bits(self.head), device=symbols[0].device)
        for records, part in self._parts(symbols):
            total = total + records.counted + kernel.lengths(*part)
        return total.reshape(shape)

    def pack(self, symbols: Symbols) -> Tensor:
        shape, device = symbols[0].shape[:-1], symbols[0].device
        here = tuple(tensor.cpu() for tensor in symbols)
        ends = self.lengths(here).reshape(-1)
        width = -(-int(ends.max()) // 8) if ends.numel() else 0
        out = torch.zeros((shape.numel(), width), dtype=torch.uint8)
        start = torch.full((shape.numel(),), layout_bits(self.head))
        if self.head:
            fixed = Packed(self.head).pack(here[: len(self.head)]).reshape(shape.numel(), -1)
            out[:, : fixed.shape[-1]] = fixed
        for records, part in self._parts(here):
            if records.counted:
                kernel.write(out, start, *_number(part.counts, records.counted))
            kernel.write(out, start, *part)
        return out.reshape(*shape, width).to(device)

    def unpack(self, packed: Tensor, lengths: Tensor | None = None) -> Symbols:
        if lengths is None:
            raise ValueError("messages of this code vary in length: lengths [..., m] are needed")
        shape, device = packed.shape[:-1], packed.device
        flat, end = packed.cpu().reshape(shape.numel(), -1), lengths.cpu().reshape(-1)
        symbols = self._read_head(flat)
        start = torch.full_like(end, layout_bits(self.head))
        for records in self.lists:
            count = torch.where(end > 0, -1, 0)
            if records.counted:
                number = _number(count, records.counted)
                kernel.read(flat, start, end, (end > 0).to(torch.int64), *number[1:])
                count = number[1][:, 0, 0]
            part = _empty(records, count)
            kernel.read(flat, start, end, *part)
            symbols += [part.counts[:, None], *_typed(records, part.columns)]
        return tuple(tensor.reshape(*shape, -1).to(device) for tensor in symbols)

    def _read_head(self, flat: Tensor) -> list[Tensor]:
        if not self.head:
            return []
        size = -(-layout_bits(self.head) // 8)
        padded = torch.nn.functional.pad(flat, (0, max(0, size - flat.shape[-1])))
        return list(Packed(self.head).unpack(padded[:, :size].contiguous()))

    def _parts(self, symbols: Symbols) -> Iterator[tuple[Records, _List]]:
        start = len(self.head)
        for records in self.lists:
            count = symbols[start].reshape(-1)
            own = symbols[start + 1 : start + 1 + len(records.columns)]
            yield records, _checked(records, count, own)
            start += 1 + len(records.columns)


def _empty(records: Records, count: Tensor) -> _List:
    columns = torch.zeros((count.shape[0], len(records.columns), records.most), dtype=torch.int64)
    return _List(count, columns, *_widths(records.columns))


def _widths(columns: tuple[Column, ...]) -> tuple[Tensor, Tensor]:
    widths = torch.tensor([column.width for column in columns], dtype=torch.int64)
    return widths, torch.tensor([column.kind for column in columns], dtype=torch.int64)


def _number(count: Tensor, width: int) -> _List:
    """A list of one record that holds the count."""
    one = torch.ones_like(count)
    columns = count.clamp_min(0)[:, None, None].clone()
    return _List(one, columns, *_widths((Column("count", width),)))


def _checked(records: Records, count: Tensor, symbols: tuple[Tensor, ...]) -> _List:
    """A list as the kernel takes it.

    Raises:
        ValueError: a symbol does not fit its column.
    """
    words = []
    for column, tensor in zip(records.columns, symbols, strict=True):
        flat = tensor.reshape(count.shape[0], -1)
        if column.dtype.is_floating_point:
            words.append(flat.contiguous().view(_PATTERN[column.dtype]).to(torch.int64))
            continue
        wide = flat.to(torch.int64)
        least, most = (1, 2**63 - 1) if column.kind else (0, (1 << column.width) - 1)
        meant = torch.arange(flat.shape[-1], device=flat.device) < count[:, None]
        bad = meant & ((wide < least) | (wide > most))
        if bad.any():
            raise ValueError(
                f"column {column.name} holds symbols in [{least}, {most}], got {int(wide[bad][0])}"
            )
        words.append(wide)
    return _List(count.to(torch.int64).clone(), torch.stack(words, 1).contiguous(),
                 *_widths(records.columns))  # fmt: skip


def _typed(records: Records, columns: Tensor) -> Iterator[Tensor]:
    for column, words in zip(records.columns, columns.unbind(1), strict=True):
        if column.dtype.is_floating_point:
            yield words.to(_PATTERN[column.dtype]).contiguous().view(column.dtype)
        else:
            yield words.to(column.dtype)


def float_column(name: str, dtype: torch.dtype) -> Column:
    """A number as its IEEE bits."""
    return Column(name, torch.finfo(dtype).bits, dtype)
