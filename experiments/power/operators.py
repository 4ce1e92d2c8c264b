"""``python -m experiments.power.operators [d]``: the smallest faults that are seen."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.table import Table

from algorithms.catalogue import OPERATORS
from proofs_check.compressors.power import SmallestFaults, smallest_faults

_FIXED = 1e-11


def main(d: int = 1000) -> None:
    """Print a line for every operator that draws, the largest excess last, and processor time."""
    start = time.process_time()
    found: list[tuple[str, SmallestFaults]] = []
    for name, operator in OPERATORS.items():
        try:
            seen = smallest_faults(operator, d)
        except ValueError:
            continue
        if seen.laws or seen.excess > _FIXED:
            found.append((name, seen))
    table = Table("operator", "excess of the variance", "bias", "laws read off the code")
    for name, seen in sorted(found, key=lambda line: line[1].excess):
        bias = "" if seen.bias is None else f"{seen.bias:.2%}"
        table.add_row(name, f"{seen.excess:.2%}", bias, f"{seen.laws} of 6")
    console = Console()
    console.print(table)
    console.print(f"d = {d}, {time.process_time() - start:.1f} s of processor time")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
