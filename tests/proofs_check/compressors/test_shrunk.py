"""Unbiased operators, shrunk: claims by enumeration and by sampling, messages as they were."""

from __future__ import annotations

from fractions import Fraction

import pytest
import torch

from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_unbiased import ScaledUnbiased
from algorithms.compressors.top_k import TopK
from algorithms.key import Key
from proofs_check.compressors.check import check_compressor
from proofs_check.instruments.exact import exact_law

INNER = (QSGD(1), QSGD(16), RandK(3), NaturalCompression())


def draws():
    return Key.seed(1).draws(torch.arange(3), torch.arange(4))


@pytest.mark.parametrize("inner", INNER, ids=lambda c: c.name)
def test_it_contracts(inner) -> None:
    verdicts = check_compressor(ScaledUnbiased(inner), d=12)
    assert all(v.outcome.holds for v in verdicts), verdicts
    assert any("delta" in v.claim for v in verdicts)


def test_the_law_of_shrunk_rand_one() -> None:
    """Rand-1 of 4 has omega = 3: one coordinate comes as it is, and the error is 3/4 exactly."""
    law = exact_law(ScaledUnbiased(RandK(1)), (3, -4, 0, 12))
    assert law.mean == tuple(Fraction(v, 4) for v in (3, -4, 0, 12))
    assert law.error == Fraction(3, 4) * 169


def test_messages_are_those_of_the_inner_operator() -> None:
    x = Key.seed(0).draws(torch.arange(3), torch.arange(4)).normal(20, torch.float64)
    inner = EliasQSGD(4)
    mine = ScaledUnbiased(inner)
    symbols, plain = mine.encode(x, draws()), inner.encode(x, draws())
    assert all(torch.equal(a, b) for a, b in zip(symbols, plain, strict=True))
    lengths = mine.code(20, x.dtype).lengths(symbols)
    assert torch.equal(lengths, inner.code(20, x.dtype).lengths(plain))
    factor = 1 + min(20 / 16, 20**0.5 / 4)
    torch.testing.assert_close(
        mine.compress(x, draws()) * factor, inner.compress(x, draws()), rtol=1e-15, atol=0
    )


def test_a_contraction_is_refused() -> None:
    with pytest.raises(ValueError, match=r"inner must be unbiased.*top-k"):
        ScaledUnbiased(TopK(2)).claims(8)
