"""Evidence behind a row that is advised: what it was shown to be for, and what speaks of it."""

from __future__ import annotations

from typing import Any, NamedTuple, final

from algorithms.catalogue import row
from proofs_check.effects import EFFECTS
from proofs_check.instruments.variant_results import current_variants


@final
class AdvisedEvidence(NamedTuple):
    """What is known of a row beside its steps.

    Attributes:
        key: the row's key.
        source: its paper.
        surveyed: whether the surveys name it; else it was published since.
        effect: what it is for, a claim that its check measures; empty: it has none.
        variants: in how many changes of its setting that claim holds, as it was measured last;
            empty: not since setting or claim was changed.
        theorems: results that speak of it, with their sources.
    """

    key: str
    source: str
    surveyed: bool
    effect: str
    variants: str
    theorems: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """All of it as plain data, for JSON."""
        return {**self._asdict(), "theorems": list(self.theorems), "check": self.check}

    @property
    def check(self) -> str:
        """The command that measures it again."""
        return f"rateproof check {self.key}"

    def __str__(self) -> str:
        when = "" if self.surveyed else ", since the surveys"
        parts = [f"{self.key} ({self.source}{when}): {self.effect or 'no effect is claimed'}"]
        parts += [self.variants] if self.variants else []
        count = len(self.theorems)
        parts += [f"theory: {', '.join(self.theorems)}" if count else "no theorem speaks of it"]
        return "; ".join((*parts, self.check))


def evidence_of(key: str) -> AdvisedEvidence:
    """Evidence of a row, read off its entry, its effect and what was kept of that."""
    mine, effect = row(key), EFFECTS.get(key)
    kept = current_variants({key: effect}).get(key) if effect else None
    variants = f"holds in {kept.held} of {len(kept.measured)} variants" if kept else ""
    theorems = tuple(one.name for one in (*mine.theorems, *mine.results))
    return AdvisedEvidence(
        key, mine.source, mine.surveyed, effect.effect if effect else "", variants, theorems
    )
