"""Marks in compiled code: what was computed, what a wrong expression would have changed."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from experiments.mutation.marks import MemoryMark, compared
from experiments.mutation.standing import MutantStanding
from tests.experiments.test_mutation import trial

numba = pytest.importorskip("numba")


def test_a_mark_tells_what_was_computed_and_what_differs():
    mark = MemoryMark()
    put = mark.function()

    @numba.njit
    def some(x, n):
        return put(x[0] * n, x[0] * 1.0) if n > 2 else x[0]

    assert some(np.ones(1), 1) == 1 and not mark.reached
    assert some(np.zeros(1), 3) == 0 and mark.reached and not mark.told
    assert some(-np.zeros(1), 3) == 0 and not mark.told
    assert some(np.ones(1), 3) == 3 and mark.told


def test_what_is_not_compared_counts_as_another_value():
    mark = MemoryMark()
    put = mark.function()

    @numba.njit
    def row(x):
        return put(x)

    assert (row(np.ones(2)) == 1).all() and mark.reached and mark.told


@pytest.mark.parametrize(
    ("source", "whole"),
    [("a + 2 < n", "a + 2 < n"), ("x[a + 2]", "a + 2"), ("f(2)", "2"), ("f(a) + 2", "2")],
)
def test_arithmetic_alone_is_computed_twice(source, whole):
    tree = ast.parse(source, mode="eval")
    parents = {id(part): node for node in ast.walk(tree) for part in ast.iter_child_nodes(node)}
    node = next(n for n in ast.walk(tree) if isinstance(n, ast.Constant))
    assert ast.unparse(compared(node, ast.Constant(4), parents)) == whole


def test_what_reads_other_memory_is_not_computed_beside():
    tree = ast.parse("x[2] + 1", mode="eval")
    parents = {id(part): node for node in ast.walk(tree) for part in ast.iter_child_nodes(node)}
    node = next(n for n in ast.walk(tree) if isinstance(n, ast.Subscript))
    assert compared(node, ast.parse("x[3]", mode="eval").body, parents) is None


@pytest.mark.processes
def test_a_branch_of_compiled_code_that_is_not_taken_is_no_fault(tmp_path, monkeypatch):
    source = (
        "from numba import njit\n\n@njit\ndef value(x):\n"
        "    if x > 10:\n        return x + 7\n    return x + 3\n"
    )
    tried, every = trial(tmp_path, monkeypatch, source, 5, "mutable_branch", blind=8)
    wanted = {"7": MutantStanding.DEAD, "3": MutantStanding.REFUTED}
    some = [m for m in every if m.kind == "constant" and m.before in wanted]
    found = tried.outcomes(some, 9)
    assert {one.mutant.before: one.standing for one in found} == wanted


@pytest.mark.processes
def test_a_comparison_of_compiled_code_that_is_the_same_everywhere_is_no_fault(
    tmp_path, monkeypatch
):
    source = "from numba import njit\n\n@njit\ndef value(x):\n    return x + 3 if x < 9 else x\n"
    tried, every = trial(tmp_path, monkeypatch, source, 5, "mutable_compared")
    some = [m for m in every if m.after == "x <= 9"]
    assert [one.standing for one in tried.outcomes(some, 9)] == [MutantStanding.SAME]
