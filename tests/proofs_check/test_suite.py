"""The suite as a whole: cells, kinds, and the family-wise error it states."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random

import pytest

from algorithms.catalogue import FORMS, METHODS, OPERATORS, PROBLEMS, ROWS, problem, row
from algorithms.core.names import UnknownName
from proofs_check.cell import Cell, CellKind
from proofs_check.instruments.statistics import FAMILY_WISE_ERROR, MOST_TESTS, TEST_ERROR
from proofs_check.prepare import IN_VARIANTS, prepare, run_cell
from proofs_check.suite import PRESETS, cells
from proofs_check.table_iv.trials import trial_of
from proofs_check.verdict import CheckKind, Outcome
from theory.survey.classification import Objective
from theory.survey.convergence import TABLE_IV


@pytest.mark.parametrize("preset", list(PRESETS))
def test_cells_are_distinct_and_cover_the_catalogue(preset):
    found = cells(preset)
    assert len(set(found)) == len(found)
    runs = {(c.row, c.problem) for c in found if c.kind is CellKind.RUN}
    everything = (*ROWS, *FORMS.values())
    left_out = {(r.key, "mlp-digits") for r in everything} | {
        (r.key, "logreg-breast-cancer")
        for r in everything
        if not r.theorems and "quadratic-unequal" in r.problems
    }
    wanted = {(r.key, name) for r in everything for name in r.problems}
    assert runs == (wanted - left_out if preset == "quick" else wanted)
    assert {("lars", "mlp-digits-levels"), ("lamb", "mlp-digits-levels")} <= runs
    assert {c.problem for c in found if c.kind is CellKind.PROBLEM} == {e.name for e in PROBLEMS}
    operators = {(c.row, c.name) for c in found if c.kind is CellKind.OPERATOR}
    of_rows = {(r.key, o.name) for r in ROWS for o in r.operators}
    assert of_rows <= operators and {name for _, name in operators} == set(OPERATORS)
    assert [key for key, name in operators if name == "identity"] == [""], "checked once, of no row"


def _regime(name: str) -> tuple[bool, bool, bool]:
    """Whether a problem is convex, strongly convex, Polyak-Lojasiewicz: what theorems ask of f."""
    c = problem(name, 4).constants()
    return bool(c.convex), bool(c.mu), bool(c.pl)


def test_a_quick_survey_runs_every_row_in_every_regime_of_the_full_one():
    regimes = {
        preset: {(c.row, _regime(c.problem)) for c in cells(preset) if c.kind is CellKind.RUN}
        for preset in PRESETS
    }
    assert regimes["quick"] == regimes["full"]
    ready = {r.key for r in METHODS}
    assert {row for row, _ in regimes["quick"]} == ready | set(FORMS)


def test_a_full_survey_repeats_every_effect_in_variants():
    found = [c.row for c in cells("full") if c.name == IN_VARIANTS]
    assert sorted(found) == sorted(r.key for r in METHODS)
    assert not [c for c in cells("quick") if c.name == IN_VARIANTS]


def test_every_survey_has_every_exponent_of_table_iv():
    """180 of the server's and of gossip's cells, 226 with those of all-reduce, whose iterates are
    the server's (counted in the survey's table: 54 cells)."""
    quick, full = ([c for c in cells(p) if c.kind is CellKind.TABLE_IV] for p in PRESETS)
    assert quick == full
    of_lines = [trial_of(line.name, one) for line in TABLE_IV for one in Objective]
    assert (len(of_lines), sum(len(one.variables) for one in of_lines)) == (54, 226)
    assert {c.name for c in quick} == {one.cell_name(v) for one in of_lines for v in one.variables}
    assert len(quick) == 180


def test_a_quick_survey_leaves_out_the_mlp_and_what_shows_no_more():
    """Every other check of the full survey, all mutants among them; what no theorem tunes is not
    run on a second problem of one regime. Effects in variants are a test above."""
    found = {
        p: {(c.row, c.problem, c.check) for c in cells(p) if c.name != IN_VARIANTS} for p in PRESETS
    }
    left_out = found["full"] - found["quick"]
    assert found["quick"] < found["full"]
    assert {problem for _, problem, _ in left_out} == {"mlp-digits", "logreg-breast-cancer"}
    twice = {key for key, name, _ in left_out if name == "logreg-breast-cancer"}
    assert twice and not any(row(key).theorems for key in twice)
    assert {check.split()[0] for _, _, check in left_out} == {"run", "study"}
    assert ("", "", "mutants") in found["quick"]


def test_a_quick_survey_fits_rates_where_runs_are_cheap():
    """On synthetic problems, and once for rows that have none, on the MLP only where there is
    nothing else; a full one on all."""
    fitted = {(c.row, c.problem) for c in cells("quick") if c.kind is CellKind.RUN and c.rates}
    other = {one for one in fitted if one[1].split("-")[0] not in ("quadratic", "consensus")}
    assert other == {
        ("cola", "lasso-diabetes-products"),
        ("lamb", "mlp-digits-levels"),
        ("lars", "mlp-digits-levels"),
        ("mirror-descent", "simplex-signs"),
    }
    assert all(c.rates for c in cells("full"))


@pytest.mark.parametrize("preset", list(PRESETS))
def test_a_preset_has_room_for_its_statistical_tests(preset):
    """A run makes three tests (its bill is exact), an operator at most seven, a bound two, of its
    curve and its rate; a derivation is computer algebra and makes none; other cells gave four
    verdicts on average when this was written. The report counts those of its own run."""
    found = cells(preset)
    operators = sum(c.kind is CellKind.OPERATOR for c in found)
    runs = sum(c.kind is CellKind.RUN for c in found)
    derivations = sum(c.kind is CellKind.PROOF for c in found)
    bounds = sum(c.kind is CellKind.BOUND for c in found)
    others = len(found) - runs - operators - derivations - bounds
    assert 3 * runs + 7 * operators + 2 * bounds + 4 * others <= MOST_TESTS
    assert pytest.approx(FAMILY_WISE_ERROR) == MOST_TESTS * TEST_ERROR


@pytest.mark.parametrize(
    "kind", ["operator", "problem", "topology", "proof", "closed form", "bound"]
)
def test_one_cell_of_each_kind_runs(kind):
    cell = next(c for c in cells("quick") if c.kind == kind)
    verdicts = run_cell(cell).verdicts
    assert verdicts and all(v.outcome is not Outcome.REFUTED for v in verdicts)
    assert all(v.kind is not CheckKind.UNKNOWN for v in verdicts)


@pytest.mark.slow
def test_of_a_drawn_sample_every_verdict_says_its_sort_and_rates_their_exponent():
    """Two cells of each kind, but for mutants and influences, of which there is one each; the sort
    is held against the words of ``check``."""
    draw, quick = Random(31), cells("quick")
    for kind in (k for k in CellKind if k not in (CellKind.MUTANTS, CellKind.INFLUENCES)):
        chosen = draw.sample([c for c in quick if c.kind is kind], 2)
        for v in (v for cell in chosen for v in run_cell(cell).verdicts):
            assert v.kind is not CheckKind.UNKNOWN
            assert (v.kind is CheckKind.RATE) == ("rate in " in v.check)
            if v.kind is CheckKind.RATE:
                stated = re.findall(r"\^(-?[\d./]+)", v.order)
                assert not stated or v.exponent == Fraction(stated[0]).limit_denominator(64)


def test_a_cell_gives_its_verdicts_the_sort_row_and_form_that_they_do_not_say():
    quick = cells("quick")
    one_each = {cell.kind: cell for cell in quick}
    assert set(one_each) == set(CellKind)
    sorts = {kind: prepare(cell).args[1] for kind, cell in one_each.items()}
    assert all(isinstance(sort, CheckKind) for sort in sorts.values())
    assert CheckKind.UNKNOWN not in sorts.values()
    form = next(c for c in quick if c.kind is CellKind.WATCHED and c.row == "lag:ps")
    found = run_cell(form).verdicts
    assert {(v.subject, v.row, v.form, v.kind) for v in found} == {
        ("lag:ps", "lag", "ps", CheckKind.INVARIANT)
    }


def test_unknown_checks_and_presets_are_named():
    with pytest.raises(UnknownName, match="unknown study 'ef_residua'; nearest: ef_residual"):
        run_cell(Cell("error-feedback", "quadratic-sc", CellKind.STUDY, "ef_residua"))
    with pytest.raises(UnknownName, match="unknown preset 'quik'; nearest: quick"):
        cells("quik")
