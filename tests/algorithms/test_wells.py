"""Double wells: stationary points by exact derivatives, and where descent ends among them."""

from __future__ import annotations

import itertools

import pytest
import sympy as sp
import torch

from algorithms.catalogue import problem, row
from algorithms.engine.run import run
from algorithms.problems.double_well import NAME, RADIUS, TILT, DoubleWell, wells
from theory.stepsizes import ConstantStep

A = sp.Rational(TILT)
T = sp.Symbol("t", real=True)
WELL = sp.integrate((T**2 - 1) * (T - A), T)  # phi, from its stated derivative alone


def at(*points):
    return torch.tensor(points, dtype=torch.float64)


def test_the_stationary_points_are_those_of_exact_derivatives():
    """phi' has the roots -1, a, 1; phi'' is positive at the wells and negative on the hump."""
    roots = sp.solve(sp.diff(WELL, T), T)
    assert sorted(roots) == [-1, A, 1]
    curvature = [sp.diff(WELL, T, 2).subs(T, root) for root in (-1, A, 1)]
    assert [sp.sign(c) for c in curvature] == [1, -1, 1]
    built = wells(4, 3, sigma2=0.0)
    for entries in itertools.product((-1.0, float(A), 1.0), repeat=3):
        x = at(entries)
        assert not built.mean_gradient(x).any(), "exactly zero: all numbers are dyadic"
        hessian = torch.autograd.functional.hessian(lambda y: built.value(y[None])[0], x[0])
        wanted = [float(sp.diff(WELL, T, 2).subs(T, sp.Rational(e))) for e in entries]
        assert torch.allclose(hessian, torch.diag(torch.tensor(wanted).double()), atol=1e-12)


@pytest.mark.parametrize("raised", range(4))
def test_a_local_minimum_lies_as_high_as_stated(raised):
    """k entries 1 instead of -1: k (phi(1) - phi(-1)) = k 4a/3 above the global minimum."""
    built = wells(4, 3, sigma2=0.0)
    x = at([1.0] * raised + [-1.0] * (3 - raised))
    gap = WELL.subs(T, 1) - WELL.subs(T, -1)
    assert gap == sp.Rational(4, 3) * A
    assert float(built.value(x)[0]) - built.f_star == pytest.approx(raised * float(gap), abs=1e-14)


def test_values_and_gradients_are_those_of_the_polynomial_and_its_parabola():
    built = wells(4, 3, sigma2=0.0)
    inside, outside = sp.Rational(-7, 4), sp.Rational(-5, 2)
    edge = -sp.Integer(int(RADIUS))
    parabola = sum(
        sp.diff(WELL, T, k).subs(T, edge) * (T - edge) ** k / sp.factorial(k) for k in range(3)
    )
    for function, t in ((WELL, inside), (parabola, outside)):
        x = at([float(t)] * 3)
        assert float(built.value(x)) == pytest.approx(3 * float(function.subs(T, t)), rel=1e-14)
        slope = float(sp.diff(function, T).subs(T, t))
        assert built.mean_gradient(x)[0].tolist() == pytest.approx([slope] * 3, rel=1e-14)


def test_descent_ends_in_the_local_minimum_of_its_basin_and_stays_on_a_saddle():
    built = wells(4, 4, sigma2=0.0)
    step = ConstantStep(1 / built.constants().L)
    method = row("bsp-sgd").tune(built, 400, step).method
    trace = run(method, built, steps=400)
    assert trace.model[0].tolist() == pytest.approx([-1, 1, -1, 1], abs=1e-9)
    assert trace.suboptimality[0, -1] == pytest.approx(4 / 3, rel=1e-9), "two of 4a/3 each"
    saddle = at([TILT, -1.0, TILT, 1.0])[0]
    stuck = run(method, built, steps=400, x0=saddle)
    assert stuck.suboptimality[0, -1] > 1 and torch.allclose(stuck.model[0], saddle, atol=1e-6)


def test_noise_leaves_a_saddle():
    built = wells(4, 4, sigma2=0.01)
    method = row("bsp-sgd").tune(built, 400, ConstantStep(1 / built.constants().L)).method
    ends = run(method, built, steps=400, x0=torch.full((4,), TILT).double(), replicas=8).model
    assert bool((ends.abs() > 0.9).all()), "every entry of every replica is in a well"


def test_what_is_no_well_is_refused():
    zero = torch.zeros(2, 3, dtype=torch.float64)
    with pytest.raises(ValueError, match="b must have mean 0"):
        DoubleWell("made", zero + 1, zero[0])
    with pytest.raises(ValueError, match=r"tilt must lie in \(0, 1\), got tilt=1"):
        DoubleWell("made", zero, zero[0], tilt=1.0)
    with pytest.raises(ValueError, match="b must be"):
        DoubleWell("made", zero, zero)
    assert problem(NAME, 1).constants().zeta2 == 0.0
