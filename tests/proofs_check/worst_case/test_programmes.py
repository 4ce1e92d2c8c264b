"""Worst cases against closed forms, published values and PEPit."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from proofs_check.worst_case.functions import Lipschitz, SampledPoint, Smooth
from proofs_check.worst_case.operators import contracted
from proofs_check.worst_case.programme import Programme, Unsolved, WorstCase
from theory.optional import need_cvxpy

pytest.importorskip("cvxpy")


def descent(
    steps: int, step: float, kind: Smooth | Lipschitz
) -> tuple[Programme, list[SampledPoint]]:
    """Gradient steps from within 1 of the minimum, and the function at all of their points."""
    p = Programme()
    x = p.vector()
    p.at_most(x.square, 1.0)
    samples = [SampledPoint(p.zero(), p.zero(), 0.0 * p.value())]
    for _ in range(steps):
        samples.append(SampledPoint(x, p.vector(), p.value()))
        x = x - step * samples[-1].g
    samples.append(SampledPoint(x, p.vector(), p.value()))
    p.function(kind, samples)
    return p, samples


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_gradient_descent_is_drori_and_teboulles(steps: int) -> None:
    """L R^2/(4 T + 2) at stepsize 1/L (Drori, Teboulle 2014, Theorem 1)."""
    p, samples = descent(steps, 0.5, Smooth(2.0))
    found = p.largest(samples[-1].f)
    assert found.value == pytest.approx(2 / (4 * steps + 2), rel=1e-8)
    assert found.above == pytest.approx(found.value, rel=1e-8)


def test_one_step_of_strongly_convex_descent_contracts_by_the_worse_end() -> None:
    """max(|1 - gamma mu|, |1 - gamma L|)^2 (Taylor, Hendrickx, Glineur 2018)."""
    for step in (0.5, 1.5):
        p, samples = descent(1, step, Smooth(1.0, 0.25))
        worst = max(abs(1 - step * 0.25), abs(1 - step)) ** 2
        assert p.largest(samples[-1].x.square).value == pytest.approx(worst, rel=1e-8)


@pytest.mark.parametrize("steps", [1, 3])
def test_subgradients_are_nesterovs(steps: int) -> None:
    """R M/sqrt(T + 1) for the least of f(x_0) .. f(x_T) at stepsize R/(M sqrt(T + 1)) (Drori,
    Teboulle 2016)."""
    p, samples = descent(steps, 1 / math.sqrt(steps + 1), Lipschitz(1.0))
    least = p.value()
    for one in samples[1:]:
        p.at_most(least - one.f)
    assert p.largest(least).value == pytest.approx(1 / math.sqrt(steps + 1), rel=1e-7)


def test_the_gram_matrix_is_the_worst_function() -> None:
    p, samples = descent(2, 1.0, Smooth(1.0))
    found = p.largest(samples[-1].f)
    points = found.points([one.x for one in samples] + [one.g for one in samples])
    x, g = points[: len(samples)], points[len(samples) :]
    f = [found.number(one.f) for one in samples]
    for a in range(len(samples)):
        for b in range(len(samples)):
            gap = f[a] - f[b] - g[b] @ (x[a] - x[b]) - 0.5 * np.sum((g[a] - g[b]) ** 2)
            assert gap > -1e-7
    np.testing.assert_allclose(x[2], x[1] - g[1], atol=1e-7)


def test_what_is_unbounded_is_said_to_be() -> None:
    p = Programme()
    with pytest.raises(Unsolved):
        p.largest(p.vector().square)


def test_without_cvxpy_the_programme_says_what_would_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(ImportError, match=r"rateproof\[optimal\]"):
        need_cvxpy("worst cases")


def test_classes_refuse_a_curvature_that_is_none() -> None:
    with pytest.raises(ValueError, match="mu must lie"):
        Smooth(1.0, 1.0)


def non_convex(steps: int, L: float) -> WorstCase:
    """The least squared gradient of x_0 .. x_T where f(x_0) - f(x_T) <= 1, at 1/L."""
    p = Programme()
    x, samples = p.zero(), []
    for _ in range(steps + 1):
        samples.append(SampledPoint(x, p.vector(), p.value()))
        x = x - samples[-1].g / L
    p.function(Smooth(L, -L), samples)
    p.at_most(samples[0].f - samples[-1].f, 1.0)
    least = p.value()
    for one in samples:
        p.at_most(least - one.g.square)
    return p.largest(least)


@pytest.mark.parametrize("steps", [1, 3])
def test_non_convex_descent_is_abbaszadehpeivastis(steps: int) -> None:
    """4 L (f(x_0) - f(x_T))/(3 T) where every gradient counts (Abbaszadehpeivasti, de Klerk,
    Zamani 2022, Theorem 2: 2 L Delta/(T gamma L (4 - gamma L)/2 + 1 ...) at gamma = 1/L); PEPit's
    own example states 4/3 L/T."""
    assert non_convex(steps, 2.0).value == pytest.approx(8 / (3 * steps), rel=1e-7)


def test_pepit_finds_the_same_non_convex_descent() -> None:
    module = pytest.importorskip("PEPit.examples.nonconvex_optimization.gradient_descent")
    value, _ = module.wc_gradient_descent(L=2.0, gamma=0.5, n=3, verbose=0)
    assert non_convex(3, 2.0).value == pytest.approx(value, rel=1e-4)


def test_pepit_finds_the_same_two_workers_with_contractions() -> None:
    """A step of error feedback of two workers with one x*, in PEPit's own terms."""
    PEPit = pytest.importorskip("PEPit")
    from PEPit.functions import SmoothStronglyConvexFunction

    eps, eta = 0.25, 0.4
    pep = PEPit.PEP()
    star, x, errors = PEPit.Point(), PEPit.Point(), [PEPit.Point(), PEPit.Point()]
    kept, moved = [], x
    for mu, L, e in ((0.1, 1.0, errors[0]), (0.2, 2.0, errors[1])):
        f = pep.declare_function(SmoothStronglyConvexFunction, mu=mu, L=L)
        zero = PEPit.Point() * 0
        f.add_point((star, zero, PEPit.Expression()))
        u = e + eta * f.gradient(x)
        off = PEPit.Point()
        pep.add_constraint(off**2 <= eps * u**2)
        kept.append(-off)
        moved = moved - (u + off) / 2
    pep.set_initial_condition((x - star) ** 2 + errors[0] ** 2 + errors[1] ** 2 <= 1)
    pep.set_performance_metric((moved - star) ** 2 + kept[0] ** 2 + kept[1] ** 2)
    theirs = pep.solve(verbose=0)
    p = Programme()
    y, own = p.vector(), [p.vector(), p.vector()]
    p.at_most(y.square + own[0].square + own[1].square, 1.0)
    goal = 0.0 * y.square
    z = y
    for mu, L, e in ((0.1, 1.0, own[0]), (0.2, 2.0, own[1])):
        g = p.vector()
        rest = SampledPoint(p.zero(), p.zero(), p.value())
        p.function(Smooth(L, mu), [rest, SampledPoint(y, g, p.value())])
        u = e + eta * g
        c = contracted(p, u, eps)
        goal, z = goal + (u - c).square, z - c / 2
    assert p.largest(goal + z.square).value == pytest.approx(theirs, rel=1e-5)
