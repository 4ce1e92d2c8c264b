"""``rateproof table``, and Table IV on the report's pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from experiments.cli.main import app
from experiments.commands import tables
from experiments.reporting.table_iv import anchor, evidence, matrix
from experiments.tables.convergence import standing, table_iv
from proofs_check.cell import Cell, CellKind, CellResult
from proofs_check.facts import ExponentFacts, VariantFacts
from proofs_check.instruments.standings import RateStanding
from proofs_check.table_iv.trials import table_cells
from proofs_check.verdict import Outcome, Verdict
from theory.survey.classification import Objective
from theory.survey.convergence import TABLE_IV


def verdict(
    outcome: Outcome, slope: float | None, half: float | None, beside: float | None,
    stated: Fraction | None = None,
) -> Verdict:  # fmt: skip
    """A verdict on an exponent."""
    return Verdict(
        subject="bsp-sgd", claim="", check="Table IV, rate in T", outcome=outcome,
        statistic=slope, uncertainty=half, bound=beside, exponent=stated, evidence="evidence here",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (verdict(Outcome.SUPPORTED, -0.5, 0.1, -0.5), RateStanding.ATTAINED),
        (verdict(Outcome.REFUTED, -0.1, 0.1, -0.5), RateStanding.REFUTED),
        (verdict(Outcome.COMPARED, -0.46, 0.05, -0.5), RateStanding.ATTAINED),
        (verdict(Outcome.SUPPORTED, -0.328, 0.011, -0.5), RateStanding.SHORT),
        (verdict(Outcome.COMPARED, -0.46, 0.02, -0.5), RateStanding.SHORT),
        (verdict(Outcome.COMPARED, -0.3, 0.1, -0.2, Fraction(-1, 2)), RateStanding.OUTSIDE),
        (verdict(Outcome.COMPARED, -0.3, 0.1, -0.46, Fraction(-1, 2)), RateStanding.SHORT),
        (verdict(Outcome.COMPARED, -1.36, 0.12, -1.0), RateStanding.FASTER),
        (verdict(Outcome.COMPARED, -1.12, 0.05, -1.2, Fraction(-1, 2)), RateStanding.OUTSIDE),
        (verdict(Outcome.COMPARED, -0.6, 0.15, -0.5), RateStanding.COARSE),
        (verdict(Outcome.COMPARED, -1.0, 0.6, -1.0), RateStanding.COARSE),
        (verdict(Outcome.NOT_APPLICABLE, -0.3, 0.1, None), RateStanding.ALONE),
        (verdict(Outcome.NOT_APPLICABLE, None, None, None), RateStanding.UNFITTED),
    ],
)
def test_standings(found: Verdict, expected: RateStanding) -> None:
    assert standing(found) is expected


def results() -> dict[Cell, CellResult]:
    """The first line's convex cell held, the second's refuted."""
    held, refuted = (table_cells()[f"PS, BSP, {c}, convex"][0] for c in ("Null", "Quant."))
    return {
        held: CellResult((verdict(Outcome.SUPPORTED, -1.02, 0.1, -1.0),)),
        refuted: CellResult((verdict(Outcome.REFUTED, -0.2, 0.1, -1.0),)),
    }


def test_no_interval_that_excludes_an_order_is_called_agreement() -> None:
    """Whatever the outcome says of it, and wherever the interval lies."""
    for outcome in (Outcome.SUPPORTED, Outcome.COMPARED):
        for slope in (-1.5, -1.06, -0.94, -0.7, -0.5, 0.0):
            found = standing(verdict(outcome, slope, 0.01, -1.0))
            assert found is not RateStanding.ATTAINED
            assert found.agrees is (slope < -1)


def test_a_cell_says_whether_its_standing_changes() -> None:
    cell = table_cells()["PS, BSP, Null, convex"][0]
    facts = ExponentFacts(
        "PS, BSP, Null", "convex", "T", True, -0.99, "quadratic", "",
        (VariantFacts("T x 4", -1.01, 0.02, "attained"),
         VariantFacts("first stepsize / 4", -1.3, 0.02, "faster everywhere tried")),
    )  # fmt: skip
    kept = {cell: CellResult((verdict(Outcome.SUPPORTED, -1.0, 0.01, -0.99, Fraction(-1)),),
                             facts=(facts,))}  # fmt: skip
    found = next(one.in_T for one in table_iv(kept) if one.name == "PS, BSP, Null, convex")
    assert found.exact and found.regime and found.standing is RateStanding.ATTAINED
    assert found.regime_told == "regime reached"
    assert found.stability_told == (
        "the standing changes: first stepsize / 4: -1.300 ± 0.02, faster everywhere tried"
    )


def test_the_matrix_has_all_cells_and_opens_to_the_evidence() -> None:
    shown = matrix(results())
    assert shown is not None
    squares = [cell for line in shown["lines"] for cell in line["cells"]]
    assert [len(line["cells"]) for line in shown["lines"]] == [6] * 9
    assert len({cell["anchor"] for cell in squares}) == len(squares) == 2 * len(TABLE_IV)
    blank = [(line.convex, line.nonconvex).count(None) for line in TABLE_IV]
    assert sum(cell["new"] for cell in squares) == shown["blank"] == sum(blank)
    first = shown["lines"][0]["cells"]
    assert (first[0]["class"], first[0]["slope"], first[0]["order"]) == (
        "stand-attained",
        "-1.02",
        "-1",
    )
    assert first[1]["class"] == "stand-refuted"
    page = evidence(results(), (), {"bsp-sgd": "rows/bsp-sgd.html"})
    # all-reduce shares the server's iterates
    assert {cell["name"] for cell in page["cells"]} == {
        f"{a}, BSP, {c}, convex" for a in ("PS", "A.R.") for c in ("Null", "Quant.")
    }
    assert {cell["anchor"] for cell in page["cells"]} <= {cell["anchor"] for cell in squares}
    assert page["cells"][0]["page"] == "rows/bsp-sgd.html"
    assert page["cells"][0]["exponents"][0]["evidence"] == "evidence here"


def test_there_is_no_matrix_where_nothing_was_measured() -> None:
    assert matrix({}) is None
    assert evidence({}, (), {})["cells"] == []
    assert anchor("PS, L-SGD, Null, non-convex") == "ps-l-sgd-null-non-convex"


def test_cells_carry_what_the_survey_states() -> None:
    by_name = {cell.name: cell.record() for cell in table_iv({})}
    known = by_name["Gossip, L-SGD, Null, convex"]
    assert (known["stated"], known["references"], known["new"]) == ("T^-1", [221], False)
    assert known["errata"] == ["T1", "T7"]
    assert by_name["PS, SSP, Quant., convex"]["new"] is True
    assert by_name["PS, SSP, Quant., convex"]["standing"] == "not measured"


def test_the_command_prints_every_cell_and_says_what_is_missing(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["table", "IV", "--json", "--report", str(tmp_path)])
    assert done.exit_code == 0, done.output
    cells = json.loads(done.stdout)
    place = ("architecture", "synchronisation", "compression", "objective")
    assert [", ".join(cell[name] for name in place) for cell in cells] == [
        f"{line.name}, {objective}" for line in TABLE_IV for objective in Objective
    ]
    assert {cell["standing"] for cell in cells} == {"not measured"}
    assert {"row", "problem", "exponents", "costs", "source"} <= cells[0].keys()


def test_a_cell_is_named_alone_or_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is measured is measured alone, and nothing before a name that is none."""
    asked: list[list[Cell]] = []

    def kept(cells: object, report: object, screen: object, todo: Sequence[Cell]) -> dict[Any, Any]:
        asked.append(list(todo))
        return {}

    monkeypatch.setattr(tables, "stored_results", kept)
    words = ["table", "IV", "--measure", "--json", "--report", str(tmp_path), "--cell"]
    one = CliRunner().invoke(app, [*words, "Gossip, BSP, Spars., convex"])
    assert [cell["objective"] for cell in json.loads(one.stdout)] == ["convex"]
    both = CliRunner().invoke(app, [*words, "Gossip, BSP, Spars."])
    assert [cell["objective"] for cell in json.loads(both.stdout)] == ["convex", "non-convex"]
    assert [len(todo) for todo in asked] == [1, 2] and set(asked[0]) < set(asked[1])
    assert all(cell.kind is CellKind.TABLE_IV for todo in asked for cell in todo)
    wrong = CliRunner().invoke(app, [*words, "Gossip, BSP, Sparse"])
    assert wrong.exit_code == 2 and len(asked) == 2
    assert "nearest: 'Gossip, BSP, Spars., convex', 'Gossip, " in wrong.stderr


