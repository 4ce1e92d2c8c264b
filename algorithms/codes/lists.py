"""Lists: a head of fixed fields, then records, as many as there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Layout, Symbols, layout_bits
from algorithms.codes.packed import Packed
from algorithms.kernels import record_codes as kernel
from algorithms.kernels.deferred_checks import now

_PATTERN = {torch.float32: torch.int32, torch.float64: torch.int64}
_SLOTS = 1 << 14
"""Records of a row that are turned into words together."""


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
        """Code kind in the kernel's numbering."""
        if self.elias:
            return kernel.GAMMA if self.elias == "gamma" else kernel.OMEGA
        return kernel.GOLOMB if self.golomb else kernel.FIXED


@final
@dataclass(frozen=True)
class Records:
    """Up to ``most`` records of these columns; symbols are a count, then ``[..., m, cap]`` each.

    ``cap`` is any number of slots that holds the longest list; read back it is that, or 1.

    Where the list is not the last of its message ``counted`` bits say how many records follow; the
    last one ends with the message.
    """

    columns: tuple[Column, ...]
    most: int
    counted: int = 0


class _List(NamedTuple):
    """Some records of P rows as the kernel takes them."""

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
        for records, count, own in self._parts(symbols):
            total = total + records.counted
            if all(column.kind == kernel.FIXED for column in records.columns):
                total = total + count * sum(column.width for column in records.columns)
            else:
                for part in _sliced(records, count, own):
                    total = total + kernel.lengths(*part)
        return total.reshape(shape)

    def pack(self, symbols: Symbols) -> Tensor:
        shape, device = symbols[0].shape[:-1], symbols[0].device
        here = tuple(tensor.cpu() for tensor in symbols)
        ends = self.lengths(here).reshape(-1)
        width = -(-int(ends.max()) // 8) if ends.numel() else 0
        out = torch.zeros((shape.numel(), width), dtype=torch.uint8)
        self.pack_onto(here, out)
        return out.reshape(*shape, width).to(device)

    def pack_onto(self, here: Symbols, out: Tensor) -> None:
        """Write symbols of P rows over zeros ``[P, B]`` with room for them; both on the CPU."""
        start = torch.full((len(out),), layout_bits(self.head))
        if self.head:
            fixed = Packed(self.head).pack(here[: len(self.head)]).reshape(len(out), -1)
            out[:, : fixed.shape[-1]] = fixed
        for records, count, own in self._parts(here):
            if records.counted:
                kernel.write(out, start, *_number(count, records.counted))
            for part in _sliced(records, count, own):
                kernel.write(out, start, *part)

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
            symbols += _read(flat, start, end, records, count)
        return tuple(tensor.reshape(*shape, tensor.shape[-1]).to(device) for tensor in symbols)

    def pieces(self, packed: Tensor, bits: slice) -> Iterator[Symbols]:
        """The symbols of one row, the ``bits`` of bytes ``[B]``, in pieces of their slots.

        For codes of one list without a head: a count ``[1, 1]`` and its columns ``[1, cap]``.
        """
        (records,) = self.lists
        device, flat = packed.device, packed.cpu()[None]
        start, end = torch.tensor([bits.start]), torch.tensor([bits.stop])
        room = _room(records, end - start, torch.full_like(start, -1))
        for _, counts, columns in _pieces(flat, start, end, records, torch.tensor([-1]), room):
            yield tuple(part.to(device) for part in (counts[:, None], *columns))

    def _read_head(self, flat: Tensor) -> list[Tensor]:
        if not self.head:
            return []
        size = -(-layout_bits(self.head) // 8)
        padded = torch.nn.functional.pad(flat, (0, max(0, size - flat.shape[-1])))
        return list(Packed(self.head).unpack(padded[:, :size].contiguous()))

    def _parts(self, symbols: Symbols) -> Iterator[tuple[Records, Tensor, list[Tensor]]]:
        """Each list with its counts ``[P]`` and columns ``[P, cap]``."""
        start = len(self.head)
        for records in self.lists:
            count = symbols[start].reshape(-1).to(torch.int64)
            own = symbols[start + 1 : start + 1 + len(records.columns)]
            yield records, count, [part.reshape(count.shape[0], part.shape[-1]) for part in own]
            start += 1 + len(records.columns)


def _read(
    flat: Tensor, start: Tensor, end: Tensor, records: Records, count: Tensor
) -> list[Tensor]:
    """Counts ``[P, 1]`` and columns ``[P, cap]`` of a list; ``count`` -1: to the end of the row."""
    room = _room(records, end - start, count)
    columns = [torch.zeros((len(count), room), dtype=c.dtype) for c in records.columns]
    found = torch.zeros_like(count)
    for here, counts, parts in _pieces(flat, start, end, records, count, room):
        found += counts
        for out, part in zip(columns, parts, strict=True):
            out[:, here] = part
    cap = max(1, int(found.max())) if len(found) else 1
    return [found[:, None], *(column[:, :cap] for column in columns)]


def _pieces(
    flat: Tensor, start: Tensor, end: Tensor, records: Records, count: Tensor, room: int
) -> Iterator[tuple[slice, Tensor, list[Tensor]]]:
    """Slots of a list, how many records ``[P]`` they hold, and their columns ``[P, slots]``.

    ``start`` moves along.
    """
    open_ended = count < 0
    for place in range(0, room, _SLOTS):
        size = min(_SLOTS, room - place)
        left = torch.where(open_ended, torch.where(start < end, -1, 0), count - place)
        words = torch.zeros((len(count), len(records.columns), size), dtype=torch.int64)
        part = _List(left.clamp_min(-1), words, *_widths(records.columns))
        kernel.read(flat, start, end, *part)
        read = zip(records.columns, words.unbind(1), strict=True)
        columns = [_typed(column, one) for column, one in read]
        yield slice(place, place + size), part.counts, columns


def _room(records: Records, bits: Tensor, count: Tensor) -> int:
    """Number of slots for the longest list, one at least."""
    least = sum(c.width + c.golomb if not c.elias else 1 for c in records.columns)
    fits = bits.clamp_min(0) // least if least else torch.full_like(bits, records.most)
    most = torch.where(count < 0, fits.clamp_max(records.most), count)
    return max(1, int(most.max())) if most.numel() else 1


def _widths(columns: tuple[Column, ...]) -> tuple[Tensor, Tensor]:
    widths = torch.tensor([column.width for column in columns], dtype=torch.int64)
    return widths, torch.tensor([column.kind for column in columns], dtype=torch.int64)


def _number(count: Tensor, width: int) -> _List:
    """A list of one record that holds the count."""
    one = torch.ones_like(count)
    columns = count.clamp_min(0)[:, None, None].clone()
    return _List(one, columns, *_widths((Column("count", width),)))


def _sliced(records: Records, count: Tensor, symbols: list[Tensor]) -> Iterator[_List]:
    """A list as the kernel takes it, slice by slice, so that its words are never held together.

    Raises:
        ValueError: a symbol does not fit its column.
    """
    for place in range(0, symbols[0].shape[-1], _SLOTS):
        own = [part[:, place : place + _SLOTS] for part in symbols]
        some = (count - place).clamp(0, own[0].shape[-1])
        words = [_words(*pair, some) for pair in zip(records.columns, own, strict=True)]
        yield _List(some, torch.stack(words, 1), *_widths(records.columns))


def _words(column: Column, symbols: Tensor, count: Tensor) -> Tensor:
    if column.dtype.is_floating_point:
        return symbols.contiguous().view(_PATTERN[column.dtype]).to(torch.int64)
    wide = symbols.to(torch.int64)
    least, most = (1, 2**63 - 1) if column.kind else (0, (1 << column.width) - 1)
    meant = torch.arange(wide.shape[-1], device=wide.device) < count[:, None]
    bad = meant & ((wide < least) | (wide > most))
    late = now()
    if late is not None and not wide.is_cpu:
        late.suspect(bad, f"a symbol of column {column.name} was out of its range")
    elif bad.any():
        raise ValueError(
            f"column {column.name} holds symbols in [{least}, {most}], got {int(wide[bad][0])}"
        )
    return wide


def _typed(column: Column, words: Tensor) -> Tensor:
    if column.dtype.is_floating_point:
        return words.to(_PATTERN[column.dtype]).contiguous().view(column.dtype)
    return words.to(column.dtype)


def float_column(name: str, dtype: torch.dtype) -> Column:
    """A number as its IEEE bits."""
    return Column(name, torch.finfo(dtype).bits, dtype)
