"""A cell of the survey and what it gives: plain data, importable without the checks themselves.

A worker process that is handed a cell thus loads only what that cell runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

from proofs_check.curves import Curves
from proofs_check.verdict import Verdict


@final
@dataclass(frozen=True)
class Cell:
    """One unit of the survey: a check of a row on a problem ("" where there is none).

    Attributes:
        seeds: seeds of the runs.
        replicas: replicas of a run.
        steps: steps of a run.
        n: number of workers.
        rates: whether a run's rate in T is fitted.
    """

    row: str
    problem: str
    check: str
    seeds: tuple[int, ...] = (1,)
    replicas: int = 0
    steps: int = 0
    n: int = 0
    rates: bool = True


class CellResult(NamedTuple):
    """What a cell gives.

    Attributes:
        verdicts: what the check found.
        curves: what figures and tables show of it.
    """

    verdicts: tuple[Verdict, ...]
    curves: tuple[Curves, ...] = ()
