"""Checks of a user's own object, MODULE:ATTRIBUTE: what it is decides what is checked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_tb
from typing import Any

from rich.console import RenderableType
from torch.multiprocessing.spawn import ProcessRaisedException

from algorithms.catalogue import Row, problem
from algorithms.compressors.base import Compressor
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from algorithms.topologies.base import PushTopology, Topology
from experiments.ranks.crossval import STEPS
from proofs_check.audit.loading import imported
from proofs_check.audit.own_folders import own_name
from proofs_check.compressors.check import check_compressor
from proofs_check.methods.equivalence import Case, two_worlds
from proofs_check.methods.run_invariants import run_invariants
from proofs_check.methods.runs import run_row
from proofs_check.problems.check import check_problem
from proofs_check.row_coverage import shared_parts
from proofs_check.suite import PRESETS
from proofs_check.topologies.mixing import check_topology
from proofs_check.topologies.push import check_push
from proofs_check.verdict import Verdict

Own = Compressor | Topology | PushTopology | Problem | Row
Report = Callable[[RenderableType], None]

SEED, RANKS, WORKERS = 1, 2, 4  # the latter two of the comparison with real ranks
WATCHED = 8
"""Workers of a watched run."""


class UserCodeError(RuntimeError):
    """A user's own code raised; the message names the object, the error and the line."""


def own(name: str) -> Own:
    """Object that MODULE:ATTRIBUTE names: an instance, or a class that takes no arguments.

    Raises:
        ValueError: it cannot be imported, or is none of what can be checked.
    """
    found = imported(name)
    if isinstance(found, type) and issubclass(found, Own):
        found = _made(name, found)
    if not isinstance(found, Own):
        raise ValueError(
            f"{name} must be a Compressor, Topology, PushTopology, Problem or Row (a method with "
            "its recipe, algorithms/catalogue/row.py), got something of type "
            f"{type(found).__name__}"
        )
    if isinstance(found, Row) and found.recipe is None:
        raise ValueError(f"{name} is a row without a recipe; Recipe(make, theorems) would do")
    return found


def _made(name: str, kind: Callable[..., Own]) -> Own:
    try:
        return kind()
    except TypeError as error:
        raise ValueError(
            f"{name} needs arguments ({error}); an instance at module level would do"
        ) from error


def check_own(name: str, d: int, report: Report, ranks: int = RANKS) -> Iterator[Verdict]:
    """Verdicts on MODULE:ATTRIBUTE as they are found; a compressor's claims are checked on R^d, a
    row on so many ``ranks``, 0: on none.

    Raises:
        ValueError: see :func:`own`.
        UserCodeError: its code raised.
    """
    target = own(name)
    with faults_of(name):
        match target:
            case Compressor():
                yield from check_compressor(target, d=d)
            case Topology():
                yield from check_topology(target)
            case PushTopology():
                yield from check_push(target)
            case Problem():
                yield from check_problem(target, seed=SEED)
            case Row():
                yield from check_row(name, target, report, ranks)


@contextmanager
def faults_of(name: str, pass_on: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Inside, whatever is raised is a fault of MODULE:ATTRIBUTE, but for what is to ``pass_on``.

    Raises:
        UserCodeError: something was raised.
    """
    try:
        yield
    except pass_on:
        raise
    except Exception as error:  # a stranger's code may raise anything
        module = name.partition(":")[0]
        raise UserCodeError(f"{name}: {_described(error)}{_line_in(module, error)}") from error


def check_row(name: str, own_row: Row, report: Report, ranks: int = RANKS) -> Iterator[Verdict]:
    """Its operators, its runs on every problem, a watched run on the first where it does not
    diverge, what all rows share, and the same code on so many real ranks."""
    effort, cases = PRESETS["quick"], list[Case]()
    for operator in own_row.operators:
        report(f"{own_row.key}: operator {operator.name}")
        yield from check_compressor(operator, d=effort.dimension, seed=SEED)
    for objective in own_row.problems:
        report(f"{own_row.key} on {objective}: run")
        steps, replicas = effort.length(objective)
        built = problem(objective, effort.n)
        run = run_row(own_row, built, steps=steps, replicas=replicas, seed=SEED)
        yield from run.verdicts
        if run.curves:  # else it diverged, and would on ranks
            if not cases:
                report(f"{own_row.key} on {objective}: watched run")
                yield from run_invariants(own_row, problem(objective, WATCHED), SEED).verdicts
            cases.append(Case(own_row.key, build_own, (name, objective), steps=STEPS))
    if cases:
        report(f"{own_row.key}: what all rows share")
        yield from shared_parts()
    if cases and ranks:
        report(f"{own_row.key}: {WORKERS} workers on {ranks} ranks")
        yield from two_worlds(tuple(cases), ranks)


def build_own(name: str, objective: str) -> tuple[Method[Any], Problem]:
    """The method of the row MODULE:ATTRIBUTE on a problem of the catalogue."""
    built, own_row = problem(objective, WORKERS), imported(name)
    return own_row.build(built, STEPS), built


def _described(error: Exception) -> str:
    """The error in a line; of one on a rank, the last line of the rank's own trace."""
    lines = str(error).strip().splitlines() or [""]
    if isinstance(error, ProcessRaisedException):
        return f"on a rank: {lines[-1]}"
    return f"{type(error).__name__}: {lines[0]}"


def _line_in(module: str, error: BaseException) -> str:
    """The last line of the user's module that was running."""
    file = getattr(sys.modules.get(own_name(module)), "__file__", None)
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == file]
    return f" ({Path(file).name}, line {lines[-1]})" if file and lines else ""
