"""A subject whose calls are slow is drawn less often, at the same error, and the audit says so."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from proofs_check.audit import plan as pace
from proofs_check.audit.audit import audit
from proofs_check.audit.claims import Stated
from proofs_check.audit.subject import subject_of
from proofs_check.verdict import Outcome

MOST_CALLS = 3_600
"""72 seconds at 20 ms a call."""


class Counted:
    """Random-k of a quarter, scaled by ``factor``; counts its calls."""

    def __init__(self, factor: float) -> None:
        self.factor, self.calls = factor, 0
        self.draws = np.random.default_rng(0)

    def __call__(self, x):
        self.calls += 1
        d = len(x)
        k = max(1, d // 4)
        out = np.zeros_like(x)
        at = self.draws.choice(d, k, replace=False)
        out[at] = x[at] * (d / k if self.factor == 1 else self.factor)
        return out


@pytest.fixture
def slow(monkeypatch):
    """Every look at the clock finds 20 ms more."""
    ticks = itertools.count()
    monkeypatch.setattr(pace.time, "perf_counter", lambda: 0.02 * next(ticks))


def found(factor):
    counted = Counted(factor)
    told = audit(subject_of("random-k", lambda x: counted(x)), Stated(unbiased=True))
    return counted, told


def test_a_slow_sound_subject_takes_about_a_minute_and_says_what_was_drawn(slow):
    counted, told = found(1)
    assert counted.calls <= MOST_CALLS, counted.calls
    assert [one.d for one in told.measures] == [4, 1000]
    claim = told.claims[0]
    assert claim.outcome is Outcome.SUPPORTED, claim
    refuted = {one.claim for one in told.verdicts if one.outcome is Outcome.REFUTED}
    assert refuted <= {"the same seeds bring the same outcome"}  # its generator is its own
    assert "a call takes 20 ms, so a share of" in claim.provenance, claim
    assert "24 samples" in claim.provenance, claim
    assert claim.resolution is not None and 0.1 < claim.resolution < 5


def test_a_slow_biased_subject_is_still_refuted(slow):
    counted, told = found(40.0)
    assert counted.calls <= MOST_CALLS, counted.calls
    assert told.claims[0].outcome is Outcome.REFUTED, told.claims


def test_a_quick_subject_is_drawn_as_usual():
    assert pace.pace_of(subject_of("identity", lambda x: x), (1, 4), 60.0) == pace.USUAL
