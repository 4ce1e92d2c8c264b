"""Messages that are never longer than the row, for every operator, beside the operator itself."""

from __future__ import annotations

import pytest
import torch

from algorithms.catalogue import OPERATORS
from algorithms.codes.or_row import OrRow
from algorithms.compressors.absolute_threshold import AbsoluteThreshold
from algorithms.compressors.at_most_row import AtMostRow
from algorithms.compressors.base import Compressor, code_of
from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.nonzero import NonZero
from algorithms.compressors.strom import Strom
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.network.base import Packet
from algorithms.network.transport import mean_of, message_of, rows_of

D, DTYPE = 40, torch.float32
ROW = 32 * D
KEY = Key.seed(3)
LONG = (TopK(1.0), Strom(1e-9), AbsoluteThreshold(1.0))
SOME = (NonZero(), LayerWise(AbsoluteThreshold(0.9)).for_shapes(((5, 4), (20,))))
"""Operators of which all messages at gaussian vectors are longer than the row, and of which some
are: the first row is zero."""


def rows() -> torch.Tensor:
    x = torch.randn(3, 4, D, generator=torch.Generator().manual_seed(1))
    x[0, 0] = 0
    return x


def packet(operator: Compressor, x: torch.Tensor) -> Packet:
    replicas, workers = torch.arange(x.shape[0]), torch.arange(x.shape[1])
    symbols = operator.encode(x, KEY.draws(replicas, workers))
    return Packet(operator, symbols, KEY, replicas, x.shape[-1], x.dtype)


def fits(operator: Compressor) -> bool:
    try:
        packet(operator, rows())
    except (TypeError, ValueError):  # of other lengths, or with a guide
        return False
    return True


OPERATORS_HERE = {c.name: c for c in (*OPERATORS.values(), *LONG, *SOME) if fits(c)}


@pytest.mark.parametrize("name", OPERATORS_HERE)
def test_the_same_rows_by_messages_no_longer_than_the_row(name: str) -> None:
    inner = OPERATORS_HERE[name]
    for x in (rows(), rows()[:1, :1], rows()[2:]):
        plain, mine = packet(inner, x), packet(AtMostRow(inner), x)
        due = torch.as_tensor(plain.bits).expand(x.shape[:-1]).clamp_max(ROW)
        assert torch.equal(torch.as_tensor(mine.bits).expand(x.shape[:-1]), due)
        own, message = mine.own(torch.arange(x.shape[1])), message_of(mine)
        assert torch.equal(own, plain.own(torch.arange(x.shape[1])))
        assert torch.equal(rows_of(mine, message, torch.arange(x.shape[1])), own)
        mean = mean_of(mine, [message], torch.arange(x.shape[1]))
        other = mean_of(plain, [message_of(plain)], torch.arange(x.shape[1]))
        assert torch.equal(mean, other)
        stated = AtMostRow(inner).stated_lengths(own, 32)
        assert bool((stated.most <= ROW).all())


def test_operators_of_both_kinds_are_among_them() -> None:
    for inner in LONG:
        bits = torch.as_tensor(packet(inner, rows()[2:]).bits)
        assert bool((bits >= ROW).all()), inner
    for inner in SOME:
        long = torch.as_tensor(packet(inner, rows()).bits) >= ROW
        assert bool(long.any()) and not bool(long.all()), inner
    assert len(OPERATORS_HERE) > 90


def test_a_message_just_as_long_as_the_row_must_be_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strom's message of all entries has 32 bits each, and would be read as numbers."""
    x, operator = rows()[2:], AtMostRow(Strom(1e-9))
    right = packet(operator, x)
    assert int(right.bits.min()) == ROW
    code = code_of(operator, D, DTYPE)
    assert isinstance(code, OrRow)
    own = packet(Strom(1e-9), x)
    listed = code.inner.pack(own.symbols)
    *_, read = code.unpack(listed, own.bits)
    assert not torch.equal(read, right.own(torch.arange(4)))
