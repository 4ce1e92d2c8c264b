"""Certificates: by hand, against numpy's eigenvalues, and against rates known in closed form."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.worst_case.certificate import Certificate, bound, certificate, semidefinite
from proofs_check.worst_case.functions import SampledPoint, Smooth
from proofs_check.worst_case.gram import Expression
from proofs_check.worst_case.programme import Programme


def one_step(L: float, mu: float, gamma: float) -> tuple[Programme, Expression]:
    """||x_1 - x*||^2 of gradient descent from ||x_0 - x*|| <= 1."""
    p = Programme()
    x, g, f = p.vector(), p.vector(), p.value()
    p.at_most(x.square, 1.0)
    zero = p.zero()
    p.function(Smooth(L, mu), [SampledPoint(zero, zero, 0 * p.value()), SampledPoint(x, g, f)])
    return p, (x - gamma * g).square


def longest_gradient() -> tuple[Programme, Expression]:
    """||g||^2 where ||g||^2/2 <= f <= 3."""
    p = Programme()
    g, f = p.vector(), p.value()
    p.at_most(g.square / 2 - f)
    p.at_most(f, 3.0)
    return p, g.square


def test_multipliers_by_hand() -> None:
    """||g||^2 <= 2 f <= 6 by the multipliers 2 and 2; a little more of the first leaves room."""
    p, goal = longest_gradient()
    some = Fraction(2) + Fraction(1, 1000)
    assert bound(p, goal, Certificate((some, some), ())) == 3 * some


@pytest.mark.parametrize(
    "wrong",
    [
        (Fraction(1), Fraction(1)),  # the square of g is left
        (Fraction(3), Fraction(2)),  # f is left
        (Fraction(-3), Fraction(-3)),
        (Fraction(0), Fraction(0)),
    ],
)
def test_wrong_multipliers_prove_nothing(wrong: tuple[Fraction, Fraction]) -> None:
    p, goal = longest_gradient()
    assert bound(p, goal, Certificate(wrong, ())) is None


def test_as_many_multipliers_as_conditions() -> None:
    p, goal = longest_gradient()
    with pytest.raises(ValueError, match="2 inequalities and 0 equalities need as many"):
        bound(p, goal, Certificate((Fraction(1),), ()))


@pytest.mark.parametrize("turned", [1.0, -1.0])
def test_an_equality_has_a_multiplier_of_either_sign(turned: float) -> None:
    """f - 3 = 0 or 3 - f = 0: ||g||^2 <= 2 f = 6 either way."""
    p = Programme()
    g, f = p.vector(), p.value()
    p.at_most(g.square / 2 - f)
    p.equate(turned * (f - 3.0))
    some = Fraction(2) + Fraction(1, 1000)
    assert bound(p, g.square, Certificate((some,), (Fraction(turned) * some,))) == 3 * some
    assert bound(p, g.square, Certificate((some,), (-Fraction(turned) * some,))) is None


@given(st.lists(st.integers(-3, 3), min_size=12, max_size=12), st.integers(1, 4))
def test_semidefinite_as_numpy_says(entries: list[int], rank: int) -> None:
    """A A' is, with as many null directions as A lacks columns; less a little of one it is not."""
    a = np.array(entries).reshape(4, 3)[:, :rank]
    square = a @ a.T
    exact = [[Fraction(int(one)) for one in row] for row in square]
    assert semidefinite(exact)
    least = float(np.linalg.eigvalsh(square)[0])
    for k in range(4):
        exact[k][k] -= Fraction(1, 1000)
    assert semidefinite(exact) == (least >= 1e-3)


def test_a_zero_on_the_diagonal_wants_zeros_beside_it() -> None:
    zero, one = Fraction(0), Fraction(1)
    assert semidefinite([[zero, zero], [zero, one]])
    assert not semidefinite([[zero, one], [one, one]])
    assert not semidefinite([[-one]])
    assert semidefinite([])


@settings(max_examples=25, deadline=None)
@given(st.floats(0.1, 10), st.floats(0.01, 0.9), st.floats(0.02, 1.9))
def test_the_rate_of_gradient_descent_is_proved(L: float, share: float, step: float) -> None:
    """max((1 - gamma mu)^2, (1 - gamma L)^2): Taylor, Hendrickx, Glineur 2018, Theorem 3.1."""
    pytest.importorskip("cvxpy")
    mu, gamma = share * L, step / L
    p, goal = one_step(L, mu, gamma)
    found = bound(p, goal, certificate(p, goal))
    known = max((1 - gamma * mu) ** 2, (1 - gamma * L) ** 2)
    assert found is not None
    assert known * (1 - 1e-12) <= float(found) <= known + 1e-5


def test_no_value_below_the_rate_is_proved() -> None:
    """Multipliers that are scaled down, all alike, leave something: nothing is proved."""
    pytest.importorskip("cvxpy")
    p, goal = one_step(1.0, 0.1, 1.0)
    made = certificate(p, goal)
    less = replace(made, limits=tuple(one * Fraction(99, 100) for one in made.limits))
    assert bound(p, goal, less) is None


def test_directions_that_nobody_speaks_of_are_left_out() -> None:
    """A vector without conditions is in no expression, so it needs no multipliers."""
    pytest.importorskip("cvxpy")
    p, goal = longest_gradient()
    p.vector()
    found = bound(p, goal, certificate(p, goal))
    assert found is not None and 6 <= found <= 6.00001
