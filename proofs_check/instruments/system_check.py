"""SystemCheck: one check of a surveyed row that is no method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from proofs_check.cell import CellResult


@final
@dataclass(frozen=True)
class SystemCheck:
    """``measure`` checks a part of the row called ``row``, or what its papers say of it.

    A module of a room of such checks declares them in a tuple ``SYSTEM_CHECKS``.

    Attributes:
        row: key of the row.
        name: what cells call it, unlike that of every other.
        measure: its verdicts, and what figures and pages show.
    """

    row: str
    name: str
    measure: Callable[[], CellResult]
