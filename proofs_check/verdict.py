"""Verdict: claim, evidence, bound, uncertainty, outcome."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum, StrEnum
from fractions import Fraction
from html import escape
from typing import TypedDict, final


class Outcome(Enum):
    """Result of a check; :data:`MEANINGS` says what each member means. Only REFUTED is a failure.

    What is settled for every case that the claim speaks of is PROVED. An equality that was computed
    at some points (a run's iterates, its bill, chosen constants) AGREES there; an inequality or a
    threshold that held in the runs looked at is SUPPORTED.
    """

    PROVED = "proved"
    AGREES = "agrees"
    SUPPORTED = "supported"
    CAUGHT = "caught"
    REFUTED = "refuted"
    COMPARED = "compared"
    NOT_APPLICABLE = "not applicable"

    @property
    def holds(self) -> bool:
        """Whether the claim was asked about and held: proved, agrees or supported."""
        return self in (Outcome.PROVED, Outcome.AGREES, Outcome.SUPPORTED)


MEANINGS: dict[Outcome, str] = {
    Outcome.PROVED: "exact rational arithmetic over all outcomes of an operator at given points, "
    "an identity of integers over all cases, or computer algebra settles it",
    Outcome.AGREES: "two sides of an equality were computed at stated points, as the bits a run "
    "sent and their closed form, and are equal to the stated tolerance; nothing is said of other "
    "points",
    Outcome.SUPPORTED: "statistics, a search for the worst case, or the runs looked at found no "
    "violation; its *resolution* is the smallest violation that they could have seen",
    Outcome.CAUGHT: "a fault that was planted on purpose was refuted by the check it was meant for",
    Outcome.REFUTED: "a violation beyond the stated error, an exact counterexample, or a planted "
    "fault that no check saw",
    Outcome.COMPARED: "set beside a statement whose constants are known from memory or up to order "
    "only; never held to it",
    Outcome.NOT_APPLICABLE: "an assumption of the statement fails here; the evidence names it",
}
"""What each outcome means, in the order in which outcomes are listed; ``*word*`` is emphasised."""


class CheckKind(StrEnum):
    """Sort of check that a verdict comes from; readers choose by it, not by the words of ``check``.

    Whatever knows what it does says so. What is left UNKNOWN gets the sort of its cell, see
    :func:`proofs_check.prepare.run_cell`.
    """

    UNKNOWN = "unknown"
    RATE = "rate"
    BOUND = "bound"
    LATE_BOUND = "bound at the end"
    ASSUMPTION = "assumption"
    LIMIT = "stepsize limit"
    PROGRESS = "progress"
    BITS = "bits"
    EFFECT = "effect"
    ABLATION = "ablation"
    MUTANT = "mutant"
    INVARIANT = "invariant"
    WORKERS = "workers"
    RANKS = "ranks"
    OPERATOR = "operator"
    PROBLEM = "problem"
    TOPOLOGY = "topology"
    SYSTEM = "system"
    PROOF = "proof"
    CLOSED_FORM = "closed form"
    ERRATUM = "erratum"
    STUDY = "study"
    INFLUENCE = "influence"
    AUDIT = "audit"


class Figures(TypedDict, total=False):
    """Figures that a verdict may carry; see :class:`Verdict`."""

    statistic: float | None
    bound: float | None
    uncertainty: float | None
    resolution: float | None
    tightness: float | None


@final
@dataclass(frozen=True)
class Verdict:
    """One line of the results table.

    subject      row key, compressor, problem or theorem that was checked
    problem      problem it ran on ("" for operators)
    claim        what is claimed, one sentence
    check        name of the check ("exact enumeration", "Monte Carlo", "rate in T", ...)
    outcome      see Outcome
    statistic    the measured number
    bound        the number it is held against (None: none)
    order        the theorem's order, for rates ("" otherwise)
    uncertainty  half-width of the interval of ``statistic`` at the check's error level
    resolution   smallest violation that could have been seen; 0 where nothing is drawn
    tightness    statistic / bound for worst-case searches
    evidence     one or two sentences with figures
    theorem      name of the theorem that the verdict is about ("": none)
    provenance   source of the claim; seeds, replicas and steps of the evidence
    kind         sort of the check
    exponent     the stated exponent, for rates (None otherwise, and where none is stated)
    row          key of the catalogue's row that the verdict is about ("": none, or several)
    form         name of the row's form that was run ("": the row itself)
    """

    subject: str
    claim: str
    check: str
    outcome: Outcome
    statistic: float | None = None
    bound: float | None = None
    order: str = ""
    uncertainty: float | None = None
    resolution: float | None = None
    tightness: float | None = None
    evidence: str = ""
    provenance: str = ""
    problem: str = ""
    theorem: str = ""
    kind: CheckKind = CheckKind.UNKNOWN
    exponent: Fraction | None = None
    row: str = ""
    form: str = ""

    def record(self) -> dict[str, object]:
        """A flat, JSON-ready dictionary."""
        exponent = None if self.exponent is None else str(self.exponent)
        return asdict(self) | {
            "outcome": self.outcome.value, "kind": self.kind.value, "exponent": exponent,
        }  # fmt: skip

    def _repr_html_(self) -> str:
        """What a notebook shows: a small table of what is set."""
        measured = "" if self.statistic is None else f"{self.statistic:.6g}"
        if measured and self.uncertainty is not None:
            measured += f" \u00b1 {self.uncertainty:.3g}"
        lines = {
            "subject": self.subject, "problem": self.problem, "claim": self.claim,
            "outcome": self.outcome.value, "measured": measured,
            "bound": "" if self.bound is None else f"{self.bound:.6g}", "check": self.check,
            "evidence": self.evidence, "theorem": self.theorem, "source": self.provenance,
        }  # fmt: skip
        cells = "".join(
            f'<tr><th scope="row" style="text-align:left">{name}</th>'
            f'<td style="text-align:left">{escape(text)}</td></tr>'
            for name, text in lines.items()
            if text
        )
        return f'<table class="rateproof">{cells}</table>'


MEASURED = "measured"
"""Standing of an exponent beside which nothing is stated."""


def standing(verdict: Verdict) -> str:
    """Outcome of a verdict in a word; of an exponent that was measured where nobody states one,
    that it was."""
    alone = verdict.outcome is Outcome.NOT_APPLICABLE and verdict.statistic is not None
    return MEASURED if alone and verdict.kind is CheckKind.RATE else verdict.outcome.value
