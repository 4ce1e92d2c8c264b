"""Runs of each row on ranks that a launcher started."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, final

from algorithms.catalogue import problem, row
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from experiments.ranks.crossval import CHOSEN, build, cases
from experiments.ranks.named_rows import named_rows
from proofs_check.methods.equivalence import Case
from proofs_check.methods.on_given_ranks import LAW_REPLICAS, in_single


@final
class GivenCase(NamedTuple):
    """One row on one problem, to be run in three ways.

    Attributes:
        case: in float64, ``workers`` workers on each rank.
        single: in float32, many replicas, for the agreement in law.
        counted: one worker on each rank, whose bytes are counted.
        problem: name of the problem.
    """

    case: Case
    single: Case
    counted: Case
    problem: str


def build_on(device: str, key: str, name: str, n: int, steps: int) -> tuple[Method[Any], Problem]:
    """A row's method on a problem that lies on ``device``."""
    method, built = build(key, name, n, steps)
    return method, built.to(device)


def build_single(
    device: str, key: str, name: str, n: int, steps: int
) -> tuple[Method[Any], Problem]:
    """A row's method on a problem in float32."""
    rounded = in_single(problem(name, n))
    return row(key).build(rounded, steps), rounded.to(device)


def given_cases(
    keys: Sequence[str],
    problems: Sequence[str],
    ranks: int,
    workers: int,
    steps: int,
    device: str = "cpu",
) -> tuple[GivenCase, ...]:
    """Rows ``keys``, or all, on those of ``problems`` that they run on.

    Raises:
        ValueError: there is no such row or problem, or fewer than 2 ranks.
    """
    if ranks < 2:
        raise ValueError(f"ranks must be at least 2 to compare two worlds, got ranks={ranks}")
    rows = named_rows(keys)
    for one in rows:
        one.ready()
    n = ranks * workers
    for name in problems:
        problem(name, n)
    found = []
    for case in cases(n, tuple(problems) or CHOSEN, steps, rows):
        key, name = case.row, case.arguments[1]
        where = (device, key, name)
        exact = Case(key, build_on, (*where, n, steps), steps)
        single = Case(key, build_single, (*where, n, steps), steps, LAW_REPLICAS)
        counted = Case(key, build_on, (*where, ranks, steps), steps)
        found.append(GivenCase(exact, single, counted, name))
    return tuple(found)
