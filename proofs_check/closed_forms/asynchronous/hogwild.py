"""Hogwild: what a write changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from algorithms.core.key import Key
from algorithms.methods.asynchronous.hogwild import Hogwild
from algorithms.methods.base import Method
from algorithms.problems.sparse_linear import SparseLinear
from proofs_check.closed_forms.asynchronous.replays import (
    ONE,
    SEED,
    TICKS,
    TIMES,
    TOLD,
    arrivals,
    ran,
)
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Build = Callable[[Any], Method[Any]]


def writes_add(build: Build = lambda hogwild: hogwild) -> Verdict:
    r"""A write moves x by a multiple of the sample a_s: equal on its support, 0 elsewhere."""
    problem = SparseLinear.overlapping(5, 64, 24, 6, seed=1)
    method = Hogwild(ConstantStep(0.3), TICKS, TIMES)
    moves = ran(build(method), problem).diff(dim=0)
    wanted = torch.zeros_like(moves)
    schedule = arrivals(method.schedule(5))
    for t, (worker, _) in enumerate(schedule):
        draws = Key.seed(SEED).fold("gradient", t).draws(ONE, torch.tensor([[worker]]))
        place = problem.supports[draws.integers(64, 1)[0, 0, 0]]
        wanted[t, place] = moves[t, place].mean()
    return identity(
        "hogwild", "a write adds a multiple of its sample and touches nothing else", moves, wanted,
        check="moves along samples", problem=problem.name,
        provenance=TOLD,
    )  # fmt: skip


def hogwild() -> tuple[Verdict, ...]:
    """Writes add on the support of a sample."""
    return (writes_add(),)


CLOSED_FORMS = (hogwild,)