def test_the_other_tables() -> None:
    runner = CliRunner()
    taxonomy = json.loads(runner.invoke(app, ["table", "I", "--json"]).stdout)
    assert taxonomy[0]["method"] == "Synchronous"
    assert taxonomy[0]["rows"]["bsp-sgd"] == "ready"
    evidence = {key: told for one in taxonomy for key, told in one["evidence"].items()}
    assert evidence["ssp"]["sentence"] and evidence["allreduce-ring"] is None
    reduced = json.loads(runner.invoke(app, ["table", "III", "--json"]).stdout)
    by_name = {(one["algorithm"], one["n"]): one for one in reduced}
    assert by_name["Ring", 12]["counted"] == [22, pytest.approx(22 / 12)]
    assert by_name["Recursive doubling", 16]["counted"] == [4, 4]
    assert by_name["halving and doubling", 16]["counted"] == [8, pytest.approx(30 / 16)]
    assert all(one["agrees"] for one in reduced if one["printed"] and one["n"] in (8, 16))
    log_of_twelve = [one for one in reduced if one["erratum"]]
    assert {one["algorithm"] for one in log_of_twelve} == {"Binary tree", "Recursive doubling"}
    shown = runner.invoke(app, ["table", "III"])
    assert shown.exit_code == 0 and "(T11)" in shown.output
    unknown = runner.invoke(app, ["table", "V"])
    assert unknown.exit_code == 2
    wrong = runner.invoke(app, ["table", "I", "--cell", "PS"])
    assert wrong.exit_code == 2
    assert "cell is of table IV alone" in wrong.output


def test_a_table_that_was_not_measured_says_so_beside_its_json(tmp_path: Path) -> None:
    found = CliRunner().invoke(app, ["table", "II", "--report", str(tmp_path), "--json"])
    assert json.loads(found.stdout) == [] and "--measure does it" in found.stderr
    plain = CliRunner().invoke(app, ["table", "II", "--report", str(tmp_path)])
    assert plain.exit_code == 0 and "--measure does it" in plain.stderr
