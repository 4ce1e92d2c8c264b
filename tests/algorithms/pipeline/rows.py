"""What an operator's compiled function says of rows, beside its own encode and decode."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from hypothesis import strategies as st
from torch import Tensor

from algorithms.compressors.base import Compressor, code_of
from algorithms.compressors.requirements import OutOfRange
from algorithms.core.key import Key


class Told(NamedTuple):
    """What is read of the messages ``[k, d]`` and their lengths ``[k]`` [bits]; None: refused."""

    sent: Tensor
    bits: Tensor


def composed(
    operator: Compressor, x: Tensor, guide: Tensor | None, key: Key, first: int
) -> Told | None:
    """By encode and decode, for rows of workers ``first``, ... of replica 2."""
    draws = key.draws(torch.tensor(2), torch.arange(first, first + len(x)))
    try:
        if guide is None:
            symbols = operator.encode(x, draws)
        else:
            symbols = operator.encode_guided(x, guide, draws)
    except OutOfRange:
        return None
    sent = operator.decode(symbols, x.shape[-1], x.dtype, draws)
    return Told(sent, code_of(operator, x.shape[-1], x.dtype).lengths(symbols))


def compiled(
    operator: Compressor, x: Tensor, guide: Tensor | None, key: Key, first: int, t: int = 0
) -> Told | None:
    """By the function that the operator publishes."""
    part: Any = operator.row_kernel(x.shape[-1], x.dtype)
    sent, length = torch.full_like(x, torch.nan), code_of(operator, x.shape[-1], x.dtype).fixed_bits
    bits = np.full(len(x), -1 if length is None else length, np.int64)
    beside = x[:0] if guide is None else guide
    good = part.function(
        part.numbers, x.numpy(), beside.numpy(), *key.words, 2, first, t, sent.numpy(), bits
    )
    return Told(sent, torch.from_numpy(bits)) if good else None


def assert_alike(one: Told | None, other: Told | None) -> None:
    """Equal to the last bit, signs of zeros included."""
    assert (one is None) == (other is None)
    if one is None or other is None:
        return
    whole = torch.int32 if one.sent.dtype == torch.float32 else torch.int64
    same = one.sent.view(whole) == other.sent.contiguous().view(whole)
    assert bool((same | (one.sent.isnan() & other.sent.isnan())).all()), (one, other)
    assert torch.equal(one.bits, other.bits)


_FAR = {torch.float32: (1e-42, 1e-30, 1e30, 3e38), torch.float64: (5e-324, 1e-300, 1e150, 1.7e308)}


@st.composite
def tables(draw: Any) -> Tensor:
    """A few rows with zeros of both signs, ties, numbers near the ends of the range; some that are
    not finite."""
    dtype = draw(st.sampled_from([torch.float32, torch.float64]))
    rows, d = draw(st.integers(1, 4)), draw(st.one_of(st.integers(1, 12), st.integers(13, 90)))
    x = torch.randn(rows, d, dtype=dtype, generator=torch.Generator().manual_seed(draw(_SEEDS)))
    kind = draw(st.sampled_from(["as it is", "ties", "far", "sparse", "not finite"]))
    pick = torch.randint(0, 9, (rows, d), generator=torch.Generator().manual_seed(draw(_SEEDS)))
    if kind == "ties":
        x = (2 * x).round()
    if kind in ("far", "not finite"):
        for place, value in enumerate(_FAR[dtype]):
            x = torch.where(pick == place, x.sign() * value, x)
    if kind == "sparse":
        x = torch.where(pick < 6, -0.0 * x, x)
    if kind == "not finite":
        x[0, draw(st.integers(0, d - 1))] = draw(
            st.sampled_from([torch.inf, -torch.inf, torch.nan])
        )
    return x.contiguous()


_SEEDS = st.integers(0, 1 << 20)
