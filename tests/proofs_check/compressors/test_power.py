"""How small a fault the checks of operators see in R^1000, and that chance calls none of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import pytest
import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.base import Compressor
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.wangni import Wangni
from algorithms.key import Draws, Key
from proofs_check.compressors.check import MONTE_CARLO, check_compressor
from proofs_check.compressors.confirmed import second_look
from proofs_check.compressors.evidence import Evidence, sampled
from proofs_check.compressors.lengths import LENGTHS
from proofs_check.compressors.power import smallest_faults
from proofs_check.instruments.place_law import place_law
from proofs_check.instruments.statistics import ErrorBudget
from proofs_check.mutants.operator_mutant import Impostor
from proofs_check.verdict import Outcome
from theory.claims import Claim, Source, Unbiased, VarianceBound

D = 1000
ALONE = (QSGD(1), QSGD(4), TernGrad(), NaturalCompression(), Wangni(0.25))


@final
@dataclass(frozen=True)
class Leaning(Impostor):
    """The right operator, times ``factor``."""

    right: Compressor
    factor: float = 1.01

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.encode(x, draws)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return self.factor * self.right.decode(symbols, d, dtype, draws)


@final
@dataclass(frozen=True)
class Firing(Impostor):
    """x / p with probability p, else nothing, drawn once for the row: unbiased, omega = 1/p - 1."""

    right: Compressor
    p: float
    omega: float

    def claims(self, d: int) -> tuple[Claim, ...]:
        source = Source("Example", 2020, "", "by inspection")
        return Unbiased(source), VarianceBound(self.omega, "1/p - 1", source)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        fires = draws.uniform(1, torch.float64) < self.p
        return (torch.where(fires, x / self.p, 0),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0]


@pytest.mark.parametrize("operator", ALONE, ids=lambda o: o.name)
def test_a_law_by_place_has_the_moments_of_its_grid_and_of_its_samples(operator):
    x = torch.linspace(-2, 3, D, dtype=torch.float64)
    law = place_law(operator, x, Key.seed(1))
    assert law is not None
    assert float((law.mean - x).norm() / x.norm()) < 1e-13
    assert float(law.chances.sum(0).sub(1).abs().max()) == 0
    if isinstance(operator, QSGD | NaturalCompression | TernGrad):
        assert law.square_error == pytest.approx(float(operator.variance(x[None])[0]), rel=1e-12)


def test_operators_whose_coordinates_share_draws_have_no_such_law():
    x = torch.linspace(-2, 3, D, dtype=torch.float64)
    assert place_law(RandK(0.25), x, Key.seed(1)) is None
    assert place_law(Firing(QSGD(1), 0.5, 1.0), x, Key.seed(1)) is None


@pytest.mark.parametrize("operator", [*ALONE, RandK(0.25)], ids=lambda o: o.name)
def test_a_bias_of_one_in_a_hundred_is_refuted(operator):
    verdicts = check_compressor(Leaning(operator), d=D)
    unbiased = [v for v in verdicts if v.check == MONTE_CARLO and v.claim == "E C(x) = x"]
    assert [v.outcome for v in unbiased] == [Outcome.REFUTED]


@pytest.mark.parametrize("operator", [*ALONE, RandK(0.25)], ids=lambda o: o.name)
def test_faults_of_one_per_cent_are_seen(operator):
    found = smallest_faults(operator, D)
    assert found.excess <= 0.01 and found.bias is not None and found.bias <= 0.01


def test_an_operator_that_fires_once_in_ten_thousand_is_not_called_biased():
    """In 20,000 outcomes at a vector it may never fire, and was refuted for it."""
    fires = Firing(QSGD(1), 1e-4, 1e4 - 1)
    silent = 0
    for seed in range(4, 8):
        verdicts = check_compressor(fires, d=4, seed=seed)
        wrong = [v for v in verdicts if v.outcome is Outcome.REFUTED and v.check != LENGTHS]
        assert not wrong, (seed, wrong)
        seen = sampled(Evidence(fires, 4, seed, ErrorBudget()))
        silent += sum(bool(r.x.any()) and not bool(r.values.any()) for r in seen.values())
    assert silent >= 1


def test_a_second_look_refutes_what_fires_too_seldom():
    """x / 2 on average, where a variance of 3 is claimed; with no claim nothing is for sure."""
    x = torch.tensor([3.0, -4.0], dtype=torch.float64)
    u, key, fair = x / x.norm(), Key.seed(3), Firing(QSGD(1), 0.25, 3.0)
    assert second_look(Leaning(fair, 0.5), x, u, 0.4, 3.0, 1e-10, key).refuted
    assert not second_look(fair, x, u, 0.4, 3.0, 1e-10, key).refuted
    assert not second_look(Leaning(fair, 0.5), x, u, 0.4, None, 1e-10, key).refuted
