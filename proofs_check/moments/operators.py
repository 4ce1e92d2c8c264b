"""Operator of a method that is not linear."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import torch

from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from algorithms.problems.base import Problem


def unlinear_operator(method: Any, problem: Problem) -> str:
    """Name of the first operator among a method's parts that is not linear; empty if all are."""
    for part in _parts(method):
        if not _linear(part, problem):
            return part.name
    return ""


def _parts(part: Any) -> list[Compressor]:
    """The operators in the fields of ``part``, and in theirs, outermost first."""
    if isinstance(part, Compressor):
        return [part]
    if not is_dataclass(part):
        return []
    return [one for f in fields(part) for one in _parts(getattr(part, f.name))]


def _linear(operator: Compressor, problem: Problem) -> bool:
    """Whether operator(x + y) = operator(x) + operator(y) where both draw the same."""
    generator = torch.Generator().manual_seed(3)
    pair = torch.randn(2, 1, problem.d, generator=generator, dtype=torch.float64)
    rows = torch.cat((pair, pair.sum(0, keepdim=True)))
    draws = Key.seed(0).draws(torch.zeros(3, dtype=torch.int64), torch.zeros(1, dtype=torch.int64))
    try:
        one, other, both = operator.at_step(0).compress(rows, draws)
    except (ValueError, ArithmeticError):
        return False
    return bool(torch.allclose(one + other, both, rtol=1e-9, atol=1e-12))
