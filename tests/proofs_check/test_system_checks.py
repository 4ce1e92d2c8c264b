"""Rows that are no methods: every part of each is checked, by a check that is told apart."""

from __future__ import annotations

import pytest

from algorithms.catalogue import ROWS, Recipe, Row, RowSubject, problem, row
from algorithms.catalogue.entries import entry
from algorithms.collectives.ring import RingAllReduce
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.cell import CellKind
from proofs_check.suite import cells
from proofs_check.system_checks import SYSTEM_CHECKS

SUBJECTS = {r.key: r.subject for r in ROWS if r.subject}
RING = RowSubject("collective", (RingAllReduce(4),), ("2(n - 1) steps",))


def test_every_row_with_a_subject_has_checks_and_no_other_has():
    assert {check.row for check in SYSTEM_CHECKS} == set(SUBJECTS)
    names = [check.name for check in SYSTEM_CHECKS]
    assert len(set(names)) == len(names)
    found = {(c.row, c.name) for c in cells("quick") if c.kind is CellKind.SYSTEM}
    assert found == {(check.row, check.name) for check in SYSTEM_CHECKS}


@pytest.mark.parametrize("key", SUBJECTS)
def test_a_row_that_is_no_method_says_so_and_is_not_run(key):
    one = row(key)
    assert one.state == "ready" and one.kind == SUBJECTS[key].kind != "method"
    assert one.claims(10) == SUBJECTS[key].states
    assert not (one.problems or one.theorems or one.operators or one.why)
    with pytest.raises(
        ValueError, match=f"row '{key}' is a .*, not a method that runs; `rateproof check"
    ):
        one.build(problem("quadratic-sc", 4), 10)


def test_bad_subjects_are_named():
    with pytest.raises(ValueError, match=r"parts must be at least one, .* got parts=\[\]"):
        RowSubject("collective", (), ("a sum",))
    with pytest.raises(ValueError, match="each of its own name"):
        RowSubject("collective", (RingAllReduce(4), RingAllReduce(4)), ("a sum",))
    with pytest.raises(ValueError, match="states must hold what theory says"):
        RowSubject("collective", (RingAllReduce(4),), ())
    recipe = Recipe(lambda step, _p, _t: BSP(step), (), why="nothing tunes it")
    with pytest.raises(ValueError, match="must have a recipe or a subject, got both"):
        Row("both", "architecture", "two things", "nowhere", recipe, RING)
    with pytest.raises(ValueError, match="'ring' has no line in"):
        entry("ring", RING)
