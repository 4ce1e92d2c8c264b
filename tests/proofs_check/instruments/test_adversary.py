"""The search reaches the tight constants, from random starts too, and exceeds none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import pytest
import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Draws, Key
from proofs_check.compressors.check import check_compressor
from proofs_check.instruments.adversary import random_starts, ratio_of, search, structured_starts
from proofs_check.instruments.statistics import sample
from proofs_check.verdict import Outcome
from theory.claims import Claim, Contraction, Source, Unbiased

SUPREMA = (
    (NaturalCompression(), lambda d: 1 / 8),
    (TernGrad(), lambda d: (math.sqrt(d) - 1) / 2),
    (QSGD(1), lambda d: math.sqrt(d) - 1),
    (TopK(1), lambda d: 1 - 1 / d),
    (TopK(0.5), lambda d: 0.5),
    (ScaledSign(), lambda d: 1 - 1 / d),
)


@pytest.mark.parametrize("structured", [True, False], ids=["all starts", "random starts"])
@pytest.mark.parametrize("d", [4, 16, 100])
@pytest.mark.parametrize(("member", "supremum"), SUPREMA, ids=lambda v: getattr(v, "name", ""))
def test_tight_constants_are_reached_within_a_percent(
    member: Compressor, supremum: object, d: int, structured: bool
) -> None:
    assert callable(supremum)
    worst = search(member, d, seed=d, structured=structured)
    tightness = worst.ratio / supremum(d)
    assert 0.99 <= tightness <= 1 + 1e-9, (tightness, worst)


@pytest.mark.parametrize("member", [RandK(1), RandK(2), RandK(1, scaled=False)])
def test_random_subsets_are_constant_and_found_by_all_orders(member: RandK) -> None:
    worst = search(member, 4, seed=0, rounds=100)
    k = member.kept(4)
    assert worst.how == "all 4! orders"
    assert worst.ratio == pytest.approx(4 / k - 1 if member.scaled else 1 - k / 4, rel=1e-12)


def test_a_sampled_search_is_confirmed_on_fresh_draws() -> None:
    worst = search(RandK(8, scaled=False), 16, seed=1, rounds=50)
    outcomes = sample(RandK(8, scaled=False), worst.x, 50_000, Key.seed(2))
    fresh = (outcomes - worst.x).square().sum(-1) / worst.x.square().sum()
    # error in [0, 1]: Hoeffding at 1e-9 gives a half-width of 0.0147
    assert float(fresh.mean()) == pytest.approx(0.5, abs=0.0147)


@final
@dataclass(frozen=True)
class LosesLarge(Compressor):
    """Sends x as it is, but NaN for entries above 1."""

    @property
    def name(self) -> str:
        return "loses large entries"

    def claims(self, d: int) -> tuple[Claim, ...]:
        source = Source("nobody", 2026)
        return (Unbiased(source), Contraction(1.0, "1", source))

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("values", d, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return (torch.where(x > 1, torch.nan, x),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0]

    def stated_bits(self, d: int, float_bits: int) -> float:
        return float(d * float_bits)


def test_an_operator_that_gives_nan_is_refuted_by_every_check() -> None:
    assert search(LosesLarge(), 16, seed=0).ratio == math.inf
    checks = ("exact enumeration", "Monte Carlo", "worst-case search")
    for verdict in check_compressor(LosesLarge(), d=16):
        if verdict.check in checks:
            assert verdict.outcome is Outcome.REFUTED, verdict


def test_the_search_moves_beyond_its_starts() -> None:
    key = Key.seed(7).fold("adversary")
    ratio, how, *_ = ratio_of(QSGD(1), 16, key, 1)
    best_start = float(ratio(random_starts(16, key)["random"]).max())
    assert how == "closed form"
    assert best_start < 2.6 < 2.97 <= search(QSGD(1), 16, seed=7, structured=False).ratio


def test_the_closed_form_is_the_error_of_the_code() -> None:
    key = Key.seed(0)
    for rows in structured_starts(6, key).values():
        for member in (QSGD(2), TernGrad(), NaturalCompression()):
            closed, *_ = ratio_of(member, 6, key, 1)
            x = rows[0]
            outcomes = sample(member, x, 20_000, key)
            error = (outcomes - x).square().sum(-1) / x.square().sum()
            # 7 standard errors, plus 1e-3 for outcomes too rare to be seen
            width = 7 * float(error.std()) / math.sqrt(20_000) + 1e-3
            assert float(closed(rows)[0]) == pytest.approx(float(error.mean()), abs=width)


def test_nothing_is_lost_by_the_identity() -> None:
    assert search(Identity(), 5, seed=0, rounds=20).ratio == 0


def test_zero_vectors_have_no_ratio() -> None:
    ratio, *_ = ratio_of(ScaledSign(), 3, Key.seed(0), 1)
    assert ratio(torch.zeros(2, 3, dtype=torch.float64)).tolist() == [0, 0]


def test_searches_repeat() -> None:
    one, two = (search(TernGrad(), 5, seed=3, rounds=30) for _ in range(2))
    assert torch.equal(one.x, two.x) and one.ratio == two.ratio
