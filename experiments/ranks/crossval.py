"""Cross-validation: every ready row in the simulation and on real ranks of torch.distributed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from algorithms.catalogue import FORMS, Row, problem, row
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from experiments.ranks.named_rows import named_rows
from proofs_check.methods.ddp_equivalence import HookCase, check_hooks, hookable
from proofs_check.methods.equivalence import Case, two_worlds
from proofs_check.verdict import Verdict

READY = named_rows(())
"""Every ready row and form."""

STEPS = 12
CHOSEN = ("quadratic-sc", "logreg-breast-cancer", "mlp-digits", "consensus")
"""Problems of the default run: elementwise, the linear kernel, batched products, and averaging."""

HOOKED = ("quadratic-sc", "mlp-digits")
"""Problems on which hooks of DistributedDataParallel train."""


def build(key: str, name: str, n: int, steps: int) -> tuple[Method[Any], Problem]:
    """A row's method on a problem for n workers."""
    built = problem(name, n)
    return row(key).build(built, steps), built


def cases(
    n: int,
    problems: tuple[str, ...] = CHOSEN,
    steps: int = STEPS,
    rows: Sequence[Row] = READY,
) -> tuple[Case, ...]:
    """Each of ``rows`` on those of ``problems`` that it runs on, or else on its first."""
    return tuple(
        Case(r.key, build, (r.key, name, n, steps), steps=steps)
        for r in rows
        for name in ([name for name in problems if name in r.problems] or r.problems[:1])
    )


def byte_cases(rows: Sequence[Row] = READY) -> dict[Case, tuple[float, bool]]:
    """Each of ``rows`` with n = 2, one worker on each of 2 ranks, and the closed length [bits] of
    its messages: there each message crosses exactly once."""
    lengths = {}
    for case in cases(2, ("quadratic-sc", "consensus"), rows=rows):
        built = problem(case.arguments[1], 2)
        length, exact = row(case.row).message_bits(built, 8 * built.dtype.itemsize)
        alike = length % 8 == 0  # a mean of several lengths says nothing of their padding
        lengths[case] = length, exact and (row(case.row).one_kind or alike)
    return lengths


def hook_cases(
    problems: tuple[str, ...] = HOOKED, rows: Sequence[Row] = READY
) -> tuple[HookCase, ...]:
    """Those of ``rows``, but no forms, that a DDP hook can play, one worker a rank."""
    found = []
    for r in (r for r in rows if r.key not in FORMS):
        for name in problems:
            if name in r.problems:
                method = r.build(problem(name, 2), STEPS)
                if isinstance(method, BSP) and hookable(method):
                    found.append(HookCase(r.key, method, partial(problem, name), steps=STEPS))
    return tuple(found)


def main_crossval(
    ranks: int, problems: tuple[str, ...] = CHOSEN, rows: Sequence[Row] = READY
) -> tuple[Verdict, ...]:
    """All verdicts of :func:`compared_with_ranks`.

    Raises:
        ValueError: ranks < 2.
    """
    return tuple(compared_with_ranks(ranks, problems, rows))


def compared_with_ranks(
    ranks: int, problems: tuple[str, ...] = CHOSEN, rows: Sequence[Row] = READY
) -> Iterator[Verdict]:
    """``rows`` on ``ranks`` ranks, two workers each, on those of ``problems`` that they run on, as
    ranks finish them; bytes are counted on 2 ranks. One launch of ranks for all, one for the bytes
    if ranks > 2, and one for the hooks of DistributedDataParallel.

    Raises:
        ValueError: ranks < 2.
    """
    if ranks < 2:
        raise ValueError(f"ranks must be at least 2 to compare two worlds, got ranks={ranks}")
    counted = byte_cases(rows)
    if ranks == 2:
        yield from two_worlds((*cases(4, problems, rows=rows), *counted), 2, counted)
    else:
        yield from two_worlds(cases(2 * ranks, problems, rows=rows), ranks)
        yield from two_worlds(tuple(counted), 2, counted)
    hooked = hook_cases(tuple(name for name in HOOKED if name in problems), rows)
    if hooked:
        yield from check_hooks(hooked, ranks)
