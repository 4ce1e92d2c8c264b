"""Programs of messages: is the sum exact, and are the messages those of the closed form?

All of it is arithmetic of integers. A program is linear, so it is followed on unit vectors: worker
i's term of each element is counted wherever it goes, and at the end each worker must have each term
of each element once. That proves the sum for all vectors of that length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import torch

from algorithms.catalogue import ROWS
from algorithms.collectives.base import Collective, executed
from proofs_check.cell import CellResult
from proofs_check.collectives.counts import count_panels, message_lanes, stated_counts
from proofs_check.instruments.study import SystemCheck
from proofs_check.verdict import Outcome, Verdict

MOST = 64
"""Workers, from one on, that programs are followed for."""

_SEED = 15


def check_collective(collective: Collective, row: str = "") -> tuple[Verdict, ...]:
    """Exact sums and counted messages of the algorithm with 1, ..., 64 workers."""
    sizes, refused = _sizes(collective)
    description = f"n = 1, ..., {MOST}"
    if refused:
        description += f", but {len(refused)} it has no form for ({refused[0]})"
    return (
        _identity(
            row or collective.name, "every worker ends with each term of each element once, in "
            "vectors as long as its parts; and with the sum modulo 2^64 of shorter and odd lengths",
            "exact sum", sizes, _sum_fault, description,
        ),
        _identity(
            row or collective.name,
            "messages and elements, one after another, are those of the closed form",
            "messages counted", sizes, _count_fault, description, _described(collective),
        ),
    )  # fmt: skip


def _sizes(collective: Collective) -> tuple[list[Collective], list[str]]:
    """The algorithm for each number of workers that it has a form for, and why not for others."""
    made, refused = [], []
    for n in range(1, MOST + 1):
        try:
            made.append(collective.with_workers(n))
        except ValueError as error:
            refused.append(str(error))
    return made, refused


def _identity(
    subject: str, claim: str, check: str, sizes: list[Collective],
    fault: Callable[[Collective], str], description: str, example: str = "",
) -> Verdict:  # fmt: skip
    found = next((text for text in map(fault, sizes) if text), "")
    equal = f"equal as integers for {len(sizes)} sizes: {description}"
    return Verdict(
        subject=subject,
        claim=claim,
        check=check,
        outcome=Outcome.REFUTED if found or not sizes else Outcome.PROVED,
        statistic=float(len(sizes)),
        resolution=0.0,
        evidence=found or "; ".join(filter(None, (equal, example))),
        provenance=f"terms followed on unit vectors; random integers of seed {_SEED}",
    )


def _described(one: Collective) -> str:
    """The counts of one of the sizes beside the closed form, in words."""
    return (
        ", ".join(
            f"{one.name}: {pair.counted} {pair.what} counted and {pair.stated} stated"
            if not i
            else f"{pair.counted} and {pair.stated} {pair.what}"
            for i, pair in enumerate(stated_counts(one))
        )
        + f", vectors of {one.parts}"
    )


def _sum_fault(one: Collective) -> str:
    """Fault in the sums of the program; empty if there is none."""
    d, n = one.parts, one.n
    given = one.gives(d)
    terms = torch.zeros(n, one.nodes, d, dtype=torch.int32)
    terms[torch.arange(n), torch.arange(n)] = given.int()
    wrong = (ends := executed(one.rounds(d), terms)[:, :n]) != given[:, None]
    if bool(wrong.any()):
        term, worker, element = (int(x) for x in wrong.nonzero()[0])
        count = int(ends[term, worker, element])
        return f"{one.name}: worker {worker} has element {element} of worker {term} {count} times"
    for length in sorted({1, d // 2, d + 3}):
        drawn = np.random.default_rng(_SEED).integers(-(2**62), 2**62, (n, length))
        held = torch.zeros(one.nodes, length, dtype=torch.int64)
        held[:n] = torch.from_numpy(drawn) * one.gives(length)
        right = held.sum(0)
        if not torch.equal(executed(one.rounds(length), held)[:n], right.expand(n, length)):
            return f"{one.name}: not the sum of vectors of {length} elements"
    return ""


def _count_fault(one: Collective) -> str:
    """Count that differs from the stated one; empty if none does."""
    pairs = stated_counts(one)
    wrong = (
        f"{one.name}: {pair.counted} {pair.what}, stated are {pair.stated}, d = {one.parts}"
        for pair in pairs
        if pair.counted != pair.stated
    )
    return next(wrong, "" if pairs else f"{one.name} has no closed form")


def _checks() -> Iterator[SystemCheck]:
    """One for each collective that a row of the catalogue stands for."""
    for row in ROWS:
        for part in row.subject.parts if row.subject else ():
            if isinstance(part, Collective):
                yield SystemCheck(row.key, part.name, partial(_result, part, row.key))


def _result(collective: Collective, row: str) -> CellResult:
    panels = count_panels(collective, _sizes(collective)[0])
    return CellResult(check_collective(collective, row), (message_lanes(collective), *panels))


SYSTEM_CHECKS = tuple(_checks())
