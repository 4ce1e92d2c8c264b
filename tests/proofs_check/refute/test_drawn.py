"""Drawn faults: what they are of a small module, and that what is right is never counted."""

from __future__ import annotations

import ast

from proofs_check.refute.drawn import compared, drawn
from proofs_check.refute.drawn_faults import faults, with_fault
from theory.theorems.bsp_nonconvex import bsp_nonconvex

MODULE = ast.parse(
    """
def limit(c):
    return 1 / c.need("L")

def floors(c, gamma):
    return gamma * c.need("L") ** 2 + 3 * c.need("sigma2"), 4.0

def premises(c):
    return (positive(c, "mu"), convex(c, "f"))

def prescribed(c):
    return 7 * c.need("L")
"""
)


def made(kind: str, before: str) -> set[str]:
    return {one.after for one in faults(MODULE) if one.kind == kind and one.before == before}


def test_each_kind_by_hand() -> None:
    assert made("exponent", 'c.need("L") ** 2'.replace('"', "'")) == {
        "c.need('L')", "(c.need('L') ** 2) ** 1.5",
    }  # fmt: skip
    total = "gamma * c.need('L') ** 2 + 3 * c.need('sigma2')"
    left, right = total.split(" + ")
    assert made("missing term", total) == {left, right}
    assert made("sign", total) == {total.replace("+", "-")}
    assert made("missing term", f"({total}, 4.0)") == {"(0.0, 4.0)", f"({total}, 0.0)"}
    assert "2.0 * (1 / c.need('L'))" in made("limit", "1 / c.need('L')")
    both = "(positive(c, 'mu'), convex(c, 'f'))"
    assert made("assumption left out", both) == {
        "(positive(c, 'mu'),)", "(convex(c, 'f'),)",
    }  # fmt: skip


def test_what_prescribes_has_no_fault() -> None:
    assert all("7" not in one.before for one in faults(MODULE))


def test_a_fault_changes_one_place_of_a_copy() -> None:
    before = ast.unparse(MODULE)
    for one in faults(MODULE):
        after = ast.unparse(with_fault(MODULE, one))
        assert after != before
        assert sum(a != b for a, b in zip(before.split("\n"), after.split("\n"), strict=True)) == 1
    assert ast.unparse(MODULE) == before


def test_the_right_theorem_is_no_stronger_than_itself() -> None:
    assert compared(bsp_nonconvex, bsp_nonconvex) == (1.0, False)


def test_a_draw_is_of_its_seed_and_each_is_stronger_somewhere() -> None:
    first = list(drawn(5, 2, ("bsp_nonconvex",)))
    assert list(map(str, first)) == list(map(str, drawn(5, 2, ("bsp_nonconvex",))))
    assert list(map(str, first)) != list(map(str, drawn(6, 2, ("bsp_nonconvex",))))
    assert all(one.share < 1 or one.allows for one in first)
