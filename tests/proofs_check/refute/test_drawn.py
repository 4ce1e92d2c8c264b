"""Drawn faults: what they are of a small module, and that what is right is never counted."""

from __future__ import annotations

import ast
from math import inf

import pytest

from proofs_check.refute.drawn import drawn
from proofs_check.refute.drawn_faults import faults, with_fault
from proofs_check.refute.planted import FalseTheorem
from proofs_check.refute.seeds import kept
from proofs_check.refute.step_limits import records
from proofs_check.refute.stronger import KnownSlack, TheoremDifference, compared, slacks_kept
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
    same = compared(bsp_nonconvex, bsp_nonconvex)
    assert same == TheoremDifference(1.0) and not same.stronger


def test_a_draw_is_of_its_seed_and_each_is_stronger_somewhere() -> None:
    first = list(drawn(5, 2, ("bsp_nonconvex",)))
    assert list(map(str, first)) == list(map(str, drawn(5, 2, ("bsp_nonconvex",))))
    assert list(map(str, first)) != list(map(str, drawn(6, 2, ("bsp_nonconvex",))))
    assert all(one.difference.stronger for one in first)


def test_how_much_stronger_by_hand() -> None:
    """Half the bound, and steps three times as long, of a theorem that allows 1/L."""
    half, long = FalseTheorem(bsp_nonconvex, 0.5), FalseTheorem(bsp_nonconvex, reach=3.0)
    assert compared(bsp_nonconvex, half).share == pytest.approx(0.5)
    assert compared(bsp_nonconvex, half).reach == 1.0
    assert compared(bsp_nonconvex, long).reach == pytest.approx(3.0, rel=0.2)  # quarters of octaves
    double = FalseTheorem(bsp_nonconvex, 2.0)
    assert compared(bsp_nonconvex, double).share == pytest.approx(2.0)
    assert not compared(bsp_nonconvex, double).stronger


@pytest.mark.parametrize(
    ("difference", "room", "said"),
    [
        (TheoremDifference(0.5), KnownSlack(), ""),
        (TheoremDifference(0.5), KnownSlack(0.6), ""),
        (TheoremDifference(0.7), KnownSlack(0.6), "its bound has slack 0.6"),
        (TheoremDifference(1.0, 2.0), KnownSlack(0.6, 1.5), ""),
        (
            TheoremDifference(1.0, 2.0),
            KnownSlack(0.6, 3.0),
            "steps 3 times as long are the first to break it",
        ),
        (
            TheoremDifference(1.0, 2.0),
            KnownSlack(0.6, inf),
            "steps up to 64 times as long broke nothing",
        ),
        (TheoremDifference(0.5, 2.0), KnownSlack(0.6, 3.0), ""),
        (TheoremDifference(1.0, 1.0, others=True), KnownSlack(0.6, inf), ""),
    ],
)
def test_what_the_right_theorem_gives_away_hides_a_fault(
    difference: TheoremDifference, room: KnownSlack, said: str
) -> None:
    assert said in room.hides(difference) and bool(said) == bool(room.hides(difference))


def test_room_is_what_seeds_and_limits_keep() -> None:
    rooms, slacks, limits = slacks_kept(), kept(), records()
    for name, record in slacks.items():
        assert not record.tried or rooms[name].slack == record.ratio
    assert any(one.factor for one in limits.values())
    for name, limit in limits.items():
        if limit.tried:
            assert rooms[name].factor == (limit.factor or inf)
