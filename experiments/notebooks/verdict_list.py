"""Verdicts as tidy data, as a figure, and as HTML for a notebook."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import final

import pandas as pd
from matplotlib.figure import Figure

from experiments.figures.html import block, frame_html, picture, sentence
from experiments.figures.style import BOUND, FAINT, MEASURED, folded, styled
from proofs_check.verdict import Outcome, Verdict, standing

_DRAWN = 24  # verdicts in a picture that is shown unasked
_SHOWN = ["subject", "claim", "outcome", "evidence"]


@final
class VerdictList(tuple[Verdict, ...]):
    """Verdicts of a check: a tuple that a notebook shows."""

    @property
    def refuted(self) -> bool:
        """Whether any claim is refuted."""
        return any(one.outcome is Outcome.REFUTED for one in self)

    @property
    def frame(self) -> pd.DataFrame:
        """Tidy data: one line a verdict, with all that it carries."""
        return verdict_frame(self)

    def figure(self) -> Figure:
        """Each claim with what was measured as a share of its bound, where it has one."""
        return verdict_figure(self)

    def _repr_html_(self) -> str:
        drawn = 0 < len(self) <= _DRAWN
        shown = picture(self.figure, "what was measured, as a share of each claim") if drawn else ""
        return block("Verdicts", verdicts_html(self), shown)


def verdict_frame(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """One line a verdict; outcomes as their words."""
    columns = list(Verdict.__dataclass_fields__)
    return pd.DataFrame([one.record() for one in verdicts], columns=columns)


def verdicts_html(verdicts: Sequence[Verdict]) -> str:
    """Counts of each outcome, and the verdicts, refuted ones first."""
    ordered = sorted(verdicts, key=lambda one: one.outcome is not Outcome.REFUTED)
    counts = {one: sum(v.outcome is one for v in verdicts) for one in Outcome}
    description = ", ".join(f"{count} {one.value}" for one, count in counts.items() if count)
    frame = verdict_frame(ordered).assign(outcome=[standing(one) for one in ordered])
    return sentence(description or "no verdicts") + frame_html(frame[_SHOWN])


def verdict_figure(verdicts: Sequence[Verdict]) -> Figure:
    """A line a claim: what was measured over its bound, with its interval; 1 is the bound.

    A verdict without a positive bound, or without a number, has its outcome in words alone.
    """
    with styled():
        figure = Figure(figsize=(7.2, 1.1 + 0.42 * max(len(verdicts), 1)), layout="constrained")
        ax = figure.subplots()
        ax.axvline(1.0, color=BOUND, linestyle=(0, (5, 2)), linewidth=1.2)
        for place, one in enumerate(verdicts):
            colour = BOUND if one.outcome is Outcome.REFUTED else MEASURED
            at, half = share_of_bound(one)
            if math.isfinite(at):
                ax.errorbar(at, place, xerr=half, fmt="o", color=colour, capsize=3)
            ax.annotate(
                one.outcome.value, (1.0, place), xycoords=("axes fraction", "data"),
                xytext=(6, 0), textcoords="offset points", va="center", fontsize=8, color=colour,
            )  # fmt: skip
        ax.set_yticks(range(len(verdicts)), [_name(one) for one in verdicts], fontsize=8)
        ax.set_ylim(len(verdicts) - 0.5, -0.5)
        ax.set_xlabel("measured, as a share of what is claimed (dashed: the claim)")
        ax.grid(True, color=FAINT, alpha=0.3)
    return figure


def _name(one: Verdict) -> str:
    return folded(f"{one.claim} ({one.check})", 52).replace("$", r"\$")


def share_of_bound(one: Verdict) -> tuple[float, float]:
    """Measured value over its bound, with the half-width; NaN where there is no such number."""
    if one.statistic is None or one.bound is None or not 0 < one.bound < math.inf:
        return math.nan, 0.0
    return one.statistic / one.bound, (one.uncertainty or 0.0) / one.bound
