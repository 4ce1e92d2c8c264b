"""Messages as full as they can be: every symbol the largest of its width, as many as there can be.

Rows that are drawn seldom have such symbols, so that a door which lets one more pass, or stops one
record too early, stands there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Symbols
from algorithms.codes.joined import Joined
from algorithms.codes.lists import Column, Lists, Records
from algorithms.codes.packed import Packed
from algorithms.compressors.base import Compressor, code_of
from proofs_check.verdict import CheckKind, Outcome, Verdict

_WIDEST = 62  # bits of symbols beyond which one more is no int64


def check_full_messages(compressor: Compressor, *, d: int) -> Verdict:
    """Full messages are read back bit for bit, and a symbol that is one larger is refused."""
    faults, looked = list[str](), 0
    for dtype in (torch.float32, torch.float64):
        for part in _parts(code_of(compressor, d, dtype)):
            looked += 1
            faults += _faults(part)
    return Verdict(
        subject=compressor.name, check="full messages", kind=CheckKind.OPERATOR,
        claim=f"at d = {d} the largest symbols of all fields are read back, larger ones refused",
        outcome=Outcome.REFUTED if faults else Outcome.AGREES if looked else Outcome.NOT_APPLICABLE,
        statistic=float(len(faults)), bound=0.0, resolution=0.0,
        evidence=f"{faults[0]}; {len(faults)} such" if faults
        else f"{looked} codes of fields and lists" if looked
        else "its code has neither fields nor lists of a given width",
        provenance="float32 and float64",
    )  # fmt: skip


def _parts(code: Code) -> Iterator[Packed | Lists]:
    if isinstance(code, Joined):
        for part in code.parts:
            yield from _parts(part)
    elif isinstance(code, Packed | Lists):
        yield code


def _faults(code: Packed | Lists) -> Iterator[str]:
    head = code.layout if isinstance(code, Packed) else code.head
    lists = code.lists if isinstance(code, Lists) else ()
    full = (*(_full(one, one.count) for one in head), *_records(lists))
    held = (*head, *(one for own in lists for one in (None, *own.columns)))
    try:
        read = code.unpack(code.pack(full), code.lengths(full))
    except ValueError as error:
        yield f"the largest symbols do not fit: {error}"
        return
    for symbols, back in zip(full, read, strict=True):
        if back.shape != symbols.shape or not torch.equal(back.to(symbols.dtype), symbols):
            yield f"{len(symbols[0])} symbols of {int(symbols[0, 0])} are not read back"
    for place, one in enumerate(held):
        if one is not None and _bounded(one) and full[place].numel():
            yield from _larger(code, full, place, one)


def _larger(code: Code, full: Symbols, place: int, one: Field | Column) -> Iterator[str]:
    """One more than the largest symbol, in the first place and in the last."""
    for at in (0, -1):
        wrong = full[place].clone()
        wrong[..., at] += 1
        try:
            code.pack((*full[:place], wrong, *full[place + 1 :]))
        except ValueError:
            continue
        yield f"{int(wrong[0, at])} is taken for {one.name} of {one.width} bits"


def _records(lists: Sequence[Records]) -> Iterator[Tensor]:
    for own in lists:
        yield torch.tensor([[own.most]])
        yield from (_full(column, own.most) for column in own.columns)


def _bounded(one: Field | Column) -> bool:
    fixed = not isinstance(one, Column) or not (one.elias or one.golomb)
    return fixed and not one.dtype.is_floating_point and one.width <= _WIDEST


def _full(one: Field | Column, count: int) -> Tensor:
    """The largest symbols ``[1, count]``; of codes without a largest one, 2^width."""
    if one.dtype.is_floating_point:
        return torch.full((1, count), torch.finfo(one.dtype).max, dtype=one.dtype)
    largest = (1 << one.width) - 1 if _bounded(one) else 1 << min(one.width, _WIDEST)
    return torch.full((1, count), largest, dtype=torch.int64)
