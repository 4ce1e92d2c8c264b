"""How the audit speaks: verdicts that name the subject, and errors of a stranger's code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack, final

from proofs_check.audit.faults import place_of
from proofs_check.verdict import CheckKind, Figures, Outcome, Verdict


@final
@dataclass(frozen=True)
class Reporter:
    """Makes verdicts on one subject; ``provenance`` stands under each."""

    subject: str
    provenance: str

    def says(
        self, claim: str, check: str, outcome: Outcome, evidence: str, **figures: Unpack[Figures]
    ) -> Verdict:
        """A verdict on the subject with this outcome and evidence."""
        return Verdict(
            self.subject, claim, check, outcome,
            kind=CheckKind.AUDIT, evidence=evidence, provenance=self.provenance, **figures,
        )  # fmt: skip

    def holds(self, claim: str, check: str, good: bool, evidence: str) -> Verdict:
        """A verdict that is supported if ``good``, else refuted."""
        return self.says(claim, check, Outcome.SUPPORTED if good else Outcome.REFUTED, evidence)


def raised(error: BaseException) -> str:
    """``raises ValueError: its first line (file, line n)``, the place where it is the subject's."""
    first = str(error).partition("\n")[0]
    place = place_of(error)
    return f"raises {type(error).__name__}: {first}"[:300] + (f" ({place})" if place else "")
