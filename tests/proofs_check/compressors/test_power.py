"""How small a fault the checks of operators see in R^1000, and that chance calls none of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import pytest
import torch
from scipy import optimize
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor
from algorithms.compressors.count_sketch import CountSketch
from algorithms.compressors.layerwise import Buckets, LayerWise
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.rotated import Rotated
from algorithms.compressors.spectral_atomo import SpectralAtomo
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.wangni import Wangni
from algorithms.core.key import Draws, Key
from proofs_check.compressors.check import MONTE_CARLO, check_compressor
from proofs_check.compressors.evidence import Evidence, sampled
from proofs_check.compressors.lengths import LENGTHS
from proofs_check.compressors.longer import second_look
from proofs_check.compressors.power import smallest_faults
from proofs_check.instruments.place_law import place_law
from proofs_check.instruments.statistics import ErrorBudget, mean_test
from proofs_check.instruments.sum_law import sum_law
from proofs_check.mutants.method_mutant import FaultyCompressor
from proofs_check.verdict import Outcome
from theory.claims import Claim, Source, Unbiased, VarianceBound

D = 1000
ALONE = (QSGD(1), QSGD(4), TernGrad(), NaturalCompression(), Wangni(0.25))
PARTED = (LayerWise(TernGrad()), Buckets(QSGD(4), 25))
LONGER = (CountSketch(1, 16), CountSketch(3, 16), Rotated())


@final
@dataclass(frozen=True)
class Leaning(FaultyCompressor):
    """The right operator, times ``factor``."""

    right: Compressor
    factor: float = 1.01

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.encode(x, draws)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return self.factor * self.right.decode(symbols, d, dtype, draws)


@final
@dataclass(frozen=True)
class Firing(FaultyCompressor):
    """x / p with probability p, else nothing, drawn once for the row: unbiased, omega = 1/p - 1."""

    right: Compressor
    p: float
    omega: float

    def claims(self, d: int) -> tuple[Claim, ...]:
        source = Source("Example", 2020, "", "by inspection")
        return Unbiased(source), VarianceBound(self.omega, "1/p - 1", source)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        fires = draws.integers(10_000, 1) < 10_000 * self.p
        return (torch.where(fires, x / self.p, 0),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0]


@final
@dataclass(frozen=True)
class Squared(Compressor):
    """x times the product of two draws of one half: few uniforms, and no sum."""

    @property
    def name(self) -> str:
        return "squared"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return ()

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("values", d, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        fires = (draws.uniform(2, torch.float64) < 0.5).all(-1, keepdim=True)
        return (torch.where(fires, 4 * x, 0),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0]

    def stated_bits(self, d: int, float_bits: int) -> float:
        return d * float_bits


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


@pytest.mark.parametrize("operator", PARTED, ids=lambda o: o.name)
def test_parts_that_draw_side_by_side_have_a_law_by_place(operator):
    x = torch.linspace(-2, 3, D, dtype=torch.float64)
    law = place_law(operator, x, Key.seed(1))
    assert law is not None
    cut = zip(operator.operators(D), x.split(operator.sizes(D)), strict=True)
    variance = sum(float(inner.variance(part[None])[0]) for inner, part in cut)
    assert law.square_error == pytest.approx(variance, rel=1e-12)
    assert float((law.mean - x).norm() / x.norm()) < 1e-13
    assert place_law(Firing(operator, 0.5, 1.0), x, Key.seed(1)) is None


def _atoms(x: Tensor, s: int) -> float:
    """Variance of atoms kept with probabilities of sum s, from numpy's singular values."""
    sigma = np.linalg.svd(x.reshape(30, 30).numpy(), compute_uv=False)
    p = np.minimum(1, sigma / optimize.brentq(lambda w: np.minimum(1, sigma / w).sum() - s,
                                              1e-9, 2 * sigma.sum()))  # fmt: skip
    return float((sigma**2 * (1 / p - 1)).sum())


@pytest.mark.parametrize("s", [1, 3])
def test_a_law_of_a_sum_has_the_moments_of_its_atoms(s):
    x = (
        Key.seed(4)
        .draws(torch.tensor(0), torch.zeros(1, dtype=torch.int64))
        .normal(900, torch.float64)[0]
    )
    law = sum_law(SpectralAtomo(s), x, Key.seed(1))
    assert law is not None
    assert law.square_error == pytest.approx(_atoms(x, s), rel=1e-10)
    assert float((law.mean - x).norm() / x.norm()) < 1e-10
    leaning = sum_law(Leaning(SpectralAtomo(s)), x, Key.seed(1))
    assert leaning is not None
    assert float((leaning.mean - x).norm() / x.norm()) == pytest.approx(0.01, rel=1e-6)


def test_what_multiplies_or_draws_much_is_no_sum():
    x = torch.linspace(-2, 3, D, dtype=torch.float64)
    assert sum_law(RandK(0.25), x, Key.seed(1)) is None
    assert sum_law(Squared(), x, Key.seed(1)) is None


@pytest.mark.parametrize("operator", LONGER, ids=lambda o: o.name)
def test_where_no_law_is_to_be_had_a_longer_sample_sees_one_per_cent(operator):
    found = smallest_faults(operator, 200)
    assert found.laws == 0 or isinstance(operator, Rotated)
    assert found.excess <= 0.01 and found.bias is not None and found.bias <= 0.01


def test_longer_samples_refute_what_shorter_ones_do_not_see():
    sketch = CountSketch(1, 16)
    fair, biased = (
        next(v for v in check_compressor(o, d=200, only=MONTE_CARLO) if v.claim == "E C(x) = x")
        for o in (sketch, Leaning(sketch, 1.025))
    )
    assert fair.outcome is Outcome.SUPPORTED and "samples more" in fair.evidence
    assert biased.outcome is not Outcome.SUPPORTED
    x = sampled(Evidence(Leaning(sketch, 1.025), 200, 0, ErrorBudget()))["gaussian"]
    assert not mean_test(x.values, x.x, 1e-10, x.gain).refuted


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
