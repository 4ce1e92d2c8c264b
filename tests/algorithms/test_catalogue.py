"""The catalogue: every surveyed row once, ready rows tuned by theorems that apply."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import theory
from algorithms.catalogue import METHODS, PROBLEMS, ROWS, Recipe, Row, problem, row
from algorithms.catalogue.entries import Line, assembled, entry
from algorithms.compressors.identity import Identity
from algorithms.core.names import UnknownName
from algorithms.engine.run import run
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.least_squares_data import rising
from theory.estimation import ESTIMATION
from theory.members import modules
from theory.orders import ORDERS
from theory.stepsizes import ConstantStep
from theory.survey.rows import SURVEY_ROWS
from theory.theorems import PROVED_ONLY, THEOREMS
from theory.theorems.bsp_nonconvex import bsp_nonconvex

PAIRS = [(r.key, name) for r in METHODS for name in r.problems]


def test_rows_are_those_of_the_tables():
    keys: dict[str, list[str]] = {}
    for name in ("survey_rows.tsv", "since_rows.tsv"):
        with (Path(theory.__file__).parent / "survey" / name).open(newline="") as lines:
            keys[name] = [line["key"] for line in csv.DictReader(lines, delimiter="\t")]
    assert [r.key for r in ROWS if r.surveyed] == keys["survey_rows.tsv"]
    assert {r.key for r in ROWS if not r.surveyed} == set(keys["since_rows.tsv"])


def test_every_file_that_makes_entries_tells_them_and_none_is_left_out():
    files = [m for m in modules("algorithms.catalogue") if vars(m).get("entry") is entry]
    told = [r for m in files if m.__name__ != entry.__module__ for r in m.ENTRIES]
    assert all(m.ENTRIES for m in files if m.__name__ != entry.__module__)
    assert sorted(r.key for r in told) == sorted(r.key for r in ROWS if r.state == "ready")


RECIPE = Recipe(lambda step, p, steps: BSP(step), (bsp_nonconvex,))


def test_an_entry_that_no_survey_lists_is_refused_by_name():
    with pytest.raises(ValueError, match=r"entry 'qsdg' has no line in .*since_rows.tsv.*qsgd"):
        entry("qsdg", RECIPE)
    stray = Row("stray", "gossip", "a method", "nowhere", RECIPE)
    with pytest.raises(ValueError, match="has the key of these entries: 'stray'"):
        assembled(SURVEY_ROWS, [entry("qsgd", RECIPE), stray])


def test_a_method_that_no_survey_names_brings_its_line():
    line = Line("gossip", "a method", "Doe 2024, arXiv:2401.00000")
    own = entry("of-today", RECIPE, line)
    assert (own.family, own.what, own.source, own.surveyed) == (*line, False)
    rows = assembled(SURVEY_ROWS, [own, entry("qsgd", RECIPE)])
    assert [r.key for r in rows] == [*(s.key for s in SURVEY_ROWS), "of-today"]
    with pytest.raises(ValueError, match="'qsgd' has a line of its own, and one in"):
        entry("qsgd", RECIPE, line)


def test_two_entries_of_one_key_are_refused_by_name():
    twice = [entry("qsgd", RECIPE), entry("top-k", RECIPE), entry("qsgd", RECIPE)]
    with pytest.raises(ValueError, match="two entries have the key 'qsgd'"):
        assembled(SURVEY_ROWS, twice)


def test_an_entry_names_theorems_or_a_reason():
    with pytest.raises(ValueError, match="entry 'qsgd' must name theorems that tune it, or say"):
        entry("qsgd", replace(RECIPE, theorems=()))
    with pytest.raises(ValueError, match="got 1 theorems and why='no'"):
        entry("qsgd", replace(RECIPE, why="no"))
    with pytest.raises(ValueError, match="must differ, got bsp_nonconvex twice"):
        replace(RECIPE, results=(bsp_nonconvex,))


def test_every_ready_row_runs_somewhere_and_says_what_theory_knows():
    names = {entry.name for entry in PROBLEMS}
    known = {id(result) for result in (*THEOREMS, *PROVED_ONLY, *ORDERS, *ESTIMATION)}
    for r in METHODS:
        assert r.problems and set(r.problems) <= names
        assert set(r.theorems) <= set(THEOREMS)
        assert all(id(result) in known for result in r.results)
        assert r.theorems or (len(r.why.split()) > 4 and not r.why.endswith("."))
        assert not any(isinstance(operator, Identity) for operator in r.operators)


def test_no_result_is_left_without_a_row():
    named = {result.name for r in METHODS for result in (*r.theorems, *r.results)}
    assert {result.name for result in (*THEOREMS, *PROVED_ONLY, *ORDERS, *ESTIMATION)} == named


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("listed", PROBLEMS, ids=lambda listed: listed.name)
def test_problems_build_for_any_number_of_workers(listed, n):
    n = max(n, listed.least_workers)
    built = problem(listed.name, n)
    assert built.name == listed.name and built.n == n
    assert torch.isfinite(built.value(built.start())).all()


@pytest.mark.parametrize(("key", "name"), PAIRS)
def test_tuning_prefers_a_theorem_and_says_which(key, name):
    built = problem(name, 4)
    tuned = row(key).tune(built, 100)
    constants = tuned.method.constants(built).completed()
    if tuned.theorem is not None:
        assert tuned.theorem.violations(constants, tuned.step, 100) == ()
    assert tuned.step(0) > 0


def test_theorems_cover_what_they_should():
    covered = {
        (key, name): row(key).tune(problem(name, 4), 100).theorem
        for key, name in [("bsp-sgd", "quadratic-sc"), ("bsp-sgd", "quadratic-pl"),
                          ("qsgd", "nonconvex-digits"), ("top-k", "nonconvex-digits"),
                          ("asp", "quadratic-sc-iid"), ("choco-gossip", "consensus"),
                          ("d-psgd", "logreg-digits"), ("local-sgd", "quadratic-sc-iid")]
    }  # fmt: skip
    assert {k: t.name for k, t in covered.items() if t} == {
        ("bsp-sgd", "quadratic-sc"): "bsp_strongly_convex_decreasing",
        ("bsp-sgd", "quadratic-pl"): "bsp_nonconvex",
        ("qsgd", "nonconvex-digits"): "compressed_bsp_nonconvex",
        ("top-k", "nonconvex-digits"): "ef_sgd_workers",
        ("asp", "quadratic-sc-iid"): "asysg_con",
        ("choco-gossip", "consensus"): "choco_gossip",
        ("d-psgd", "logreg-digits"): "d_psgd_variance",
        ("local-sgd", "quadratic-sc-iid"): "local_sgd_nonconvex",
    }


@pytest.mark.parametrize(
    ("key", "name"), [("diana", "diana"), ("qsgd", "compressed_bsp_strongly_convex")]
)
def test_workers_with_hessians_of_their_own_are_covered(key, name):
    """Least squares has no uniform zeta2; the theorems ask for it at the minimiser only."""
    built = rising(8, 20)
    assert built.constants().zeta2 is None
    tuned = row(key).tune(built, 500)
    assert tuned.theorem is not None and tuned.theorem.name == name


def test_bounded_gradients_are_not_taken_where_they_are_not_stated():
    """Error feedback leaves the ball in which l2 logistic regression bounds its gradients."""
    tuned = row("top-k").tune(problem("logreg-digits", 4), 100)
    assert tuned.theorem is not None and "G2" not in tuned.theorem.needs


def test_unknown_names_and_planned_rows():
    with pytest.raises(UnknownName, match="unknown row 'qsdg'; nearest: qsgd"):
        row("qsdg")
    with pytest.raises(UnknownName, match="unknown problem 'quadratic-cs'; nearest: quadratic-sc"):
        problem("quadratic-cs", 4)
    with pytest.raises(UnknownName, match=r"known: .*bsp-sgd"):
        row("@@@")
    with pytest.raises(ValueError, match="row 'later' is planned, not ready"):
        Row("later", "gossip", "a method", "nowhere").build(problem("quadratic-sc", 4), 10)


@pytest.mark.parametrize("key", [r.key for r in METHODS if "quadratic-sc" in r.problems])
def test_a_row_runs_with_as_few_workers_as_it_says(key):
    recipe = row(key).recipe
    assert recipe is not None
    least = problem("quadratic-sc", recipe.least_workers)
    assert torch.isfinite(run(row(key).build(least, 4), least, steps=4).model).all()
    if recipe.least_workers > 1:
        fewer = problem("quadratic-sc", recipe.least_workers - 1)
        with pytest.raises(ValueError, match="at least would do"):
            run(row(key).build(fewer, 4), fewer, steps=4)


STEPLESS = {
    "push-sum", "fdla", "randomised-gossip", "quantised-consensus", "choco-gossip", "ssda-msda",
    "dual-accelerated", "cola", "coded-regression",
}  # fmt: skip


@pytest.mark.parametrize("key", [r.key for r in METHODS])
def test_a_method_without_a_stepsize_says_so_and_takes_none(key):
    built = problem(row(key).problems[0], 4)
    tuned = row(key).tune(built, 50)
    assert tuned.stepless == (key in STEPLESS)
    assert (tuned.step_text == "no stepsize") == tuned.stepless
    if tuned.stepless:
        with pytest.raises(ValueError, match=rf"row '{key}' has no stepsize, got .*; leave it out"):
            row(key).tune(built, 50, ConstantStep(0.1))
    else:
        assert row(key).tune(built, 50, ConstantStep(0.1)).step == ConstantStep(0.1)
