"""Faults seen in other people's compressors, re-stated: each is caught where it lies."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from proofs_check.audit.audit import Audit, audit
from proofs_check.audit.claims import Stated
from proofs_check.audit.faults import SubjectFault
from proofs_check.audit.plan import Plan
from proofs_check.audit.subject import subject_of
from proofs_check.verdict import Outcome, Verdict
from tests.proofs_check.audit import sound

SMALL = Plan(d=20, samples=2000, search=2000)


def audited(thing: Any, stated: Stated | None = None, plan: Plan = SMALL) -> Audit:
    return audit(subject_of("planted", thing), stated, plan)


def verdict(found: Audit, check: str) -> Verdict:
    return next(one for one in found.verdicts if one.check == check)


def refuted(found: Audit) -> set[str]:
    return {one.check for one in found.verdicts if one.outcome is Outcome.REFUTED}


def class_of(found: Audit) -> str:
    assert found.fit is not None
    return found.fit.name


def one_in(rate: float, hide: bool) -> Callable[[np.ndarray], np.ndarray]:
    """Each coordinate with this chance, unscaled; ``hide`` turns NaN and infinity into numbers."""

    def masked(x: np.ndarray) -> np.ndarray:
        kept = np.random.random(len(x)) < rate
        return np.where(kept, np.nan_to_num(x) if hide else x, 0).astype(x.dtype)

    return masked


def min_max(constant: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """256 levels between the extremes; ``constant`` is what becomes of a vector without a range."""

    def quantised(x: np.ndarray) -> np.ndarray:
        low, high = x.min(), x.max()
        if high == low:
            return constant(x)
        level = np.round((x - low) / (high - low) * 255)
        return np.asarray(low + level / 255 * (high - low), dtype=x.dtype)

    return quantised


def with_replacement(x: np.ndarray) -> np.ndarray:
    """Rand-k of a tenth whose indices may coincide, scaled as if they could not."""
    k = sound.share(len(x))
    y = np.zeros_like(x)
    kept = np.random.randint(0, len(x), k)
    y[kept] = x[kept] * (len(x) / k)
    return y


def above_signed_maximum(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0.1 * x.max(), x, 0)


def strictly_above(x: np.ndarray) -> np.ndarray:
    """Top-k by a threshold that the k-th largest does not pass itself."""
    size = np.sort(np.abs(x))[::-1]
    return np.where(np.abs(x) > size[min(sound.share(len(x)), len(x) - 1)], x, 0)


def by_last_kept(x: np.ndarray) -> np.ndarray:
    """Top-k in units of the smallest entry that is kept, which may be zero."""
    y = sound.largest(x, -(-len(x) // 2))
    unit = np.sort(np.abs(x))[-(-len(x) // 2)] if len(x) > 1 else 1.0
    return np.asarray(y / unit * unit, dtype=x.dtype)


def no_coordinate_of_few(x: np.ndarray) -> np.ndarray:
    """Top-k of a tenth, rounded down to none in small dimensions."""
    return sound.largest(x, len(x) // 10)


class InTurn:
    """Even and odd coordinates, call by call."""

    def __init__(self) -> None:
        self.turn = 0

    def compress(self, x: np.ndarray) -> np.ndarray:
        self.turn += 1
        return np.where(np.arange(len(x)) % 2 == self.turn % 2, x, 0)


@pytest.mark.slow
def test_a_rare_coordinate_is_not_called_hidden_until_it_was_drawn() -> None:
    few = Plan(d=20, samples=200, search=200)
    kept = audited(one_in(0.01, hide=False), plan=few)
    assert {"NaN", "infinity"}.isdisjoint(refuted(kept))
    assert "stays in its place" in verdict(kept, "NaN").evidence
    hidden = audited(one_in(0.01, hide=True), plan=few)
    assert {"NaN", "infinity"} <= refuted(hidden)
    rarely = audited(one_in(1e-4, hide=True), plan=few)
    assert verdict(rarely, "NaN").outcome is Outcome.NOT_APPLICABLE
    assert "too seldom to tell" in verdict(rarely, "NaN").evidence


def test_a_hundredth_of_the_coordinates_is_a_contraction_as_it_is() -> None:
    stated = Stated(delta="max(0.01, 1 / d)")
    found = audited(sound.rand_k_of_a_hundredth, stated, Plan(d=300, samples=2000, search=2000))
    assert class_of(found).startswith("contraction") and "scaling" not in class_of(found)
    assert "no contraction as it is" not in found.fit.text if found.fit else False
    assert not refuted(found)


def test_dividing_by_the_norm_shows_at_zero_alone() -> None:
    def normalised(x: np.ndarray) -> np.ndarray:
        norm = np.linalg.norm(x.astype(np.float64))
        return np.asarray(np.abs(x).mean() * np.sign(x.astype(np.float64) / norm), dtype=x.dtype)

    found = audited(normalised, Stated(delta="1 / d"))
    assert class_of(found) == "contraction, except at zero"
    assert refuted(found) == {"zero", "NaN", "infinity"}
    zeros = [one for one in found.claims if one.outcome is Outcome.REFUTED]
    assert [one.evidence for one in zeros] == ["d = 1: C(x) = (nan) for x = (0)"]
    assert all(np.isfinite(one.most_biased.bias) for one in found.measures)


def test_counterexamples_stay_in_their_kind() -> None:
    def overflows(x: np.ndarray) -> np.ndarray:
        norm = np.sqrt((x.astype(np.float32) ** 2).sum())
        return np.asarray(x / norm * norm, dtype=x.dtype)

    found = audited(overflows)
    assert verdict(found, "huge").evidence.endswith("C(x) = (nan) for x = (1e+30)")
    assert verdict(found, "tiny").evidence.endswith("C(x) = (nan) for x = (1e-40)")


def test_what_becomes_of_a_vector_without_a_range() -> None:
    nothing = audited(min_max(np.zeros_like))
    assert {"d = 1", "constant"} <= refuted(nothing)
    assert "d = 2: C(x) = (0, 0) loses no less" in verdict(nothing, "constant").evidence
    largest = audited(min_max(lambda x: np.full_like(x, 255)))
    assert {"d = 1", "constant"} <= refuted(largest)
    assert "C(x) = (255)" in verdict(largest, "d = 1").evidence
    assert {"d = 1", "constant"}.isdisjoint(refuted(audited(min_max(np.copy))))


def test_digits_that_are_rounded_do_not_hang_on_the_size() -> None:
    """1 is a power of two and 10^30 is none: no more is lost at that size, but of other digits."""
    found = audited(sound.nearest_power_of_two, Stated(delta="8 / 9"))
    assert {"huge", "tiny"}.isdisjoint(refuted(found)) and not found.refuted
    assert audited(sound.nearest_power_of_two, Stated(delta="9 / 10")).refuted


def test_a_threshold_in_absolute_units_is_a_design() -> None:
    found = audited(lambda x: np.where(np.abs(x) >= 2, x, 0))
    assert {"d = 1", "constant", "tiny"}.isdisjoint(refuted(found))
    for check in ("d = 1", "constant", "tiny"):
        assert verdict(found, check).outcome is Outcome.COMPARED
        assert "by size" in verdict(found, check).evidence


def test_coordinates_in_turn_are_a_design() -> None:
    found = audited(InTurn)
    assert "one-hot" not in refuted(found)
    assert "in turn" in verdict(found, "one-hot").evidence


@pytest.mark.slow
def test_indices_drawn_with_replacement_are_seen_in_the_mean() -> None:
    plan = Plan(d=100, search=1000)
    found = audited(with_replacement, Stated(unbiased=True), plan)
    assert found.refuted
    assert not audited(sound.rand_k, Stated(unbiased=True), plan).refuted


@pytest.mark.slow
def test_a_hundredth_with_replacement_is_seen_by_more_draws() -> None:
    """1 - (1 - (1 - 1/d)^k) d / k = 0.0022 of x is lost: below the first sample's half-width."""

    def hundredth(x: np.ndarray) -> np.ndarray:
        k = max(1, len(x) // 100)
        y = np.zeros_like(x)
        kept = np.random.randint(0, len(x), k)
        y[kept] = x[kept] * (len(x) / k)
        return y

    found = audited(hundredth, Stated(unbiased=True), Plan(d=500, search=1000))
    assert found.refuted
    assert "d = 500" in found.claims[0].evidence


def test_the_signed_maximum_of_negative_vectors() -> None:
    found = audited(above_signed_maximum)
    assert {"d = 1", "negative-only", "one-hot", "mirror"} <= refuted(found)
    assert "x = (-1, -1)" in verdict(found, "negative-only").evidence


def half_of_signed_maximum(x: np.ndarray) -> np.ndarray:
    y = np.zeros_like(x)
    large = np.flatnonzero(x >= 0.5 * x.max())
    y[large] = x[large]
    return y


def upper_signed_quarter(x: np.ndarray) -> np.ndarray:
    return (x * (x >= np.quantile(x, 0.75))).astype(x.dtype)


def signed_top(x: np.ndarray) -> np.ndarray:
    y = np.zeros_like(x)
    kept = np.argsort(x)[-sound.share(len(x)) :]
    y[kept] = x[kept]
    return y


@pytest.mark.parametrize("thing", [half_of_signed_maximum, upper_signed_quarter, signed_top])
def test_negative_entries_are_lost_where_signs_are_compared(thing: Any) -> None:
    """The only entry of a vector comes back as 0 where it is negative."""
    lost = verdict(audited(thing), "one-hot")
    assert lost.outcome is Outcome.REFUTED
    assert "C(x) = (0, 0)" in lost.evidence and "-" in lost.evidence.split("for x = ")[1]


@pytest.mark.slow
def test_a_mask_of_indices_that_coincide_is_seen_in_the_mean() -> None:
    """The same fault as :func:`with_replacement`, by a mask and of a quarter."""

    def quarter(x: np.ndarray) -> np.ndarray:
        k = max(1, len(x) // 4)
        mask = np.zeros(len(x), dtype=bool)
        mask[np.random.choice(len(x), size=k)] = True
        return (mask * x * (len(x) / k)).astype(x.dtype)

    assert audited(quarter, Stated(unbiased=True), Plan(d=100, search=1000)).refuted


def test_thresholds_that_equal_entries_do_not_pass() -> None:
    found = audited(strictly_above)
    assert {"constant", "ties", "few entries"} <= refuted(found)


def test_fewer_entries_than_are_kept() -> None:
    found = audited(by_last_kept)
    assert {"few entries", "one-hot"} <= refuted(found)
    assert {"constant", "ties", "huge", "negative-only"}.isdisjoint(refuted(found))


def test_nothing_is_kept_in_small_dimensions() -> None:
    assert "d = 1" in refuted(audited(no_coordinate_of_few))


@pytest.mark.parametrize("delta", ["4 * k / d", "4 * k / sqrt(d)", "4"])
def test_a_low_rank_with_four_times_its_delta(delta: str) -> None:
    found = audited(sound.rank_one, Stated(delta=delta, names={"k": 1.0}))
    assert found.refuted


class Leaves:
    """Ends the program: where it is made, at once, or after some calls."""

    def __init__(self, calls: int) -> None:
        self.left = calls
        self.count()

    def count(self) -> None:
        if self.left == 0:
            sys.exit(0)
        self.left -= 1

    def compress(self, x: np.ndarray) -> np.ndarray:
        self.count()
        return x / 2


@pytest.mark.parametrize("calls", [0, 1, 3])
def test_what_ends_the_program_ends_no_audit(calls: int) -> None:
    with pytest.raises(SubjectFault, match=r"Exits.*sys\.exit\(0\).*test_planted.py, line"):
        audited(lambda: Leaves(calls))


class Stopped(BaseException):
    """What ``except Exception`` lets through."""


def test_what_no_except_exception_catches_is_the_subjects_fault() -> None:
    def stops(x: np.ndarray) -> np.ndarray:
        raise Stopped("here")

    with pytest.raises(SubjectFault, match=r"Stopped: here.*test_planted.py, line"):
        audited(stops)


@pytest.mark.parametrize(("delta", "wrong"), [("0.05", False), ("0.06", True)])
def test_a_low_rank_is_worst_where_all_singular_values_are_equal(delta: str, wrong: bool) -> None:
    """Rank one of 20 x 20 loses 19/20 there, and less of any other matrix (Eckart and Young)."""

    def best(x: np.ndarray) -> np.ndarray:
        matrix = x.reshape(sound.rows_of(len(x)), -1)
        u, s, v = np.linalg.svd(matrix, full_matrices=False)
        return np.asarray(s[0] * np.outer(u[:, 0], v[0]), dtype=x.dtype).reshape(-1)

    found = audited(best, Stated(delta=delta), Plan(d=400, samples=200, search=200))
    assert found.refuted is wrong
    if wrong:
        assert found.measures[-1].worst.look.ratio == pytest.approx(0.95, abs=1e-6)


def test_what_gains_nothing_anywhere_is_not_called_sound_in_one_dimension() -> None:
    def grows(x: np.ndarray) -> np.ndarray:
        return np.asarray(255 * x, dtype=x.dtype)

    found = verdict(audited(grows), "d = 1")
    assert found.outcome is Outcome.COMPARED
    assert "E C(1) = 255, no nearer to x than 0 is, as with ordinary vectors" in found.evidence
