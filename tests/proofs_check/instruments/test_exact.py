"""Exact laws read off the code equal fractions that another program enumerated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import pytest
import torch
from torch import Tensor

from algorithms.codes.base import Layout, Symbols
from algorithms.compressors.base import Compressor
from algorithms.compressors.grid import GridCompressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Draws
from proofs_check.instruments.exact import LawMismatch, exact_law
from proofs_check.instruments.scripted import NotEnumerable
from theory.claims import Claim, Contraction, VarianceBound

V = (3, -4, 0, 12)
F = Fraction


@pytest.mark.parametrize(
    ("member", "error", "nonzeros", "bits"),
    [
        (QSGD(1), F(78), F(19, 13), 40),
        (QSGD(2), F(26), F(27, 13), 44),
        (TernGrad(), F(59), F(19, 12), 40),
        (NaturalCompression(), F(17), F(3), 36),
        (RandK(1), F(507), F(3, 4), 32),
        (RandK(2), F(169), F(3, 2), 64),
        (RandK(1, send_indices=True), F(507), F(3, 4), 34),
        (RandK(2, send_indices=True), F(169), F(3, 2), 68),
        (Identity(), F(0), F(3), 128),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_unbiased_operators_at_the_base_vector(
    member: Compressor, error: Fraction, nonzeros: Fraction, bits: int
) -> None:
    law = exact_law(member, V)
    assert law.mean == V
    assert law.error == error
    assert law.nonzeros == nonzeros
    assert member.bits(4, torch.float32) == member.stated_bits(4, 32) == bits


@pytest.mark.parametrize(
    ("member", "mean", "error", "bits"),
    [
        (TopK(1), (0, 0, 0, 12), F(25), 34),
        (TopK(2), (0, -4, 0, 12), F(9), 68),
        (TopK(3), (3, -4, 0, 12), F(0), 102),
        (ScaledSign(), (F(19, 4), F(-19, 4), F(19, 4), F(19, 4)), F(315, 4), 36),
        (RandK(1, scaled=False), (F(3, 4), -1, 0, 3), F(507, 4), 32),
        (RandK(2, scaled=False), (F(3, 2), -2, 0, 6), F(169, 2), 64),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_contractions_at_the_base_vector(
    member: Compressor, mean: tuple[Fraction, ...], error: Fraction, bits: int
) -> None:
    law = exact_law(member, V)
    assert law.mean == mean
    assert law.error == error
    assert member.bits(4, torch.float32) == bits
    (claim,) = (c for c in member.claims(4) if isinstance(c, Contraction))
    assert error <= F(claim.constant) * 169


def test_ratios_and_bounds_at_the_base_vector() -> None:
    """omega_here 6/13, 2/13 under the published 2 and 1; TernGrad reaches 1/2 at d = 4."""
    for s, here, bound in ((1, F(6, 13), 2.0), (2, F(2, 13), 1.0)):
        assert exact_law(QSGD(s), V).error / 169 == here
        claimed = [c.omega for c in QSGD(s).claims(4) if isinstance(c, VarianceBound)]
        assert claimed[0] == bound and here <= F(min(claimed))
    assert exact_law(TernGrad(), (3, 1, 1, 1)).error / 12 == F(1, 2)
    assert exact_law(QSGD(1), (1,) * 16).error / 16 == 3
    assert exact_law(TernGrad(), (5, *[1] * 15)).error / 40 == F(3, 2)


def test_natural_compression_of_scalars() -> None:
    """2.5 goes to 2 with 3/4 and to 4 with 1/4; 4/3 is the worst mantissa, 1/8."""
    law = exact_law(NaturalCompression(), (F(5, 2),))
    assert sorted(law.marginals[0]) == [(2, F(3, 4)), (4, F(1, 4))]
    near = F(4 / 3)  # a double; the value itself is not one
    assert abs(exact_law(NaturalCompression(), (near,)).error / near**2 - F(1, 8)) < F(1, 2**50)
    (marginal,) = exact_law(NaturalCompression(), (near,)).marginals
    assert abs(dict(marginal)[F(1)] - F(2, 3)) < F(1, 2**50)
    assert exact_law(NaturalCompression(), (-8,)).marginals == (((F(-8), F(1)),),)


def test_every_recognised_kind_of_law() -> None:
    assert exact_law(TopK(1), V).kind == "fixed"
    assert exact_law(QSGD(3), V).kind == "by place"
    assert exact_law(RandK(2), V).kind == "by order"
    halves = [(F(-8), F(1, 2)), (F(0), F(1, 2))]
    assert sorted(exact_law(RandK(2), V).marginals[1]) == halves


def test_thirds_are_recognised_where_doubles_only_come_near() -> None:
    """Levels 13/3 and a factor 4/3 are no doubles; the law is that of the fractions."""
    assert exact_law(QSGD(3), V).mean == V
    assert exact_law(RandK(3), (1, 2, 3, -4)).mean == (1, 2, 3, -4)


@final
@dataclass(frozen=True)
class _Liar(GridCompressor):
    """Declares the grid of one operator and runs another."""

    declares: GridCompressor
    does: Compressor

    @property
    def name(self) -> str:
        return "liar"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return self.declares.claims(d)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return self.does.layout(d, dtype)

    def cells(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.declares.cells(x)

    def exact_cells(self, x: Sequence[Fraction]) -> tuple[tuple[Fraction, Fraction], ...]:
        return self.declares.exact_cells(x)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.does.encode(x, draws)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return self.does.decode(symbols, d, dtype, draws)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return self.does.stated_bits(d, float_bits)


@final
@dataclass(frozen=True)
class _Nudged(Draws):
    """Draws whose uniforms are 2^-40 too large."""

    draws: Draws

    @property
    def workers(self) -> Tensor:  # type: ignore[override]
        return self.draws.workers

    def fold(self, *words: int | str) -> Draws:
        return self.draws.fold(*words)

    def uniform(self, count: int, dtype: torch.dtype) -> Tensor:
        return self.draws.uniform(count, dtype) + 2.0**-40

    def normal(self, count: int, dtype: torch.dtype) -> Tensor:
        return self.draws.normal(count, dtype)

    def integers(self, high: int, count: int) -> Tensor:
        return self.draws.integers(high, count)


@final
@dataclass(frozen=True)
class _NudgedQSGD(Compressor):
    right: QSGD

    @property
    def name(self) -> str:
        return "nudged QSGD"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return self.right.claims(d)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return self.right.layout(d, dtype)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.encode(x, _Nudged(draws))

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return self.right.decode(symbols, d, dtype, draws)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return self.right.stated_bits(d, float_bits)


def test_a_declared_law_that_the_code_does_not_follow_is_named() -> None:
    with pytest.raises(LawMismatch, match="coordinate 0: the code gives"):
        exact_law(_Liar(QSGD(1), QSGD(2)), V)
    with pytest.raises(LawMismatch, match="coordinate 0"):
        exact_law(_Liar(TernGrad(), QSGD(1)), V)
    assert exact_law(_Liar(QSGD(2), QSGD(2)), V).error == 26


def test_probabilities_wrong_by_2_to_the_minus_40_are_seen() -> None:
    with pytest.raises(LawMismatch, match="coordinate 0"):
        exact_law(_Liar(QSGD(1), _NudgedQSGD(QSGD(1))), V)
    with pytest.raises(NotEnumerable, match="not simple fractions"):
        exact_law(_NudgedQSGD(QSGD(1)), V)


def test_what_cannot_be_enumerated_is_said() -> None:
    with pytest.raises(NotEnumerable, match="no rational root"):
        exact_law(QSGD(1), (1, 1))
    with pytest.raises(NotEnumerable, match="8! orders are too many"):
        exact_law(RandK(2), range(1, 9))
    with pytest.raises(ValueError, match="x must consist of doubles"):
        exact_law(TopK(1), (F(1, 3), 1))
