"""Compile the kernels that most tests use into numba's cache: ``python -m tests.compile_kernels``.

In a fresh clone the cache is empty, and every process of the tests that starts before it is filled
compiles the same kernels anew, 25 seconds each.
"""

from proofs_check.cell import CellKind
from proofs_check.prepare import run_cell
from proofs_check.suite import cells

if __name__ == "__main__":
    for cell in cells("quick"):
        if cell.kind is CellKind.WATCHED:
            run_cell(cell)
