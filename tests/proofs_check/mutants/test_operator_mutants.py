"""No true operator is refuted; every planted mistake is, by the check named."""

from __future__ import annotations

from fractions import Fraction

import pytest

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.top_k import TopK
from proofs_check.compressors.check import EXACT, MONTE_CARLO, WORST_CASE, check_compressor
from proofs_check.compressors.lengths import check_lengths
from proofs_check.evidence.quantisation.closed_forms import PrintedNatural
from proofs_check.instruments.exact import exact_law
from proofs_check.mutants.method_mutant import FaultyCompressor, OperatorMutant
from proofs_check.mutants.report import MUTANTS
from proofs_check.verdict import Outcome

MEMBERS: tuple[Compressor, ...] = (
    Identity(),
    TopK(1),
    TopK(0.1),
    RandK(1),
    RandK(0.1),
    RandK(0.25, scaled=False),
    RandK(0.1, send_indices=True),
    QSGD(1),
    QSGD(4),
    QSGD(16),
    TernGrad(),
    NaturalCompression(),
    ScaledSign(),
)


@pytest.mark.slow
@pytest.mark.parametrize("d", [3, 100])
@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_no_true_operator_is_refuted(member: Compressor, d: int) -> None:
    verdicts = check_compressor(member, d=d, seed=d)
    assert not [v for v in verdicts if v.outcome is Outcome.REFUTED]
    proved = [v for v in verdicts if v.check == EXACT]
    assert proved and all(v.outcome is Outcome.PROVED for v in proved)
    assert {v.check for v in verdicts} >= {EXACT, MONTE_CARLO, WORST_CASE}
    assert all(v.subject == member.name and v.evidence and v.provenance for v in verdicts)


def of_a_member(mutant: OperatorMutant) -> bool:
    """Whether it poses as an operator of the kinds above; all others are tried at one dimension."""
    wrong = mutant.mutant
    return isinstance(wrong, FaultyCompressor) and type(wrong.right) in {type(m) for m in MEMBERS}


@pytest.mark.parametrize("d", [16, 1000])
@pytest.mark.parametrize(
    "mutant", [m for m in MUTANTS if of_a_member(m)], ids=lambda mutant: mutant.name
)
def test_every_mutant_is_refuted_by_name(mutant: OperatorMutant, d: int) -> None:
    verdicts = check_compressor(mutant.mutant, d=d, only=mutant.check)
    refuting = {v.check for v in verdicts if v.outcome is Outcome.REFUTED}
    assert mutant.check in refuting, [(v.check, v.outcome, v.evidence) for v in verdicts]


@pytest.mark.parametrize("check", sorted({mutant.check for mutant in MUTANTS}))
def test_a_check_alone_says_what_it_says_among_all(check: str) -> None:
    wrong = next(mutant.mutant for mutant in MUTANTS if mutant.check == check)
    among = [v for v in check_compressor(wrong, d=256) if v.check == check]
    alone = [v for v in check_compressor(wrong, d=256, only=check) if v.check == check]
    assert among and repr(alone) == repr(among)


def test_mutants_have_names_and_reasons() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 8
    assert all(mutant.planted for mutant in MUTANTS)


def test_the_printed_natural_compression_gives_three_for_two_and_a_half() -> None:
    """Erratum E9: p(t) = 2^-floor gives E = 3 at t = 2.5 and happens to be right at t = 3."""
    printed = PrintedNatural(NaturalCompression())
    assert exact_law(printed, (Fraction(5, 2),)).mean == (3,)
    assert exact_law(printed, (3,)).mean == (3,)


def test_a_kept_number_too_large_for_small_vectors_is_said_to_be_out_of_reach() -> None:
    verdicts = check_compressor(RandK(10), d=50)
    assert {v.outcome for v in verdicts if v.check == EXACT} == {Outcome.NOT_APPLICABLE}
    assert not [v for v in verdicts if v.outcome is Outcome.REFUTED]
    with pytest.raises(ValueError, match=r"k must lie in \[1, d\], got k=10 with d=5"):
        check_compressor(RandK(10), d=5)


@pytest.mark.parametrize("d", [1, 2, 7, 33])
@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_three_lengths_agree(member: Compressor, d: int) -> None:
    verdict = check_lengths(member, d=d)
    assert verdict.outcome is Outcome.AGREES, verdict.evidence
    assert verdict.statistic == verdict.bound == member.stated_bits(d, 32)


def test_a_tight_claim_is_reached_at_a_thousand_coordinates() -> None:
    verdicts = check_compressor(QSGD(1), d=1000)
    tight = [v for v in verdicts if v.check == WORST_CASE and "claimed tight" in v.evidence]
    assert len(tight) == 1 and tight[0].tightness is not None
    assert 0.99 <= tight[0].tightness <= 1 + 1e-9
