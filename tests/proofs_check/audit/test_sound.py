"""Sound compressors are left alone: no verdict of the audit calls one faulty."""

from __future__ import annotations

from typing import Any

import pytest

from proofs_check.audit.audit import audit
from proofs_check.audit.claims import Stated
from proofs_check.audit.plan import Plan
from proofs_check.audit.subject import subject_of
from proofs_check.verdict import Outcome
from tests.proofs_check.audit.sound import CASES


@pytest.mark.slow
@pytest.mark.parametrize(
    ("thing", "stated", "found"), CASES, ids=[case[0].__name__ for case in CASES]
)
def test_nothing_untrue_is_said_of_it(thing: Any, stated: Stated, found: set[str]) -> None:
    plan = Plan(d=200, samples=2000, search=2000)
    seen = audit(subject_of(thing.__name__, thing), stated, plan)
    wrong = {one.check: one.evidence for one in seen.verdicts if one.outcome is Outcome.REFUTED}
    assert set(wrong) == found, wrong
