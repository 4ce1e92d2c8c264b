"""Compile the kernels that most tests use into numba's cache: ``python -m tests.compile_kernels``.

In a fresh clone the cache is empty, and every process of the tests that starts before it is filled
compiles the same kernels anew, 25 seconds each. Two processes share the work by the type of the
numbers, so that neither compiles what the other does: two steps of every row, in blocks and through
its method's own steps. What has no such type (keys, codes, schedules) is shared by going through
the rows from both ends.
"""

import gc
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from importlib import import_module
from multiprocessing import get_context

import torch

from algorithms.catalogue import entry_called, row
from algorithms.engine.run import run
from algorithms.methods.parts.scheduled import Scheduled
from experiments.processes import gc_policy
from proofs_check.cell import Cell, CellKind
from proofs_check.suite import cells

COLLECTED = "tests.algorithms.test_at_most_row", "tests.algorithms.pipeline.test_varied_rows"
"""Modules that compile while tests are collected, which all workers of pytest do at once."""


def compile_row(cell: Cell, dtype: torch.dtype) -> None:
    """Two steps of a row; what its runs are is the matter of other tests."""
    problem = entry_called(cell.problem).build(cell.n).computing_in(dtype)
    method = row(cell.row).build(problem, 2)
    replicas = method.replicas if isinstance(method, Scheduled) else 2
    for own_steps in (False, True):
        with suppress(ValueError):  # gradients that are affine up to rounding in 64 bits alone
            run(method, problem, steps=2, replicas=replicas, late=own_steps)


def compile_type(dtype: torch.dtype) -> None:
    """All rows in numbers of a type, and in float32 what is collected."""
    gc.set_threshold(*gc_policy.LOADING)  # numba makes half a million objects a minute
    rows = [cell for cell in cells("quick") if cell.kind is CellKind.WATCHED]
    for cell in rows if dtype == torch.float32 else reversed(rows):
        compile_row(cell, dtype)
    for name in COLLECTED if dtype == torch.float32 else ():
        import_module(name)


if __name__ == "__main__":
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(compile_type, (torch.float64, torch.float32)))
