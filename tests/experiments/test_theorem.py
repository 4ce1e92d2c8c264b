"""``rateproof theorem``: statements, numbers for constants, which results cover a row."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import rateproof
from experiments.cli.main import app
from experiments.commands.coverage import coverage_record, speed_up
from experiments.commands.theorem import theorem_record
from experiments.listing.results import RESULTS
from theory.estimation import ESTIMATION
from theory.orders import ORDERS
from theory.ranges import RANGES
from theory.theorem import HALF, Order, Theorem
from theory.theorems import PROVED_ONLY, THEOREMS


def called(*words: str) -> Result:
    """What ``rateproof theorem`` gives."""
    return CliRunner().invoke(app, ["theorem", *words])


def test_names_of_results_are_unique() -> None:
    everything = (*THEOREMS, *PROVED_ONLY, *ORDERS, *ESTIMATION)
    assert len(RESULTS) == len(everything)
    assert all(RESULTS[one.name] is one for one in everything)


def test_the_list_has_theorems_and_orders() -> None:
    lines = json.loads(called("--json").stdout)
    kinds = {line["name"]: line["kind"] for line in lines}
    assert kinds["bsp_nonconvex"] == "theorem"
    assert kinds["ecd_psgd"] == "order"
    assert kinds["k_level"] == "mean estimation"
    assert len(lines) == len(RESULTS)


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_shown_with_its_rows(name: str) -> None:
    found = theorem_record(name)
    assert found["statement"]
    assert found["source"]
    if isinstance(RESULTS[name], Theorem):
        assert found["at"]["example"] is True
        assert found["at"]["missing"] == []


def test_the_bound_is_that_of_the_formula() -> None:
    """2 Delta / (gamma T) + gamma L sigma2 / n, Bottou, Curtis, Nocedal 2018, Theorem 4.8."""
    settings = ("n=8", "L=2", "sigma2=3", "initial_gap=5", "gamma=0.1")
    words = [word for text in settings for word in ("--set", text)]
    found = json.loads(called("bsp_nonconvex", *words, "-T", "50", "--json").stdout)
    assert found["at"]["bound"] == pytest.approx(2 * 5 / (0.1 * 50) + 0.1 * 2 * 3 / 8, rel=1e-12)
    assert found["at"]["violations"] == []
    again = rateproof.theorem(
        "bsp_nonconvex", T=50, n=8, L=2.0, sigma2=3.0, initial_gap=5.0, gamma=0.1
    )
    assert again == found


def test_a_stepsize_that_is_too_large_is_named_and_has_no_bound() -> None:
    found = rateproof.theorem("bsp_nonconvex", n=8, L=2.0, sigma2=3.0, initial_gap=5.0, gamma=3.0)
    assert found["at"]["bound"] is None
    assert "gamma" in found["at"]["violations"][0]


def test_missing_constants_are_named() -> None:
    done = called("bsp_nonconvex", "--set", "L=2")
    assert done.exit_code == 0
    assert "missing: n, sigma2, initial_gap" in done.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("bsp_nonconvx",), "bsp_nonconvex"),
        (("bsp_nonconvex", "--set", "sigma=1"), "sigma2"),
        (("bsp_nonconvex", "--set", "L"), "NAME=VALUE"),
        (("bsp_nonconvex", "--set", "L=much"), "L must be a number"),
        (("bsp_nonconvex", "--set", "n=2.5"), "n must be a whole number"),
        (("ecd_psgd", "--set", "L=2"), "order only"),
        (("--set", "L=2"), "give its name"),
        (("--for", "bsp-sdg"), "bsp-sgd"),
        (("ssp", "--for", "ssp"), "not both"),
        (("bsp_nonconvex", "-T", "0"), "T must be at least 1"),
    ],
)
def test_refusals_name_what_is_wrong_and_what_would_do(words: tuple[str, ...], told: str) -> None:
    done = called(*words)
    assert done.exit_code == 2, done.output
    assert told in done.output


def test_a_row_is_covered_where_assumptions_hold_and_the_others_are_named() -> None:
    found = json.loads(called("--for", "local-sgd", "--json").stdout)
    by_problem = {one["problem"]: one for one in found["problems"]}
    assert "local_sgd_nonconvex" in by_problem["quadratic-sc-iid"]["covered_by"]
    (why,) = by_problem["quadratic-sc"]["violated"]["local_sgd_nonconvex"]
    assert "all workers must share one objective" in why
    assert "needs" in by_problem["mlp-digits"]["violated"]["local_sgd"][0]
    told = called("--for", "d2").output
    assert "order d2" in told
    assert "no theorem tunes it" in told


def test_theorems_that_tune_no_run_are_asked_about_problems_too() -> None:
    """The Polyak-Lojasiewicz results stand beside the row and cover a quadratic."""
    told = coverage_record("bsp-sgd", 4, 100)["problems"]
    by_name = {one["problem"]: one for one in told}
    assert "bsp_pl" in by_name["quadratic-sc"]["covered_by"]
    assert by_name["mlp-digits"]["violated"]["bsp_pl"][0].startswith("this theorem needs L")


def test_the_answer_comes_first_for_each_kind_of_problem_with_its_speed_up() -> None:
    told = called("--for", "top-k").output.splitlines()
    kinds = [line.partition(" (")[0] for line in told[1:4]]
    assert kinds[0] == "strongly convex"
    (bsp,) = (line for line in called("--for", "bsp-sgd").output.splitlines()
              if line.startswith("strongly convex ("))  # fmt: skip
    assert "bsp_strongly_convex" in bsp


def test_what_fails_is_said_once() -> None:
    """A sentence that differs in numbers alone is the same assumption."""
    data = coverage_record("top-k", 16, 1000)
    told = [re.sub(r"\d[\d.e+-]*", "#", one["what"]) for one in data["missing"]]
    assert len(set(told)) == len(told)
    every = {(name, one["problem"]) for one in data["problems"] for name in one["violated"]}
    said = {
        (name, where)
        for one in data["missing"]
        for name in one["results"]
        for where in one["problems"]
    }
    assert every <= said


@pytest.mark.parametrize(
    ("powers", "words"),
    [
        ({"T": -1, "n": -1}, "linear speed-up in n"),
        ({"T": -HALF, "n": -HALF}, "linear speed-up in n"),
        ({"T": -1, "n": -HALF}, "speed-up n^0.5"),
        ({"T": -1}, "no speed-up in n"),
        ({"T": -1, "n": 1}, "slower with n, by n^1"),
        ({}, "no speed-up in n"),
    ],
)
def test_a_speed_up_is_that_of_steps_to_an_error(powers: dict[str, Any], words: str) -> None:
    assert speed_up(Order(powers)) == words


def edges(name: str) -> list[float]:
    """Ends of a constant's range, what lies just beside them, and far out."""
    low, high = (max(-1e3, RANGES[name].low), min(1e3, RANGES[name].high))
    return [low - 1, low, low + 1e-9, high - 1e-9, high, high + 1, 1e300, math.nan, math.inf]


@pytest.mark.parametrize("one", THEOREMS + PROVED_ONLY, ids=lambda t: t.name)
def test_no_constant_at_its_edge_is_a_fault_of_the_program(one: Theorem) -> None:
    usual = {name: getattr(one.example, name) for name in one.needs}
    for name in (name for name in one.needs if name in RANGES):
        for value in (*edges(name), *(usual[other] for other in ("L", "L_max") if other in usual)):
            at = theorem_record(one.name, usual | {name: value}, 1)["at"]
            assert at["violations"] or math.isfinite(at["bound"]), (name, value)
