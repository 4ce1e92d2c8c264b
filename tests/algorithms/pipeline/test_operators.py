"""Compiled operators on hard rows equal the operators themselves: what is read, what is refused,
and lengths."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.compressors.base import code_of
from algorithms.core.key import Key
from algorithms.kernels.row_parts import published
from tests.algorithms.pipeline import drawn

_T, _REPLICA, _FIRST = 3, 2, 5
_KEY = Key.seed(7).fold("compress", _T)
HARD = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, -1e-39, 1e-310, 3e38, -1e308, float("inf"), float("nan")]


@st.composite
def cases(draw):
    """An operator, and rows for it: hard numbers among others, or nothing but one number."""
    d, k, dtype = draw(st.integers(1, 40)), draw(st.integers(1, 3)), draw(drawn.DTYPES)
    operator = draw(st.sampled_from(drawn.operators_for(d, dtype)[1:]))
    numbers = st.floats(-4, 4, width=32) | st.sampled_from(HARD[: draw(st.integers(5, 12))])
    flat = draw(st.lists(numbers, min_size=k * d, max_size=k * d))
    x = torch.tensor(flat, dtype=dtype).view(k, d)
    x = x * draw(st.sampled_from([1.0, 1e-30, 1e30]))
    guide = x.abs().amax(0).expand(k, d).contiguous()
    return operator.at_step(_T), x, guide[: draw(st.sampled_from([0, k]))]


def by_operator(operator, x, guide):
    """What is read and the lengths; None where the operator refuses."""
    draws = _KEY.draws(torch.tensor([_REPLICA]), torch.arange(_FIRST, _FIRST + len(x)))
    wide = x[None]
    try:
        if len(guide):
            symbols = operator.encode_guided(wide, guide[None], draws)
        else:
            symbols = operator.encode(wide, draws)
    except ValueError:
        return None
    read = operator.decode(symbols, x.shape[-1], x.dtype, draws)
    code = code_of(operator, x.shape[-1], x.dtype)
    lengths = code.lengths(symbols)[0] if code.fixed_bits is None else torch.zeros(len(x))
    return read[0], lengths


def by_kernel(operator, x, guide):
    """The same by the compiled function, which may refuse more."""
    part = published(operator, x.shape[-1], x.dtype)
    sent, bits = np.full(x.shape, 9.0, x.numpy().dtype), np.zeros(len(x), np.int64)
    rows = x.numpy()
    asked = (*_KEY.words, _REPLICA, _FIRST, _T)
    good = part.function(part.numbers, rows, guide.numpy(), *asked, sent, bits)
    return (torch.from_numpy(sent), torch.from_numpy(bits)) if good else None


@settings(max_examples=200, deadline=None)
@given(cases())
def test_equal_on_hard_rows(case):
    operator, x, guide = case
    found, expected = by_kernel(operator, x, guide), by_operator(operator, x, guide)
    if expected is None:
        assert found is None
    elif found is None:
        assert not bool(torch.isfinite(x).all()), "a finite row was refused"
    else:
        np.testing.assert_array_equal(found[0].numpy(), expected[0].numpy())
        assert found[1].tolist() == expected[1].tolist()


def test_some_are_published():
    assert len(drawn.operators_for(40, torch.float32)) > 10
