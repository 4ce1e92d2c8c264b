"""The table of the rows that take steps: exact or why not, and the exponent in T of those."""

from __future__ import annotations

import math

from algorithms.catalogue import METHODS
from algorithms.engine.run import one_thread
from proofs_check.moments.rows import row_moments


def main() -> None:
    """Print one line a row, and how many are exact."""
    exact = 0
    with one_thread():
        for row in METHODS:
            found = row_moments(row)
            exact += found.reason is None
            description = "exact" if found.reason is None else f"{found.reason.reason.name.lower()}"
            slope = "" if math.isnan(found.exponent) else f"T^{found.exponent:.3f}"
            why = found.note if found.reason is None else str(found.reason)
            print(f"{row.key:24} {description:9} {slope:9} {why}".rstrip(), flush=True)
    print(f"{exact} of {len(METHODS)} rows that take steps are exact")


if __name__ == "__main__":
    main()
