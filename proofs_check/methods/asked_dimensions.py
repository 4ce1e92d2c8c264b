"""Rows for which a method asks its operators' claims: those of the problem that it runs on.

A claim at another length of rows is a constant a little too large or too small, under which bounds
and limits hold all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields, is_dataclass
from typing import Any
from unittest.mock import patch

from algorithms.compressors.base import Compressor
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.verdict import CheckKind, Outcome, Verdict

_ASKED = "claims", "absolute_error", "stated_bits"  # what takes the length of a row first


def asked_dimensions(
    subject: str, problem: Problem, method: Method[Any], provenance: str
) -> Verdict:
    """A method's constants are made of what its operators claim for rows of the problem's length.

    What an operator asks of those that it is made of is its own matter.
    """
    with _noted(method) as asked:
        method.constants(problem)
    elsewhere = sorted({(name, d) for name, d in asked if d != problem.d})
    return Verdict(
        subject=subject, problem=problem.name, check="claims asked", kind=CheckKind.INVARIANT,
        claim="constants are made of claims for rows of the problem's length",
        outcome=Outcome.NOT_APPLICABLE if not asked
        else Outcome.REFUTED if elsewhere else Outcome.AGREES,
        statistic=float(len(elsewhere)) if asked else None, bound=0.0, resolution=0.0,
        evidence="no claim is asked for" if not asked
        else "{0[0]} is asked for d = {0[1]}, problem's d = {1}".format(elsewhere[0], problem.d)
        if elsewhere else f"{len(asked)} claims of operators are asked for d = {problem.d}",
        provenance=provenance,
    )  # fmt: skip


@contextmanager
def _noted(method: Method[Any]) -> Iterator[list[tuple[str, int]]]:
    """Inside, notes of every question to the method's operators that no operator asked: whose it
    is, and the length of rows."""
    asked, depth = list[tuple[str, int]](), [0]

    def noting(true: Any) -> Any:
        def noted(operator: Compressor, d: int, *more: Any) -> Any:
            if not depth[0]:
                asked.append((operator.name, d))
            depth[0] += 1
            try:
                return true(operator, d, *more)
            finally:
                depth[0] -= 1

        return noted

    with ExitStack() as patches:
        for kind in {type(one) for one in operators_in(method)}:
            for name in _ASKED:
                patches.enter_context(patch.object(kind, name, noting(getattr(kind, name))))
        yield asked


def operators_in(part: Any) -> Iterator[Compressor]:
    """Operators among the fields of a method and of its parts."""
    if isinstance(part, Compressor):
        yield part
    if isinstance(part, tuple):
        for one in part:
            yield from operators_in(one)
    elif is_dataclass(part) and not isinstance(part, type):
        for one in fields(part):
            yield from operators_in(getattr(part, one.name))
