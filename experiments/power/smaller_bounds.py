"""``python -m experiments.power.smaller_bounds [TABLE]``: how much smaller bounds could be.

A bound times 1/2 or 1/10 is refuted where an instance inside the assumptions is kept on which more
than that share of the bound is reached: the largest of those that `proofs_check.refute.seeds` met
while it attacked the true theorems, and the best constants' runs on worst functions
(:mod:`experiments.worst_cases`). A survey's results.parquet adds its runs under bounds, all points:
the mean less its uncertainty counts. Nothing is run; a share that nothing reached refutes nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pandas as pd
from rich.console import Console

from experiments.worst_cases.kept import constants
from proofs_check.refute import seeds
from proofs_check.verdict import CheckKind
from theory.theorems import PROVED_ONLY, THEOREMS

SHARES = (Fraction(1, 2), Fraction(1, 10))
"""Numbers that bounds are multiplied by."""

_ROUNDING = 1e-6  # of a ratio: what is met exactly at 1/2 does not refute one half


def reached() -> dict[str, float]:
    """The largest part of each theorem's bound that an instance reaches; 0 where none is kept."""
    found = {one.name: 0.0 for one in (*THEOREMS, *PROVED_ONLY)}
    kept = [(name, one.ratio) for name, one in seeds.kept().items()]
    for name, ratio in [*kept, *((one["theorem"], one["factor_below"]) for one in constants())]:
        if name in found:
            found[name] = max(found[name], ratio)
    return found


def in_runs(table: pd.DataFrame) -> dict[str, float]:
    """The largest part of each theorem's bound that a survey's runs reach beyond their uncertainty.

    Its point may be the start, near which many bounds are what the start is.
    """
    bounds = table[table["check_kind"] == CheckKind.BOUND]
    least = (bounds["statistic"] - bounds["uncertainty"]) / bounds["bound"]
    largest = least.groupby(bounds["theorem"]).max()
    return {str(name): float(ratio) for name, ratio in largest.items() if ratio > 0}


def told(largest: Mapping[str, float]) -> str:
    """For each share how many smaller bounds are refuted, and which are not."""
    lines = []
    for share in SHARES:
        stand = {name: ratio for name, ratio in largest.items() if ratio <= share + _ROUNDING}
        left = ", ".join(f"{name} {ratio:.3g}" for name, ratio in sorted(stand.items()))
        refuted = len(largest) - len(stand)
        lines.append(
            f"bounds times {share}: {refuted} of {len(largest)} refuted; not: {left or 'none'}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m experiments.power.smaller_bounds")
    parser.add_argument("table", nargs="?", type=Path, help="results.parquet of a survey")
    asked = parser.parse_args()
    found = reached()
    if asked.table is not None:
        runs = in_runs(pd.read_parquet(asked.table))
        found = {name: max(ratio, runs.get(name, 0.0)) for name, ratio in found.items()}
    Console().print(told(found), highlight=False, soft_wrap=True)
