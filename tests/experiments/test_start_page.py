"""The start page's answers: every number is one that was measured, and counts add up."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from experiments.questions import kept
from experiments.reporting.situations import SCARCE, Situation, SituationPart, situations
from experiments.reporting.table import COLUMNS
from experiments.reporting.tallies import other_tallies, outcome_sum, verdict_tallies
from proofs_check.verdict import CheckKind, Outcome

ROW = {"low": 1.0, "high": 1.0, "spent": None, "stepsize": "", "p": 1.0}


def contest(alike: bool | None, *rows: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "contest", "title": "made", "problem": "made", "n": 3, "alike": alike,
            "axis": next(iter(SCARCE)), "rows": [ROW | one for one in rows]}  # fmt: skip


BEST = {"name": "A", "error": 0.5, "ratio": 1.0, "verdict": "best"}
LEVEL = {"name": "B", "error": 0.5, "ratio": 1.0, "verdict": "not told apart from the best"}
PLAIN = {"name": "BSP", "error": 1.0, "ratio": 2.0, "verdict": "worse"}
LAST = {"name": "Z", "error": 1e9, "ratio": 2e9, "verdict": "worse"}


def test_a_cell_says_what_its_comparison_says_and_no_more() -> None:
    found = situations({"q": {"parts": [contest(True, BEST, LEVEL, PLAIN, LAST)]}})
    words = "next BSP (× 2); last of 4 Z (error 1e+09)"
    part = SituationPart("questions.html#q-1", "made", "made, n = 3", "A", ("B",), words)
    assert found == (Situation(*next(iter(SCARCE.values())), alike=(part,)),)
    assert situations({"q": {"parts": [contest(None, BEST)]}}) == (), (
        "where nothing says whether data differ, it is in neither column"
    )


def test_comparisons_of_one_title_are_told_apart_by_their_budgets() -> None:
    parts = [contest(True, BEST) | {"budget": budget} for budget in (1e5, 2e6)]
    (found,) = situations({"q": {"parts": parts}})
    axis = next(iter(SCARCE))
    assert [one.title for one in found.alike] == [f"made, 1e+05 {axis}", f"made, 2e+06 {axis}"]


def test_a_method_that_diverged_is_named_where_what_is_left_is_told() -> None:
    curves = [{"name": "A", "y": [0.0, 0.0]}, {"name": "B", "y": [1.0, None]}]
    sweep = {"kind": "sweep", "title": "made", "problem": "made", "n": 3, "curves": curves}
    (found,) = situations({"q": {"parts": [sweep]}})
    assert found.differ[0].best == "A"
    assert found.differ[0].others == "diverged at some value: B"


def test_every_kept_answer_has_its_place_in_the_table() -> None:
    parts = [p for one in situations() for p in (*one.alike, *one.differ, *one.both)]
    links = {p.link.partition("#")[2] for p in parts}
    assert links == {
        kept.anchor(key, number)
        for key, one in kept.stored().items()
        for number in range(1, len(one["parts"]) + 1)
    }
    names = json.dumps(kept.stored())
    assert all(json.dumps(part.best)[1:-1] in names for part in parts)
    assert {one.name for one in situations()} >= {
        "Slow network", "Fast network", "A straggler", "Little memory",
    }  # fmt: skip


def table(*lines: dict[str, Any]) -> pd.DataFrame:
    empty = {name: "" for name, kind in COLUMNS.items() if kind == "str"}
    return pd.DataFrame([empty | line for line in lines], columns=list(COLUMNS))


@pytest.mark.parametrize("unit", ["run", "operator identity"])
def test_counts_sum_to_all_lines(unit: str) -> None:
    made = [{"verdict": one.value, "unit": unit} for one in Outcome]
    made += [{"verdict": "error"}, {"verdict": "a word of tomorrow"}]
    made += [{"verdict": v.value, "check_kind": CheckKind.MUTANT}
             for v in (Outcome.CAUGHT, Outcome.REFUTED)]  # fmt: skip
    found = verdict_tallies(table(*made))
    assert sum(one.total for one in found) == len(made)
    assert outcome_sum(found, Outcome.REFUTED.value) == 2
    others = other_tallies(table(*made), [{"refuted": []}], {"made": 3, "reproduced": 2})
    assert [one.total for one in others][-2:] == [1, 3]
    assert all(count > 0 for one in others for _, count in one.parts)
