"""Compression by parts: operators applied to consecutive parts of the row by themselves."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor

from algorithms.codes.base import Code, Layout, Symbols, layout_bits
from algorithms.codes.joined import Joined
from algorithms.codes.packed import Packed
from algorithms.compressors.base import Compressor, ListedRows, StatedLength, code_of
from algorithms.compressors.entries import all_of, first
from algorithms.compressors.runs import Run, runs_of
from algorithms.core.key import Draws
from theory.claims import Claim, Contraction, NoConstant, Unbiased, VarianceBound


class Parted(Compressor):
    """C(x) = (C_1(x_1), C_2(x_2), ...) over consecutive parts of the row; members cut it.

    Unbiased if every C_b is; omega = max_b omega_b and delta = min_b delta_b. Part b draws with
    ``draws.fold("block", b)``.
    """

    inner: Compressor

    @abstractmethod
    def sizes(self, d: int) -> tuple[int, ...]:
        """Lengths of the parts of a row of d numbers.

        Raises:
            ValueError: they do not fit d.
        """

    @abstractmethod
    def operators(self, d: int) -> tuple[Compressor, ...]:
        """The operators C_b, one for every part of a row of d numbers."""

    @property
    def steady(self) -> bool:
        return self.inner.steady

    def at_step(self, t: int) -> Compressor:
        inner = self.inner.at_step(t)
        return self if inner is self.inner else replace(self, inner=inner)  # type: ignore[type-var]

    def claims(self, d: int) -> tuple[Claim, ...]:
        pairs = list(self.pairs(d))
        owned = {pair: pair[0].claims(pair[1]) for pair in pairs}
        lost = _without_constant([owned[pair] for pair in pairs], self.sizes(d))
        return (lost,) if lost else joint_claims(list(owned.values()), alone=len(pairs) == 1)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return tuple(
            replace(field, name=f"{field.name} of part {b}")
            for b, (c, size) in enumerate(self.pairs(d))
            for field in c.layout(size, dtype)
        )

    def code(self, d: int, dtype: torch.dtype) -> Code:
        codes = [c.code(size, dtype) for c, size in self.pairs(d)]
        if all(isinstance(code, Packed) for code in codes):
            return Packed(self.layout(d, dtype))
        return Joined(tuple(codes), self._counts(d, dtype))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        symbols: list[Tensor] = []
        for run in self._runs(x.shape[-1], x.dtype):
            symbols.extend(run.apart(run.operator.encode(run.rows_of(x), run.draws(draws))))
        return tuple(symbols)

    def encode_guided(self, x: Tensor, guide: Tensor, draws: Draws) -> Symbols:
        symbols: list[Tensor] = []
        for run in self._runs(x.shape[-1], x.dtype):
            own = run.operator.encode_guided(run.rows_of(x), run.rows_of(guide), run.draws(draws))
            symbols.extend(run.apart(own))
        return tuple(symbols)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        rows, start = [], 0
        for run in self._runs(d, dtype):
            own = run.together(symbols[start : start + run.parts * run.fields])
            part = run.operator.decode(own, run.size, dtype, run.draws(draws))
            rows.append(part if run.parts == 1 else part.flatten(-2))
            start += run.parts * run.fields
        return rows[0] if len(rows) == 1 else torch.cat(rows, -1)

    def listed(
        self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws
    ) -> ListedRows | None:
        """The lists of all parts end to end; slots that are not meant hold zeros."""
        positions, values, start, offset = [], [], 0, 0
        for b, ((c, size), count) in enumerate(
            zip(self.pairs(d), self._counts(d, dtype), strict=True)
        ):
            own = symbols[start : start + count]
            part = c.listed(own, size, dtype, draws.fold("block", b))
            if part is None:
                return None
            cap = min(part.positions.shape[-1], part.values.shape[-1])
            meant = first(part.count, cap)
            positions.append(torch.where(meant, part.positions[..., :cap] + offset, 0))
            values.append(torch.where(meant, part.values[..., :cap], 0))
            start, offset = start + count, offset + size
        joined = torch.cat(positions, -1)
        return ListedRows(all_of(joined), joined, torch.cat(values, -1))

    def pieces(
        self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws
    ) -> Iterator[ListedRows] | None:
        """Those of every part, one part after another."""
        parts, start, offset = [], 0, 0
        for b, ((c, size), count) in enumerate(
            zip(self.pairs(d), self._counts(d, dtype), strict=True)
        ):
            own = symbols[start : start + count]
            pieces = c.pieces(own, size, dtype, draws.fold("block", b))
            if pieces is None:
                return None
            parts.append((offset, pieces))
            start, offset = start + count, offset + size
        return _moved(parts)

    def lists_in(
        self, packed: Tensor, bits: slice, d: int, dtype: torch.dtype, draws: Draws
    ) -> Iterator[ListedRows] | None:
        """Those of every part, one part after another."""
        parts, offset = [], 0
        spans = self._spans(packed, bits.start, d, dtype)
        for b, ((c, size), span) in enumerate(zip(self.pairs(d), spans, strict=True)):
            pieces = c.lists_in(packed, span, size, dtype, draws.fold("block", b))
            if pieces is None:
                return None
            parts.append((offset, pieces))
            offset += size
        return _moved(parts)

    def _spans(self, packed: Tensor, start: int, d: int, dtype: torch.dtype) -> Iterator[slice]:
        """Bits of each part in a row's message."""
        code = code_of(self, d, dtype)
        if isinstance(code, Joined):
            yield from code.spans(packed, start)
            return
        widths = (layout_bits(c.layout(size, dtype)) for c, size in self.pairs(d))
        ends = list(accumulate(widths, initial=start))
        yield from map(slice, ends, ends[1:])

    @property
    def takes_guide(self) -> bool:
        return self.inner.takes_guide

    def stated_bits(self, d: int, float_bits: int) -> float:
        joined, bits = self._joined(d), 0.0
        for (c, size), times in self.kinds(d).items():
            length = c.stated_bits(size, float_bits)
            if joined:
                length = 32 * _varies(c, size) + 8 * math.ceil(length / 8)
            bits += times * length
        return bits

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        d = sent.shape[-1]
        least = most = torch.zeros(sent.shape[:-1], dtype=torch.float64)
        joined = self._joined(d)
        pieces = torch.split(sent, list(self.sizes(d)), -1)
        for (c, size), piece in zip(self.pairs(d), pieces, strict=True):
            low, high = c.stated_lengths(piece.contiguous(), float_bits)
            if joined:
                low, high = (8 * torch.ceil(v / 8) + 32 * _varies(c, size) for v in (low, high))
            least, most = least + low, most + high
        return StatedLength(least, most)

    def pairs(self, d: int) -> tuple[tuple[Compressor, int], ...]:
        """Operator and length of every part, found once for each d."""
        known: dict[int, tuple[tuple[Compressor, int], ...]] = self.__dict__.setdefault("_cut", {})
        if d not in known:
            known[d] = tuple(zip(self.operators(d), self.sizes(d), strict=True))
        return known[d]

    def _counts(self, d: int, dtype: torch.dtype) -> tuple[int, ...]:
        return tuple(run.fields for run in self._runs(d, dtype) for _ in range(run.parts))

    def _runs(self, d: int, dtype: torch.dtype) -> tuple[Run, ...]:
        """The parts, those that one call can treat joined; found once for each d and type."""
        known: dict[Any, tuple[Run, ...]] = self.__dict__.setdefault("_joint", {})
        if (d, dtype) not in known:
            known[d, dtype] = runs_of(self.pairs(d), dtype)
        return known[d, dtype]

    def kinds(self, d: int) -> Mapping[tuple[Compressor, int], int]:
        """Number of parts of a row of d numbers with the same operator and length."""
        return Counter(self.pairs(d))

    def _joined(self, d: int) -> bool:
        codes = (c.code(size, torch.float32) for c, size in self.kinds(d))
        return not all(isinstance(code, Packed) for code in codes)


