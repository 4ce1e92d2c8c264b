"""Misprints of the survey, each shown to fail where the corrected formula holds.

The corrected rule or formula gives the stated value, and the printed one does not. Numbers are
those of the erratum (``theory.survey.rows``); each erratum is checked beside its row.
"""

from __future__ import annotations

from proofs_check.instruments.evidence import IDENTITY
from proofs_check.verdict import CheckKind, Outcome, Verdict


def erratum(
    name: str, row: str, claim: str, correct: tuple[float, float], printed: tuple[float, float],
    note: str = "",
) -> Verdict:  # fmt: skip
    """AGREES iff the corrected value is as stated and the printed one is not; pairs (got, want).

    ``printed`` holds what the printed formula or rule gives and what it ought to give.
    """
    fits = abs(correct[0] - correct[1]) <= 1e3 * IDENTITY * max(1.0, abs(correct[1]))
    fails = abs(printed[0] - printed[1]) > 0.01 * max(abs(printed[1]), IDENTITY)
    return Verdict(
        subject=row,
        claim=claim,
        check=f"erratum {name}",
        kind=CheckKind.ERRATUM,
        outcome=Outcome.AGREES if fits and fails else Outcome.REFUTED,
        statistic=correct[0],
        bound=correct[1],
        evidence=f"corrected: {correct[0]:.8g} (stated {correct[1]:.8g}); printed: "
        f"{printed[0]:.8g} where {printed[1]:.8g} is right" + (f"; {note}" if note else ""),
        provenance=f"survey erratum {name}",
    )
