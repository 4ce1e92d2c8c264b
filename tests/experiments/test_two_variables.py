"""Heat maps over two variables: their lines are rates in one of them."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.catalogue import problem, row
from algorithms.problems.base import Problem
from experiments.compare.two_variables import _labelled, over_two
from experiments.figures.heatmap import HeatMaps
from proofs_check.methods.sweep import sweep
from theory.stepsizes import ConstantStep

SMALL = {"n": 4, "steps": 16, "replicas": 4, "seed": 3, "step": ConstantStep(0.1)}


def unequal(n: int) -> Problem:
    return problem("quadratic-unequal", n)


def found(key: str, *variables: str) -> HeatMaps:
    x, y = variables
    return over_two(row(key), unequal, (x, y), **SMALL)  # type: ignore[arg-type]


@pytest.mark.parametrize(("other", "at"), [("n", "4"), ("batch", "1")])
def test_a_line_of_a_heat_map_is_the_rate_along_it(other: str, at: str) -> None:
    maps = found("local-sgd", "H", other)
    one = sweep(row("local-sgd"), unequal, "H", **SMALL)  # type: ignore[arg-type]
    assert one.theorem is None
    line = maps.panels[0].values[maps.y.index(at)]
    assert maps.x == tuple(f"{x:g}" for x in one.x)
    assert line == pytest.approx(one.samples.mean(axis=0), rel=1e-12)


def test_the_order_of_variables_turns_the_map() -> None:
    one, turned = found("local-sgd", "H", "n"), found("local-sgd", "n", "H")
    np.testing.assert_allclose(one.panels[0].values, turned.panels[0].values.T, rtol=1e-12)
    assert (one.x, one.y) == (turned.y, turned.x)


def test_what_cannot_be_varied_is_refused() -> None:
    with pytest.raises(ValueError, match="two variables"):
        found("local-sgd", "n", "n")
    with pytest.raises(ValueError, match="no mixing matrix"):
        found("local-sgd", "H", "gap")


def test_values_that_three_digits_do_not_tell_apart_are_two() -> None:
    errors = {(10000.0, 1.0): 0.1, (10001.0, 1.0): 0.2, (10000.0, 2.0): 0.3}
    assert _labelled(errors) == {
        ("10000", "1"): 0.1, ("10001", "1"): 0.2, ("10000", "2"): 0.3,
    }  # fmt: skip
    by_rounding = {(0.1 + 0.2, 1.0): 0.1, (0.3, 1.0): 0.2}
    assert list(_labelled(by_rounding)) == [("0.3", "1")]
