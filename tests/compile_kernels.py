"""Compile the kernels that most tests use into numba's cache: ``python -m tests.compile_kernels``.

In a fresh clone the cache is empty, and every process of the tests that starts before it is filled
compiles the same kernels anew, 25 seconds each. Two processes share the work; what one has compiled
the other finds on disk.
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from proofs_check.cell import Cell, CellKind
from proofs_check.prepare import run_cell
from proofs_check.suite import cells


def compiled(cell: Cell) -> None:
    """Run a cell for what it compiles; its verdicts are those of other tests."""
    run_cell(cell)


if __name__ == "__main__":
    watched = [cell for cell in cells("quick") if cell.kind is CellKind.WATCHED]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(compiled, watched))
