"""Small audits for the tests of one matter, and what they say of it."""

from __future__ import annotations

from typing import Any

from proofs_check.audit.audit import Audit, audit, trial_of
from proofs_check.audit.claims import Stated
from proofs_check.audit.plan import Plan
from proofs_check.audit.randomness import undisturbed
from proofs_check.audit.subject import subject_of
from proofs_check.audit.traits import Traits, traits_of
from proofs_check.audit.trial import Trial
from proofs_check.verdict import Outcome, Verdict

SMALL = Plan(d=20, samples=500, search=500)


def audited(thing: Any, stated: Stated | None = None) -> Audit:
    """A small audit of a stranger's compressor."""
    return audit(subject_of("planted", thing), stated, SMALL)


def tried(thing: Any) -> Trial:
    """What single checks are made of; nothing is measured."""
    subject = subject_of("planted", thing)
    with undisturbed():
        traits = traits_of(subject, SMALL.dims)
    assert isinstance(traits, Traits)
    return trial_of(subject, SMALL, traits)


def verdict(found: Audit, check: str) -> Verdict:
    """The verdict of the check of that name."""
    return next(one for one in found.verdicts if one.check == check)


def refuted(found: Audit) -> set[str]:
    """The checks that were refuted."""
    return {one.check for one in found.verdicts if one.outcome is Outcome.REFUTED}
