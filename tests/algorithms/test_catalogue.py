"""The catalogue: every surveyed row once, ready rows tuned by theorems that apply."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import torch

import theory
from algorithms.catalogue import PROBLEMS, ROWS, Row, problem, row
from algorithms.names import UnknownName
from algorithms.run import run
from theory.theorems import THEOREMS

READY = [r for r in ROWS if r.state == "ready"]
PAIRS = [(r.key, name) for r in READY for name in r.problems]


def test_rows_are_those_of_the_survey_table():
    path = Path(theory.__file__).parent / "survey" / "survey_rows.tsv"
    with path.open(newline="") as lines:
        keys = [line["key"] for line in csv.DictReader(lines, delimiter="\t")]
    assert [r.key for r in ROWS] == keys and len(keys) == 147


def test_every_ready_row_runs_somewhere_and_has_theory():
    names = {entry.name for entry in PROBLEMS}
    for r in READY:
        assert r.problems and set(r.problems) <= names
        assert set(r.theorems) <= set(THEOREMS)
        assert bool(r.theorems) != bool(r.parts and r.parts.why)
        assert r.claims(20)


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("name", [entry.name for entry in PROBLEMS])
def test_problems_build_for_any_number_of_workers(name, n):
    built = problem(name, n)
    assert built.name == name and built.n == n
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
        ("d-psgd", "logreg-digits"): "d_psgd",
        ("local-sgd", "quadratic-sc-iid"): "local_sgd_nonconvex",
    }


def test_bounded_gradients_are_not_taken_where_they_are_not_stated():
    """Error feedback leaves the ball in which l2 logistic regression bounds its gradients."""
    assert row("top-k").tune(problem("logreg-digits", 4), 100).theorem is None


def test_unknown_names_and_planned_rows():
    with pytest.raises(UnknownName, match="unknown row 'qsdg'; nearest: qsgd"):
        row("qsdg")
    with pytest.raises(UnknownName, match="unknown problem 'quadratic-cs'; nearest: quadratic-sc"):
        problem("quadratic-cs", 4)
    with pytest.raises(UnknownName, match=r"known: .*bsp-sgd"):
        row("@@@")
    with pytest.raises(ValueError, match="row 'later' is planned, not ready"):
        Row("later", "gossip", "a method", "nowhere").build(problem("quadratic-sc", 4), 10)


@pytest.mark.parametrize("key", [r.key for r in READY if "quadratic-sc" in r.problems])
def test_a_row_runs_with_as_few_workers_as_it_says(key):
    parts = row(key).parts
    assert parts is not None
    least = problem("quadratic-sc", parts.least_workers)
    assert torch.isfinite(run(row(key).build(least, 4), least, steps=4).model).all()
    if parts.least_workers > 1:
        fewer = problem("quadratic-sc", parts.least_workers - 1)
        with pytest.raises(ValueError, match="at least would do"):
            run(row(key).build(fewer, 4), fewer, steps=4)
