"""Constants of claims against the formulas that are told of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

import pytest

from algorithms.compressors.base import Compressor
from algorithms.compressors.cocktail import Cocktail
from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from proofs_check.compressors.written_constants import written_constants
from proofs_check.prepare import OPERATORS
from proofs_check.verdict import Outcome
from theory.claims import Claim, Contraction, VarianceBound

WORDS = {
    "Dryden(pi=0.1)", "Dryden(pi=0.5)", "SBC(k=0.1d)", "low rank(r=1)", "low rank(r=2)", "one bit",
    "rotated k-level(k=16, span max - min)", "row top-k(k=0.5d) by layer", "spectral ATOMO(s=1)",
    "spectral ATOMO(s=1) by layer", "top-k hidden by layers(compute 0.001 s, ratio 10)",
    "top-k(k=0.001d) after 4 stages of 20 steps",
}  # fmt: skip
"""Operators whose formulas say in words how a matrix, a proportion or a stage is taken."""


def judged(operator: Compressor, d: int = 1000) -> Outcome:
    (found,) = written_constants((operator,), d)
    assert f"{d}" in found.provenance
    return found.outcome


def claims_at(name: str, d: int) -> tuple[Claim, ...]:
    try:
        return OPERATORS[name].claims(d)
    except ValueError:  # its parameters do not fit so short a row
        return ()


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_constants_are_as_they_are_written(name: str) -> None:
    found = {one.outcome for one in written_constants((OPERATORS[name],), 1000)}
    claimed = any(hasattr(one, "formula") for d in (7, 1000) for one in claims_at(name, d))
    read = Outcome.NOT_APPLICABLE if name in WORDS else Outcome.AGREES
    assert found == ({read} if claimed else set())


def changed(kind: type[Compressor], factor: float, power: float = 1.0, from_: int = 1) -> type:
    """The kind with constants that are ``factor`` times what they were to a ``power``, of rows of
    ``from_`` numbers and more."""

    @dataclass(frozen=True)
    class Changed(kind):  # type: ignore[misc, valid-type]
        def claims(self, d: int) -> tuple[Claim, ...]:
            def other(one: Claim) -> Claim:
                if isinstance(one, VarianceBound):
                    return replace(one, omega=factor * one.omega**power)
                if isinstance(one, Contraction):
                    return replace(one, delta=factor * one.delta**power)
                return one

            claims = super().claims(d)
            return tuple(map(other, claims)) if d >= from_ else claims

    return Changed


@pytest.mark.parametrize(
    "wrong",
    [
        changed(QSGD, 1.0, 2.0)(4), changed(QSGD, 0.999999)(16), changed(RandK, 1.05)(0.25),
        changed(TopK, 0.95)(0.1), changed(TopK, 0.95)(3), changed(Cocktail, 1.0, 0.5)(0.2, 0.4, 4),
        changed(TopK, 1 + 1e-9, from_=200)(0.1), Buckets(changed(QSGD, 1.05)(4), 25),
    ],
    ids=["a power", "one in a million", "5% more", "5% less", "of a count", "a root",
         "in long rows alone", "in buckets"],
)  # fmt: skip
def test_another_constant_is_refuted(wrong: Compressor) -> None:
    assert judged(wrong) is Outcome.REFUTED


def test_the_length_of_the_run_is_looked_at_too() -> None:
    assert judged(changed(TopK, 0.95, from_=500)(0.1), 1000) is Outcome.REFUTED
    assert judged(changed(TopK, 0.95, from_=500)(0.1), 100) is Outcome.AGREES


@pytest.mark.parametrize(("k", "up"), [(0.1, True), (0.1, False), (0.35, False), (3, True)])
def test_a_fraction_may_be_rounded_up_or_down(k: float, up: bool) -> None:
    """d/k - 1 of somebody's own operator that keeps ceil(k d), or floor(k d)."""

    @dataclass(frozen=True)
    class Own(RandK):
        def claims(self, d: int) -> tuple[Claim, ...]:
            of_d = Fraction(str(self.k)) * d
            share = self.k if isinstance(self.k, int) else ceil(of_d) if up else floor(of_d)
            if not 1 <= share <= d:
                raise ValueError(f"k must keep one coordinate or more, got k={self.k} with d={d}")
            *others, bound = super().claims(d)
            assert isinstance(bound, VarianceBound)
            return (*others, replace(bound, omega=d / share - 1))

    assert judged(Own(k)) is Outcome.AGREES


def test_words_are_not_read_and_nothing_is_told_of_no_constant() -> None:
    (found,) = written_constants((OPERATORS["low rank(r=1)"],), 100)
    assert found.outcome is Outcome.NOT_APPLICABLE and "over matrices" in found.evidence
    assert written_constants((OPERATORS["sign"],), 100) == ()
    assert written_constants((), 100) == ()


def test_operators_of_a_method_have_one_verdict() -> None:
    (found,) = written_constants((QSGD(4), changed(TopK, 0.5)(0.1)), 50)
    assert found.outcome is Outcome.REFUTED and "k/d is 0.5 off" in found.evidence
