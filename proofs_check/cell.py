"""A cell of the survey and what it gives: plain data, importable without the checks themselves.

A worker process that is handed a cell thus loads only what that cell runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, final

from proofs_check.curves import Curves
from proofs_check.facts import Facts
from proofs_check.verdict import Verdict


class CellKind(StrEnum):
    """Kind of a cell's check; what is checked of that kind has a name, but for runs, watched runs,
    effects, workers and the last two."""

    RUN = "run"
    WATCHED = "watched run"
    OPERATOR = "operator"
    WORKERS = "workers"
    PROBLEM = "problem"
    TOPOLOGY = "topology"
    PUSH = "push"
    PROOF = "proof"
    CLOSED_FORM = "closed form"
    BOUND = "bound"
    LIMIT = "stepsize limit"
    STUDY = "study"
    EFFECT = "effect"
    SYSTEM = "system"
    INFLUENCES = "influences"
    TABLE_IV = "table IV"
    MUTANTS = "mutants"


@final
@dataclass(frozen=True)
class Cell:
    """One unit of the survey: a check of a row on a problem ("" where there is none).

    Attributes:
        kind: what is checked.
        name: which of that kind ("" where row and problem say it, or there is one only).
        seeds: seeds of the runs.
        replicas: replicas of a run.
        steps: steps of a run.
        n: number of workers.
        rates: whether a run's rate in T is fitted.
    """

    row: str
    problem: str
    kind: CellKind
    name: str = ""
    seeds: tuple[int, ...] = (1,)
    replicas: int = 0
    steps: int = 0
    n: int = 0
    rates: bool = True

    @property
    def check(self) -> str:
        """Kind and name, for readers."""
        return f"{self.kind} {self.name}".rstrip()


class CellResult(NamedTuple):
    """Result of a cell.

    Attributes:
        verdicts: what the check found.
        curves: what figures and tables show of it.
        facts: what pages say of its subject.
    """

    verdicts: tuple[Verdict, ...]
    curves: tuple[Curves, ...] = ()
    facts: tuple[Facts, ...] = ()
