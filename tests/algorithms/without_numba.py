"""Runs of all rows where numba cannot be imported: ``python -m tests.algorithms.without_numba``."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import Tensor


def runs() -> dict[str, tuple[Tensor, Tensor]]:
    """Models and sent bits of every row and form after a few steps on its first problem."""
    from algorithms.catalogue import FORMS, METHODS, problem, row
    from algorithms.engine.run import run

    ended: dict[str, tuple[Tensor, Tensor]] = {}
    for key in (*(one.key for one in METHODS), *FORMS):
        built = problem(row(key).problems[0], 4)
        trace = run(row(key).build(built, 10), built, steps=3, replicas=1, points=2)
        ended[key] = trace.rows.clone(), trace.account.sent_bits
    return ended


def main(file: str) -> None:
    """Write what the runs ended with, and what was warned of, into ``file``."""
    absent: Any = sys.modules
    absent["numba"] = None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ended = runs()
    torch.save((ended, [str(one.message) for one in told]), Path(file))


if __name__ == "__main__":
    main(*sys.argv[1:])
