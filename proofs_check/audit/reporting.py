"""Words of an audit: verdicts that name the subject, errors of its code, and lines of progress."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TextIO, Unpack, final

from proofs_check.audit.faults import place_of
from proofs_check.audit.measure import Measure
from proofs_check.verdict import CheckKind, Figures, Outcome, Verdict

EVERY = 10.0
"""Seconds between lines where the stream is no terminal; what takes less says nothing."""

FIRST = 1.0
"""Seconds from which on a first finding stands there at once."""


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


def measured(one: Measure) -> str:
    """Bias and loss of a dimension in a line, at the worst vectors."""
    biased, worst = one.most_biased, one.worst.look
    return (
        f"in R^{one.d}: bias {biased.bias:.4g} +- {biased.bias_width:.2g} ({biased.name}), "
        f"relative error {worst.ratio:.6g} +- {worst.ratio_width:.2g}, at the worst vectors found"
    )


@final
class ProgressLine:
    """Called with a few words: on a terminal they replace each other, elsewhere lines follow."""

    def __init__(self, stream: TextIO, every: float | None = None) -> None:
        self._stream = stream
        self._start = self._described = time.monotonic()
        self._replaces = stream.isatty()
        self._every = EVERY if every is None else every
        self._found = False

    def __call__(self, description: str) -> None:
        line = f"{time.monotonic() - self._start:4.0f} s  {description} ..."
        if self._replaces:
            self._replace(line)
        elif time.monotonic() - self._described >= self._every:
            self._described = time.monotonic()
            print(line, file=self._stream, flush=True)

    def found(self, description: str) -> None:
        """A first answer stands wherever lines follow, unless all was over within a second; later
        ones as all others."""
        late = time.monotonic() - self._start >= FIRST
        if late and not (self._replaces or self._found):
            self._described, self._found = -math.inf, True
        self(f"so far, {description}")

    def clear(self) -> None:
        """Leave the line empty, for what is printed next."""
        if self._replaces:
            self._replace("")

    def _replace(self, line: str) -> None:
        self._stream.write(f"\r\x1b[K{line}")
        self._stream.flush()
