"""The packed code: exact round trips, the bytes themselves, refusals."""

from __future__ import annotations

import struct

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algorithms.codes.base import Field, layout_bits
from algorithms.codes.packed import Packed, packed_bytes
from algorithms.kernels import packing


@st.composite
def _fields(draw: st.DrawFn) -> tuple[tuple[Field, ...], list[list[list[int]]]]:
    """A layout of integer fields and symbols for two rows."""
    widths = draw(st.lists(st.integers(0, 64), min_size=1, max_size=5))
    layout, symbols = [], []
    for number, width in enumerate(widths):
        count = draw(st.integers(0, 9))
        low, high = (-(2**63), 2**63 - 1) if width == 64 else (0, 2**width - 1)
        row = st.lists(st.integers(low, high), min_size=count, max_size=count)
        layout.append(Field(f"f{number}", count, width))
        symbols.append([draw(row), draw(row)])
    return tuple(layout), symbols


def _text(layout: tuple[Field, ...], symbols: list[list[list[int]]], row: int) -> str:
    """The bits of one row, by Python's own formatting of integers."""
    return "".join(
        format(value % 2**field.width, f"0{field.width}b") if field.width else ""
        for field, rows in zip(layout, symbols, strict=True)
        for value in rows[row]
    )


@given(_fields())
def test_bytes_are_the_bits_in_order_and_come_back(
    drawn: tuple[tuple[Field, ...], list[list[list[int]]]],
) -> None:
    layout, values = drawn
    symbols = tuple(torch.tensor(v, dtype=torch.int64) for v in values)
    packed = Packed(layout).pack(symbols)
    assert packed.dtype == torch.uint8 and packed.shape == (2, packed_bytes(layout))
    for row in range(2):
        bits = "".join(format(byte, "08b") for byte in packed[row].tolist())
        text = _text(layout, values, row)
        assert bits == text.ljust(len(bits), "0")
        assert len(text) == layout_bits(layout)
    for sent, read in zip(symbols, Packed(layout).unpack(packed), strict=True):
        assert torch.equal(sent, read)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@given(data=st.data())
def test_floats_come_back_bit_for_bit(dtype: torch.dtype, data: st.DataObject) -> None:
    width = torch.finfo(dtype).bits
    values = data.draw(st.lists(st.floats(width=width), min_size=1, max_size=6))
    tensor = torch.tensor([[values]], dtype=dtype)
    layout = (Field("shift", 1, 3), Field.floats("values", len(values), dtype))
    packed = Packed(layout).pack((torch.full((1, 1, 1), 5), tensor))
    shift, read = Packed(layout).unpack(packed)
    assert shift.item() == 5
    assert torch.equal(read.view(torch.uint8), tensor.view(torch.uint8))


@given(st.lists(st.floats(width=32), min_size=1, max_size=5))
def test_aligned_floats_are_big_endian_ieee(values: list[float]) -> None:
    tensor = torch.tensor([values], dtype=torch.float32)
    packed = Packed((Field.floats("values", len(values), torch.float32),)).pack((tensor,))
    assert bytes(packed[0].tolist()) == struct.pack(f">{len(values)}f", *tensor[0].tolist())


@given(width=st.integers(1, 64), start=st.integers(0, 70), count=st.integers(1, 40), data=st.data())
def test_kernels_equal_their_twins(width: int, start: int, count: int, data: st.DataObject) -> None:
    low, high = (-(2**63), 2**63 - 1) if width == 64 else (0, 2**width - 1)
    row = st.lists(st.integers(low, high), min_size=count, max_size=count)
    words = torch.tensor([data.draw(row), data.draw(row)], dtype=torch.int64)
    size = -(-(start + width * count) // 8)
    one = torch.zeros(2, size, dtype=torch.uint8)
    two = torch.zeros(2, size, dtype=torch.uint8)
    packing.put_numba(words, width, start, one)
    packing.put_torch(words, width, start, two)
    assert torch.equal(one, two)
    assert torch.equal(packing.get_numba(one, width, start, count), words)
    assert torch.equal(packing.get_torch(one, width, start, count), words)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int32, torch.int64], ids=str)
def test_narrow_integers_are_read_back_as_the_field_says(dtype: torch.dtype) -> None:
    symbols = torch.tensor([[0, 1, 100, 127]], dtype=dtype)
    layout = (Field("codes", 4, 7, dtype),)
    (read,) = Packed(layout).unpack(Packed(layout).pack((symbols,)))
    assert read.dtype == dtype and torch.equal(read, symbols)


def test_leading_axes_are_kept() -> None:
    symbols = torch.arange(24).reshape(2, 3, 4)
    layout = (Field("codes", 4, 5),)
    packed = Packed(layout).pack((symbols,))
    assert packed.shape == (2, 3, 3)
    assert torch.equal(packed[1, 2], Packed(layout).pack((symbols[1, 2:],))[0])


def test_misfits_are_refused() -> None:
    code = Packed((Field("codes", 2, 3),))
    with pytest.raises(ValueError, match=r"codes holds symbols in \[0, 2\^3\), got 8"):
        code.pack((torch.tensor([[1, 8]]),))
    with pytest.raises(ValueError, match=r"got -1"):
        code.pack((torch.tensor([[1, -1]]),))
    with pytest.raises(ValueError, match=r"needs symbols \(1, 2\), got \(1, 3\)"):
        code.pack((torch.tensor([[1, 2, 3]]),))
    with pytest.raises(ValueError, match="one tensor per field, got 2 for 1 fields"):
        code.pack((torch.tensor([[1, 2]]), torch.tensor([[1]])))
    with pytest.raises(ValueError, match=r"needs integers, got torch\.float32"):
        code.pack((torch.ones(1, 2),))
    with pytest.raises(ValueError, match=r"needs torch\.float32, got torch\.float64"):
        Packed((Field.floats("v", 1, torch.float32),)).pack(
            (torch.ones(1, 1, dtype=torch.float64),)
        )
    with pytest.raises(ValueError, match=r"uint8 \[..., m, 1\] for this layout"):
        code.unpack(torch.zeros(1, 2, dtype=torch.uint8))
    with pytest.raises(ValueError, match=r"width of field w must lie in \[0, 64\], got 65"):
        Packed((Field("w", 1, 65),)).pack((torch.tensor([[1]]),))
