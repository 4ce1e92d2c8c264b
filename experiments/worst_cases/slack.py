"""Slack of theorems: how near anything that was found comes to each bound."""

from __future__ import annotations

from experiments.figures.slack import SlackLine, SlackPlot
from experiments.worst_cases import kept

ENDS = 10
"""Theorems that are shown at either end."""


def slack() -> list[SlackLine]:
    """Theorems by the largest share of their bound that was found, the tightest first: over all
    functions by semidefinite programmes where these were solved, else by attackers."""
    from proofs_check.refute.seeds import kept as attacked  # with all attackers

    found = {
        name: SlackLine(name, one.ratio, attacked=True)
        for name, one in attacked().items() if one.ratio > 0
    }  # fmt: skip
    for one in kept.constants():
        name, factor = one["theorem"], one["factor_below"]
        if factor >= (found[name].share if name in found else 0.0):
            found[name] = SlackLine(name, factor, attacked=False)
    return sorted(found.values(), key=lambda line: -line.share)


def slack_plot() -> SlackPlot:
    """The tightest and the loosest."""
    every = slack()
    shown = every if len(every) <= 2 * ENDS else [*every[:ENDS], *every[-ENDS:]]
    return SlackPlot(
        f"How near anything comes to a bound: {len(shown)} of {len(every)} theorems",
        "largest metric found over the bound (1: attained)", tuple(shown), min(ENDS, len(shown)),
    )  # fmt: skip
