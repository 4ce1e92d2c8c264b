"""Verdicts printed as they are found, and a line that sums up at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.console import Console, RenderableType
from rich.markup import escape

from experiments.commands.console import tally, verdict_list
from proofs_check.verdict import Outcome, Verdict


def told(found: Iterator[Verdict], out: Console) -> tuple[Verdict, ...]:
    """All verdicts, each printed when it is there, and a line that sums up at the end; also where
    an interrupt or a user's code ends the search."""
    verdicts: list[Verdict] = []
    try:
        for verdict in found:
            verdicts.append(verdict)
            out.print(verdict_list((verdict,)), highlight=False)
    finally:
        if verdicts:
            out.print(escape(summary(verdicts)), highlight=False, soft_wrap=True)
    return tuple(verdicts)


def summary(verdicts: Sequence[Verdict]) -> str:
    """How many there are of each verdict, and which claims are refuted."""
    refuted = [one for one in verdicts if one.outcome is Outcome.REFUTED]
    named = "; ".join(f"{one.subject}, {one.claim} ({one.check})" for one in refuted)
    return f"{tally(verdicts)}; " + (f"refuted: {named}" if refuted else "nothing refuted")


def gathered(
    found: Iterator[Verdict], report: Callable[[RenderableType], None]
) -> tuple[Verdict, ...]:
    """All verdicts; where an interrupt or an error ends the search, those so far are told."""
    verdicts: list[Verdict] = []
    complete = False
    try:
        verdicts.extend(found)
        complete = True
    finally:
        if verdicts and not complete:
            report(verdict_list(verdicts))
    return tuple(verdicts)
