"""Natural dithering, k levels and the rotation against the reference's vectors and scipy."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import scipy.linalg
import torch

from algorithms.compressors.k_level import KLevel, Span
from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.rotated import Rotated
from algorithms.core.key import Key
from algorithms.kernels.hadamard import hadamard, hadamard_numba, hadamard_torch
from proofs_check.instruments.exact import exact_law

BASE = tuple(map(Fraction, (3, -4, 0, 12)))


def test_natural_dithering_has_the_reference_variance() -> None:
    law = exact_law(NaturalDithering(2), BASE)
    assert law.mean == BASE
    assert law.error == 26


def test_natural_dithering_with_one_level_is_qsgd_and_terngrad() -> None:
    assert exact_law(NaturalDithering(1), BASE).error == 78
    assert exact_law(NaturalDithering(1, math.inf), BASE).error == 59


@pytest.mark.parametrize(("k", "variance"), [(2, 3), (3, 1)])
def test_k_levels_have_the_reference_variance(k: int, variance: int) -> None:
    x = tuple(map(Fraction, (0, 1, 4)))
    law = exact_law(KLevel(k), x)
    assert law.mean == x
    assert law.error == variance


def test_k_levels_attain_their_constants() -> None:
    assert exact_law(KLevel(2), (1, -1, 0, 0, 0, 0)).error == 2 * Fraction(6 - 2, 2)
    claim = KLevel(4, Span.NORM).claims(5)[1]
    assert getattr(claim, "constant", None) == pytest.approx(4 / 18, rel=1e-12)


@pytest.mark.parametrize("d", [1, 2, 64])
def test_the_transform_is_scipys(d: int) -> None:
    x = Key.seed(3).draws(torch.arange(1), torch.arange(4)).normal(d, torch.float64)[0]
    matrix = torch.from_numpy(scipy.linalg.hadamard(d) / math.sqrt(d))
    torch.testing.assert_close(hadamard(x), x @ matrix, rtol=1e-13, atol=1e-13)
    assert torch.equal(hadamard_numba(x), hadamard_torch(x))
    assert torch.equal(hadamard(x)[2:3], hadamard(x[2:3]))


def test_the_transform_refuses_other_lengths() -> None:
    with pytest.raises(ValueError, match="power of two, got d=6"):
        hadamard(torch.zeros(1, 6))


def test_a_rotation_with_fine_levels_is_undone() -> None:
    draws = Key.seed(5).draws(torch.arange(1), torch.arange(3))
    x = draws.fold("x").normal(37, torch.float64)
    sent = Rotated(KLevel(2**24)).compress(x, draws)
    torch.testing.assert_close(sent, x, rtol=0, atol=1e-5)


def test_a_rotation_tames_a_row_that_is_bad_for_k_levels() -> None:
    draws = Key.seed(7).draws(torch.arange(1), torch.arange(2000))
    x = torch.zeros(1, 2000, 64, dtype=torch.float64)
    x[..., 0], x[..., 1] = 1.0, -1.0
    plain, turned = KLevel(2), Rotated(KLevel(2))
    error = [((c.compress(x, draws) - x) ** 2).sum(-1).mean() / 2 for c in (plain, turned)]
    assert error[0] == pytest.approx(31, abs=1e-9)  # (d - 2)/2, every draw alike
    assert error[1] <= 2 * math.log(64) + 2


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: KLevel(1), "k must lie in"),
        (lambda: NaturalDithering(0), "s must lie in"),
        (lambda: NaturalDithering(2, 3.0), "p must be 2 or inf"),
        (lambda: Rotated(KLevel(4, Span.NORM)), "inner must span the range"),
    ],
)
def test_bad_parameters_are_named(make: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        make()  # type: ignore[operator]
