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
from algorithms.core.key import Key
from algorithms.methods.parts.constants import operator_constants
from proofs_check.compressors.check import check_compressor
from proofs_check.instruments.exact import exact_law
from theory.claims import Contraction, VarianceBound, best_contraction, least_variance

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
    factor = 1 + 20 / 64  # d/(4 s^2), below the published min(20/16, sqrt(20)/4)
    torch.testing.assert_close(
        mine.compress(x, draws()) * factor, inner.compress(x, draws()), rtol=1e-15, atol=0
    )


def test_a_contraction_is_refused() -> None:
    with pytest.raises(ValueError, match=r"inner must be unbiased.*top-k"):
        ScaledUnbiased(TopK(2)).claims(8)


@pytest.mark.parametrize(("d", "omega"), [(20, 20 / 64), (1000, 1000**0.5 / 4), (256, 4.0)])
def test_the_smallest_variance_is_taken_whichever_stands_first(d: int, omega: float) -> None:
    """Below d = 16 s^2 it is d/(4 s^2), from there on the published sqrt(d)/s."""
    (claim,) = ScaledUnbiased(QSGD(4)).claims(d)
    assert isinstance(claim, Contraction)
    assert claim.delta == pytest.approx(1 / (1 + omega), rel=1e-14)
    assert operator_constants(QSGD(4), d).omega == pytest.approx(omega, rel=1e-14)
    assert operator_constants(ScaledUnbiased(QSGD(4)), d).delta == claim.delta


def test_an_experiment_of_a_paper_divides_by_the_published_variance() -> None:
    """At d = 2000 and s = 256 it is d/s^2, four times what is derived here."""
    published, ours = (ScaledUnbiased(QSGD(256), published=p).variance(2000) for p in (True, False))
    assert published.omega == pytest.approx(2000 / 256**2, rel=1e-14)
    assert ours.omega == pytest.approx(2000 / (4 * 256**2), rel=1e-14)


def test_published_quality_at_a_thousand_coordinates() -> None:
    assert operator_constants(ScaledUnbiased(QSGD(4)), 1000).delta == pytest.approx(0.112, abs=5e-4)


def test_the_best_of_several_claims() -> None:
    source = ScaledUnbiased(QSGD(4)).claims(4)[0].source
    bounds = [VarianceBound(omega, "", source) for omega in (2.0, 0.5, 1.0)]
    qualities = [Contraction(delta, "", source) for delta in (0.1, 0.4, 0.2)]
    for turn in range(3):
        claims = [*bounds[turn:], *qualities[turn:], *bounds[:turn], *qualities[:turn]]
        assert least_variance(claims) is bounds[1] and best_contraction(claims) is qualities[1]
    assert least_variance(qualities) is None and best_contraction(bounds) is None