def joint_claims(parts: list[tuple[Claim, ...]], alone: bool = False) -> tuple[Claim, ...]:
    """Claims on the whole when each part has its claims: the weakest of every kind; parts that are
    alike may come once, and one that is ``alone`` is the whole."""
    claims: list[Claim] = []
    for position, claim in enumerate(parts[0]):
        peers = [own[position] for own in parts if position < len(own)]
        if len(peers) < len(parts) or any(type(p) is not type(claim) for p in peers):
            continue
        claims.append(peers[0] if alone else _weakest(peers))
    return tuple(claims)


def _varies(operator: Compressor, size: int) -> bool:
    """Whether the lengths of its messages do."""
    return operator.code(size, torch.float32).fixed_bits is None


def _moved(parts: list[tuple[int, Iterator[ListedRows]]]) -> Iterator[ListedRows]:
    """The pieces of parts that start where they are said to, as pieces of the row."""
    for at, pieces in parts:
        for piece in pieces:
            yield replace(piece, positions=piece.positions + at)


def _without_constant(parts: list[tuple[Claim, ...]], sizes: tuple[int, ...]) -> NoConstant | None:
    """The claim of a part that has no constant, for the whole: its witnesses, zero elsewhere."""
    start = 0
    for claims, size in zip(parts, sizes, strict=True):
        for claim in claims:
            if isinstance(claim, NoConstant):
                rest = sum(sizes) - start - size
                patterns = (
                    (0.0,) * start + (p * size)[:size] + (0.0,) * rest
                    for p in (claim.biased_at, claim.expands_at)
                )
                biased, expands = patterns
                return replace(claim, biased_at=biased, expands_at=expands)
        start += size
    return None


def _weakest(peers: list[Claim]) -> Claim:
    first = peers[0]
    if isinstance(first, Unbiased | NoConstant):
        return first
    worst = max(
        (p for p in peers if isinstance(p, VarianceBound | Contraction)), key=lambda p: p.constant
    )
    kind = "max" if isinstance(worst, VarianceBound) else "min"
    formula = f"{kind} over parts of {worst.formula}"
    return replace(worst, formula=formula)
