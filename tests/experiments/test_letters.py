"""Letters of figures: whatever formulas they write, fonts have a sign for each."""

from __future__ import annotations

import logging

import pytest
from matplotlib.mathtext import MathTextParser

from experiments.figures.indices import as_mathtext
from experiments.figures.signs import pretty
from experiments.figures.style import styled
from theory.survey.rows import SINCE_ROWS, SURVEY_ROWS
from theory.theorems import PROVED_ONLY, THEOREMS


def test_orders_of_all_theorems_have_every_letter(caplog: pytest.LogCaptureFixture) -> None:
    orders = sorted({str(one.order) for one in (*THEOREMS, *PROVED_ONLY)})
    texts = sorted({one.what for one in (*SURVEY_ROWS, *SINCE_ROWS)})
    assert "O(T^-1 omega^1/2)" in orders
    with styled(), caplog.at_level(logging.WARNING, logger="matplotlib.mathtext"):
        for text in (*orders, *texts):
            if "$" in (typeset := as_mathtext(pretty(text))):  # others are no formulas
                MathTextParser("path").parse(typeset)
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("text", "typeset"),
    [
        ("O(T⁻¹ ω^(1/2))", r"O(T$\mathregular{^{−1}}$ $\mathregular{ω^{1/2}}$)"),
        ("T⁻¹", "T⁻¹"),
        ("$T^{-1}$ T⁻¹", "$T^{-1}$ T⁻¹"),
    ],
)
def test_a_raised_minus_beside_a_formula_is_one(text: str, typeset: str) -> None:
    assert as_mathtext(text) == typeset
