"""Constants that are looser than they were: each kind of claim planted 5% looser is refuted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from algorithms.catalogue import OPERATORS
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.top_k import TopK
from algorithms.compressors.variance_threshold import VarianceThreshold
from proofs_check.compressors.attained import CHECK, SHOWN, stored
from proofs_check.compressors.check import EXACT, check_compressor
from proofs_check.verdict import Outcome
from theory.claims import Contraction, VarianceBound

SOME = ("subsampling(q=0.25)", "top-k(k=0.1d)", "unambiguous(alpha=1)", "QSGD(s=4)", "TernGrad")


def outcomes(name):
    found = check_compressor(OPERATORS[name], d=100, seed=1, only=EXACT)
    return [one.outcome for one in found if one.check == CHECK]


@pytest.mark.parametrize("name", SOME)
def test_genuine_claims_are_as_near_as_they_were(name):
    assert set(outcomes(name)) == {Outcome.AGREES}


@pytest.mark.parametrize(
    ("kind", "name"),
    [(RandomMask, SOME[0]), (TopK, SOME[1]), (VarianceThreshold, SOME[2])],
)
def test_a_claim_that_promises_less_than_holds_is_refuted(kind, name, monkeypatch):
    true = kind.claims

    def looser(self, d):
        for claim in true(self, d):
            if isinstance(claim, VarianceBound):
                yield replace(claim, omega=1.05 * claim.omega)
            elif isinstance(claim, Contraction):
                yield replace(claim, delta=0.95 * claim.delta)
            else:
                yield claim

    monkeypatch.setattr(kind, "claims", lambda self, d: tuple(looser(self, d)))
    assert Outcome.REFUTED in outcomes(name)


def test_what_is_kept_is_of_the_operators_there_are():
    kept = stored()
    assert set(kept) <= set(OPERATORS)
    every = [one for by_length in kept.values() for of in by_length.values() for one in of.items()]
    assert len(every) > 150
    for formula, (check, share) in every:
        assert check in SHOWN and 0 < share <= 1.02, formula


def test_operators_of_ones_own_are_held_to_nothing_of_ours():
    found = check_compressor(RandomMask(0.3), d=100, seed=1, only=EXACT)
    assert not [one for one in found if one.check == CHECK]
