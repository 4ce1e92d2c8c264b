"""A stored kernel holds the code of functions of other files, which numba does not look at."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from algorithms.kernels import compiled

CALLED = "from compiled import njit\n@njit(cache=True)\ndef number():\n    return {}\n"
CLOSURES = """
from compiled import njit
def summing(terms):
    @njit
    def sums(row):
        total = 0
        for v in row:
            total += terms(v) if v < 9 else terms(terms(v))
        return total
    return sums
@njit
def square(v):
    return v * v
@njit
def cube(v):
    return v * v * v
_squares, _cubes = summing(square), summing(cube)
@njit(cache=True)
def squares(row):
    return _squares(row) + _squares(row[1:])
@njit(cache=True)
def cubes(row):
    return _cubes(row) + _cubes(row[1:])
"""
CALLS = (
    "from called import number\nfrom compiled import njit\n@njit(cache=True)\n"
    "def twice():\n    return 2 * number()\n"
)


@pytest.fixture
def folder(tmp_path):
    """Two kernels, one of which calls the other, and the project's own way of compiling them."""
    (tmp_path / "compiled.py").write_text(Path(compiled.__file__).read_text(encoding="utf-8"))
    (tmp_path / "calls.py").write_text(CALLS)
    write(tmp_path, 1)
    return tmp_path


def write(folder, number):
    (folder / "called.py").write_text(CALLED.format(number))


def told(folder):
    """What the calling kernel gives in a process of its own."""
    return int(printed(folder, "from calls import twice; print(twice())"))


def printed(folder, asks):
    seen = subprocess.run(
        [sys.executable, "-c", asks], cwd=folder, env=os.environ | {"PYTHONPATH": ""},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return seen.stdout


def stored(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("__pycache__/*.nb?")}


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.skipif(not compiled.COMPILED, reason="numba is not there")
def test_a_kernel_is_compiled_again_when_one_that_it_calls_has_changed(folder):
    assert told(folder) == 2
    kept = stored(folder)
    assert told(folder) == 2
    assert kept and stored(folder) == kept, "nothing has changed, nothing is compiled again"
    write(folder, 10)
    assert told(folder) == 20


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.skipif(not compiled.COMPILED, reason="numba is not there")
def test_kernels_that_two_processes_compiled_are_told_apart_by_a_third(folder):
    """Both closures are named alike, and each is the second function its process compiles."""
    (folder / "closures.py").write_text(CLOSURES)
    asks = "import numpy as np, closures; row = np.array([1, 2]); print({})"
    squares, cubes = "closures.squares(row)", "closures.cubes(row)"
    assert printed(folder, asks.format(squares)) == "9\n"
    assert printed(folder, asks.format(cubes)) == "17\n"
    assert printed(folder, asks.format(f"{squares}, {cubes}")) == "9 17\n"


def test_what_cannot_be_read_or_removed_is_no_fault(tmp_path):
    (tmp_path / "one.py").write_text("1")
    (tmp_path / "__pycache__").write_text("not a folder")
    compiled.forget_stale(tmp_path)


def test_a_slice_of_another_shape_is_refused_without_its_shapes():
    """Their words are not compiled into every kernel that copies an array."""
    njit = pytest.importorskip("numba").njit

    @njit
    def copied(out, x):
        out[:] = x

    with pytest.raises(ValueError, match=r"^cannot assign slice from input of different size$"):
        copied(np.zeros(3), np.ones(4))
