"""Rows with a decided rate and a nonvacuous bound, read off the results table.

``python -m experiments.reporting.row_evidence report/results.parquet`` prints both counts and names
the rows that are missing, and the theorems whose bounds are tightest and loosest late in a run.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import pandas as pd

from algorithms.catalogue import ROWS
from proofs_check.cell import CellKind
from proofs_check.methods.unstated_rates import UnstatedReason, counted, reason_in
from proofs_check.verdict import CheckKind, Outcome

_DECIDED = (Outcome.SUPPORTED.value, Outcome.REFUTED.value)


@final
@dataclass(frozen=True)
class RowEvidence:
    """The ready rows, by what the table has of them.

    Attributes:
        rows: all of them.
        decided: with a rate that is supported or refuted, in any variable.
        unstated: others, with a rate that was measured and a reason why none is stated.
        left_open: others, with a rate measured beside a stated one that it could not decide.
        bounded: with a curve that is held under a bound which ends below the start.
        reasons: why no rate is stated of the unstated ones, by row.
    """

    rows: tuple[str, ...]
    decided: tuple[str, ...]
    unstated: tuple[str, ...]
    left_open: tuple[str, ...]
    bounded: tuple[str, ...]
    reasons: Mapping[str, UnstatedReason]

    @property
    def without_rate(self) -> tuple[str, ...]:
        """Rows with neither a decided rate nor a measured one."""
        known = {*self.decided, *self.unstated, *self.left_open}
        return tuple(row for row in self.rows if row not in known)

    @property
    def not_built(self) -> tuple[str, ...]:
        """Rows of which a source states a rate that no theorem here has."""
        return tuple(row for row, why in self.reasons.items() if why is UnstatedReason.NOT_BUILT)

    @property
    def without_bound(self) -> tuple[str, ...]:
        """Rows without a bound that says something."""
        return tuple(row for row in self.rows if row not in self.bounded)

    def __str__(self) -> str:
        return "\n".join(
            (
                f"{len(self.decided)} of {len(self.rows)} rows have a rate decided; "
                f"{len(self.unstated)} have one measured, and a reason why none is stated",
                f"of these: {counted(self.reasons.values())}",
                f"stated, and not built: {', '.join(self.not_built) or 'none'}",
                f"measured, and left open: {', '.join(self.left_open) or 'none'}",
                f"no rate: {', '.join(self.without_rate) or 'none'}",
                f"{len(self.bounded)} rows have a curve under a bound that ends below the start",
                f"no such bound: {', '.join(self.without_bound) or 'none'}",
            )
        )


def row_evidence(table: pd.DataFrame) -> RowEvidence:
    """Count the ready rows of a results table, variants of a row as the row itself."""
    keys = table["base_row"]
    rate = (table["check_kind"] == CheckKind.RATE) & (table["kind"] != CellKind.TABLE_IV)
    measured = rate & (table["verdict"] == Outcome.NOT_APPLICABLE.value)
    measured &= table["statistic"].notna()
    doubted = rate & (table["verdict"] == Outcome.COMPARED.value) & table["statistic"].notna()
    decided = _among(keys[rate & table["verdict"].isin(_DECIDED)])
    unstated = tuple(key for key in _among(keys[measured]) if key not in decided)
    late = (table["check_kind"] == CheckKind.LATE_BOUND) & (
        table["verdict"] == Outcome.SUPPORTED.value
    )
    return RowEvidence(
        rows=tuple(row.key for row in ROWS if row.recipe is not None),
        decided=decided,
        unstated=unstated,
        left_open=tuple(k for k in _among(keys[doubted]) if k not in (*decided, *unstated)),
        bounded=_among(keys[late]),
        reasons=_reasons(table[measured], unstated),
    )


def _reasons(measured: pd.DataFrame, unstated: Sequence[str]) -> dict[str, UnstatedReason]:
    """The kind of reason of each row; a row whose evidence names none has none."""
    found: dict[str, UnstatedReason] = {}
    for key in unstated:
        for evidence in measured.loc[measured["base_row"] == key, "evidence"]:
            if (reason := reason_in(evidence)) is not None:
                found.setdefault(key, reason)
    return found


@final
@dataclass(frozen=True)
class SecondHalfTightness:
    """Tightness of theorems' bounds on measurements in the second half of a run.

    Attributes:
        largest: theorems by their largest mean / bound over all settings, the loosest first.
    """

    largest: dict[str, float]

    @property
    def within_four(self) -> tuple[str, ...]:
        """Theorems whose bound is met within a factor 4."""
        return tuple(name for name, ratio in self.largest.items() if ratio >= 0.25)

    def __str__(self) -> str:
        told = [f"{name} {ratio:.2g}" for name, ratio in self.largest.items()]
        loose = [one for one, name in zip(told, self.largest, strict=True)
                 if name not in self.within_four]  # fmt: skip
        return "\n".join(
            (
                f"{len(self.within_four)} of {len(told)} theorems have a bound that is met within "
                "a factor 4 in the second half of a run",
                f"mean / bound there, the tightest: {', '.join(told[:-4:-1]) or 'none'}",
                f"the loosest: {', '.join(loose) or 'none'}",
            )
        )


def late_tightness(table: pd.DataFrame) -> SecondHalfTightness:
    """Of the bounds of a results table that end below the start."""
    late = (table["check_kind"] == CheckKind.LATE_BOUND) & (
        table["verdict"] == Outcome.SUPPORTED.value
    )
    largest = table[late].groupby("theorem")["tightness"].max().sort_values()
    return SecondHalfTightness({str(name): float(ratio) for name, ratio in largest.items()})


def _late(table: pd.DataFrame) -> pd.Series[bool]:
    """Lines of bounds that end below the start."""
    supported = table["verdict"] == Outcome.SUPPORTED.value
    return (table["check_kind"] == CheckKind.LATE_BOUND) & supported


def _among(keys: pd.Series[str]) -> tuple[str, ...]:
    """The ready rows among ``keys``, in the order of the catalogue."""
    found = set(keys)
    return tuple(row.key for row in ROWS if row.recipe is not None and row.key in found)


def main(arguments: Sequence[str]) -> int:
    """Print the counts of a results table; 2 if there is no such file."""
    if len(arguments) != 1 or not Path(arguments[0]).is_file():
        print(f"want one results.parquet, as `rateproof survey` writes it, got {arguments}")
        return 2
    table = pd.read_parquet(arguments[0])
    print(row_evidence(table), late_tightness(table), sep="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
