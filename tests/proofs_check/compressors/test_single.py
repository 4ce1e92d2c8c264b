"""Operators in single precision beside double: all agree, a bias of float32 alone is seen."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from algorithms.catalogue import OPERATORS
from algorithms.compressors.base import Compressor
from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.kernels import rounding, selection
from proofs_check.compressors.check import check_compressor
from proofs_check.compressors.single import CHECK, SharedNumbers, check_single
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.verdict import Outcome


@pytest.mark.parametrize("d", [16, 100])
def test_no_operator_does_otherwise_in_float32(d: int) -> None:
    looked = 0
    for operator in OPERATORS.values():
        try:
            operator.claims(d)
        except ValueError:
            continue
        verdict = check_single(operator, d=d, seed=3, alpha=TEST_ERROR)
        assert verdict.outcome is Outcome.SUPPORTED, (operator.name, verdict.evidence)
        looked += 1
    assert looked > 90


@pytest.mark.parametrize("d", [16, 100, 1000])
@pytest.mark.parametrize("operator", [QSGD(1), TernGrad(), Buckets(QSGD(4), 8)], ids=str)
def test_a_rounding_bias_of_float32_alone_is_refuted(
    operator: Compressor, d: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Levels are rounded up 0.004 too often: no check in double precision sees it."""
    true = rounding.levels_numba

    def biased(x: Tensor, scale: Tensor, s: int, u: Tensor, width: int) -> Tensor:
        return true(x, scale, s, u - 0.004 * (x.dtype == torch.float32), width)

    assert check_single(operator, d=d, seed=0, alpha=TEST_ERROR).outcome is Outcome.SUPPORTED
    monkeypatch.setattr(rounding, "levels_numba", biased)
    found = check_single(operator, d=d, seed=0, alpha=TEST_ERROR)
    assert found.outcome is Outcome.REFUTED, found.evidence


def test_a_selection_of_float32_alone_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The k-th largest is exchanged for the next, in float32 alone; ``check`` runs this check."""
    true = selection.largest_numba

    def shifted(x: Tensor, k: int) -> Tensor:
        if x.dtype == torch.float64:
            return true(x, k)
        order = x.abs().sort(dim=-1, descending=True).indices
        kept = torch.cat((order[:, : k - 1], order[:, k : k + 1]), -1)
        return kept.sort(dim=-1).values

    monkeypatch.setattr(selection, "largest_numba", shifted)
    refuted = [v.check for v in check_compressor(TopK(5), d=50) if v.outcome is Outcome.REFUTED]
    assert refuted == [CHECK]


def test_both_types_are_given_the_same_numbers() -> None:
    ids = torch.arange(3), torch.zeros(1, dtype=torch.int64)
    draws = SharedNumbers(Key.seed(1).draws(*ids))
    for ask in (draws.uniform, draws.fold("other", 2).uniform, draws.normal):
        single, double = ask(9, torch.float32), ask(9, torch.float64)
        assert single.dtype == torch.float32 and torch.equal(single.double(), double)
    plain = Key.seed(1).draws(*ids).uniform(9, torch.float64)
    assert (draws.uniform(9, torch.float64) - plain).abs().max() <= 2.0**-24
