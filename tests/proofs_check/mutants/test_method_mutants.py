"""How the verdicts on a wrong method are read."""

from __future__ import annotations

from proofs_check.mutants.method_mutant import decisive
from proofs_check.verdict import Outcome, Verdict


def test_one_refuted_verdict_decides() -> None:
    good = Verdict("s", "c", "k", Outcome.AGREES)
    bad = Verdict("s", "c", "k", Outcome.REFUTED)
    assert decisive((good, bad)) is bad
    assert decisive((good, good)) is good
    assert decisive(bad) is bad
