"""Conjectures: laws that are known are found, refusals are told, nothing reads as proved."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sympy import Symbol
from sympy.parsing.sympy_parser import (
    implicit_multiplication,
    parse_expr,
    standard_transformations,
)

from experiments.commands.conjecture import conjecture_command
from proofs_check.compressors.check import check_compressor
from proofs_check.conjecture.fit import PowerLaw, lowest_law
from proofs_check.conjecture.lines import (
    LINES,
    REFUSED,
    ConjectureLine,
    factor,
    line_called,
)
from proofs_check.conjecture.operators import UnevenContraction
from proofs_check.conjecture.search import (
    Conjecture,
    base,
    conjectured,
    rounded,
    unit,
    worst,
)
from proofs_check.verdict import Outcome
from theory.survey import convergence
from theory.survey.convergence import ConvergenceLine

BLANK = {
    one.name
    for value in vars(convergence).values()
    if isinstance(value, tuple)
    for one in value
    if isinstance(one, ConvergenceLine) and (one.convex is None or one.nonconvex is None)
}


def test_every_blank_line_is_tried_or_refused_with_a_reason() -> None:
    named = {one.name for one in LINES} | set(REFUSED)
    assert named == {name.replace("A.R.", "PS") for name in BLANK}


@pytest.mark.parametrize("name", ["PS, ASP, Spars.", "gossip-locl-sparse"])
def test_a_line_that_cannot_be_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"drawn: exact moments|nearest"):
        line_called(name)


def test_a_known_law_is_found() -> None:
    places = np.array([(h, p) for h in (1.0, 2, 4, 8) for p in (1.0, 2, 4)])
    law = lowest_law(places, 0.5 * places[:, 0] ** 1.5 * places[:, 1] ** 2)
    assert law.exponents == (1.5, 2.0)
    assert law.constant == pytest.approx(0.5)


def test_a_law_lies_above_all_points() -> None:
    rng = np.random.default_rng(0)
    places, needed = np.exp(rng.random((30, 2)) * 3), np.exp(rng.standard_normal(30))
    law = lowest_law(places, needed)
    assert all(law.at(x) >= y for x, y in zip(places, needed, strict=True))


def test_nothing_needed_is_no_law() -> None:
    with pytest.raises(ValueError, match="positive somewhere"):
        lowest_law(np.ones((2, 1)), np.zeros(2))


@pytest.mark.parametrize(("given", "up"), [(0.1234, 0.13), (2.0, 2.0), (451.0, 460.0)])
def test_constants_are_rounded_up(given: float, up: float) -> None:
    assert rounded(given) == pytest.approx(up)


def test_hard_values_have_large_factors() -> None:
    values = {"H": 4.0, "p": 0.25, "delta": 0.5, "omega": 3.0}
    assert [factor(k, v) for k, v in values.items()] == [4, 4, 2, 4]


def test_the_uneven_operator_loses_what_it_claims() -> None:
    found = check_compressor(UnevenContraction(0.5), d=8)
    assert found and not any(one.outcome is Outcome.REFUTED for one in found)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.row)
def test_the_statement_says_what_was_attacked(line: ConjectureLine) -> None:
    """Its words, read by sympy, at values where no two factors are alike."""
    values = {"H": 3.0, "omega": 6.0, "p": 0.5, "delta": 0.2}
    known = {"L_max": 1.3, "L": 0.7, "sigma2": 2.0, "zeta2_star": 0.6, "n": 4.0, "initial_gap": 5.0}
    exponents = (2.0, 1.5, 0.0)[: len(line.variables)]
    found = Conjecture(line, 8.0, PowerLaw(0.123, exponents, exponents))
    words = found.statement.removeprefix("for gamma <= ").removesuffix(
        ", zeta*^2 = mean ||grad f_i(x*)||^2"
    )
    limit, bound = words.split(": average E||grad f||^2 <= ")
    letters = (
        {"gamma": 0.01, "T": 50.0, "D": 5.0, "sigma": 2**0.5, "zeta": 0.6**0.5} | values | known
    )

    def told(text: str) -> float:
        text = text.replace("f(x0) - f*", "D").replace("zeta*", "zeta").replace("^", "**")
        read = parse_expr(
            text, {name: Symbol(name) for name in letters},
            (*standard_transformations, implicit_multiplication),
        )  # fmt: skip
        return float(read.subs(letters))

    hard = {name: factor(name, values[name]) for name in line.variables}
    amount = rounded(0.123) * math.prod(
        one**power for one, power in zip(hard.values(), exponents, strict=True)
    )
    assert told(limit) == pytest.approx(1 / (8 * math.prod(hard.values()) * known["L_max"]))
    assert told(bound) == pytest.approx(base(known, 0.01, 50.0) + amount * unit(known, 0.01))


@pytest.mark.slow
def test_gossip_alone_pays_the_square_of_the_gap() -> None:
    """D-PSGD on quadratics: (gamma L)^2 zeta^2/p^2 (theory.md), here CHOCO without loss."""
    line = line_called("gossip-sparse")
    found = Conjecture(line)
    amounts = []
    for p in (0.5, 0.25):
        top = worst(line, {"p": p, "delta": 1.0}, 2.0, 0.0, 20.0, 0, found)
        assert top is not None
        amounts.append(top.amount)
    assert amounts[1] / amounts[0] == pytest.approx(4, rel=0.5)


@pytest.mark.slow
def test_a_conjecture_says_that_it_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    code = conjecture_command("local-sgd-sparse", budget=20, seed=0, listed=False, as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert code == 0 and found["standing"] == "conjecture"
    assert found["held_out"] > 0 and found["not_tried"] and found["exponents"]["delta"] >= 1


def test_the_lines_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert conjecture_command("", budget=1, seed=0, listed=True, as_json=False) == 0
    assert "none of PS, ASP, Spars.: who arrives when is drawn" in capsys.readouterr().out


def test_no_time_is_refused() -> None:
    with pytest.raises(ValueError, match="budget must be positive"):
        conjectured(LINES[0], budget=0)
