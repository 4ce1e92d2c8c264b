"""Stated constants hold, and a problem that lies about any one of them is refuted."""

from __future__ import annotations

import pytest
import torch

from algorithms.catalogue import PROBLEMS, problem
from algorithms.problems.base import Problem
from algorithms.problems.logistic_data import breast_cancer, synthetic
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import L2, BoundedNonconvex
from proofs_check.problems.check import check_problem
from proofs_check.verdict import Outcome

SMALL = ["quadratic-sc", "quadratic-pl", "logreg-breast-cancer", "nonconvex-breast-cancer"]


def refuted(verdicts):
    return {v.check for v in verdicts if v.outcome is Outcome.REFUTED}


@pytest.mark.slow
@pytest.mark.parametrize("name", [entry.name for entry in PROBLEMS])
def test_nothing_stated_is_refuted(name):
    verdicts = check_problem(problem(name, 4), seed=2)
    assert verdicts and refuted(verdicts) == set()


@pytest.mark.parametrize("name", SMALL)
def test_every_stated_number_is_checked(name):
    built = problem(name, 4)
    checked = {v.check.removeprefix("constant ") for v in check_problem(built, seed=2)}
    assert set(built.constants().stated()) - checked <= {"convex"}


class Liar(Problem):
    """A problem that states other constants, or computes something else, than the one it wraps."""

    def __init__(self, inner, lies=None, gradient=None):
        self.inner, self.lies, self.wrong = inner, lies or {}, gradient
        for name in ("name", "n", "d", "dtype", "device", "x_star", "f_star", "rowwise"):
            setattr(self, name, getattr(inner, name))
        self.G2_radius = inner.G2_radius

    def constants(self):
        c = self.inner.constants()
        for name, value in self.lies.items():
            c = c.state(c.statements[name], **{name: value})
        return c

    def gradient(self, x, draws):
        g = self.inner.gradient(x, draws)
        return self.wrong(g) if self.wrong else g

    def start(self):
        return self.inner.start()

    def full_gradient(self, x, workers):
        return self.inner.full_gradient(x, workers)

    def value(self, x):
        return self.inner.value(x)

    def mean_gradient(self, x):
        return self.inner.mean_gradient(x)

    def noise(self, x):
        return self.inner.noise(x)

    def data(self):
        return self.inner.data()

    def resampled(self, factor):
        return Liar(self.inner.enlarged(factor), self.lies, self.wrong)


LIES = [
    ("quadratic-sc", "L", 0.99),
    ("quadratic-sc", "L", 1.01),
    ("quadratic-sc", "mu", 0.11),
    ("quadratic-sc", "mu", 0.09),
    ("quadratic-sc", "L_max", 0.99),
    ("quadratic-sc", "mu_min", 0.11),
    ("quadratic-sc", "sigma2", 1.01),
    ("quadratic-sc", "sigma2", 0.99),
    ("quadratic-sc", "zeta2", 1.01),
    ("quadratic-sc", "zeta2", 0.99),
    ("quadratic-sc", "zeta2_star", 1.01),
    ("quadratic-sc", "zeta2_star", 0.99),
    ("quadratic-sc", "f_star", -0.01),
    ("quadratic-sc", "initial_gap", 0.3),
    ("quadratic-sc", "R2", 1.1),
    ("quadratic-pl", "pl", 0.11),
    ("quadratic-pl", "pl", 0.09),
    ("logreg-breast-cancer", "L", 3.0),
    ("logreg-breast-cancer", "mu", 0.2),
    ("logreg-breast-cancer", "pl", 0.2),
    ("logreg-breast-cancer", "sigma2", 0.5),
    ("logreg-breast-cancer", "zeta2", 0.01),
    ("logreg-breast-cancer", "zeta2_star", 0.001),
    ("logreg-breast-cancer", "G2", 5.0),
    ("logreg-breast-cancer", "f_star", 0.3),
    ("lad-diabetes-sorted", "f_star", 0.5),
    ("lad-diabetes-sorted", "R2", 0.5),
    ("lad-diabetes-sorted", "lipschitz", 1.58364 / 2),
    ("nonconvex-breast-cancer", "f_star", 0.5),
    ("nonconvex-breast-cancer", "convex", True),
    ("quadratic-sc", "mu", 0.0),
    ("quadratic-sc", "mu_min", 0.09),
    ("quadratic-sc", "L_max", 1.01),
    ("quadratic-sc", "n", 5),
    ("quadratic-sc", "d", 19),
    ("quadratic-sc", "L", float("nan")),
    ("logreg-breast-cancer", "L", 4.0),
    ("logreg-breast-cancer", "L_max", 3.0),
    ("logreg-breast-cancer", "mu_min", 0.2),
    ("logreg-breast-cancer", "R2", 1.0),
    ("logreg-breast-cancer", "initial_gap", 0.4),
    ("nonconvex-breast-cancer", "G2", 1.0),
    ("nonconvex-breast-cancer", "initial_gap", 0.5),
]


@pytest.mark.parametrize(("name", "constant", "value"), LIES)
def test_a_wrong_constant_is_refuted(name, constant, value):
    verdicts = check_problem(Liar(problem(name, 4), {constant: value}), seed=2)
    assert f"constant {constant}" in refuted(verdicts)


FAULTS = {
    "biased": lambda g: g + 0.1,
    "shrunk": lambda g: 0.9 * g,
    "one coordinate dropped": lambda g: torch.cat((g[..., :1] * 0, g[..., 1:]), dim=-1),
    "too noisy": lambda g: g + (g - g.mean(0)) * 0.5,
}


@pytest.mark.parametrize("fault", list(FAULTS))
def test_wrong_stochastic_gradients_are_refuted(fault):
    verdicts = check_problem(Liar(problem("quadratic-sc", 4), gradient=FAULTS[fault]), seed=2)
    assert "gradient noise" in refuted(verdicts)


class UnevenNoise(Liar):
    """States a variance that is right on average over workers, wrong for each."""

    def noise(self, x):
        return self.inner.noise(x) * torch.tensor([0.8, 1.2, 0.8, 1.2])


def test_noise_is_checked_for_every_worker():
    assert "gradient noise" in refuted(
        check_problem(UnevenNoise(problem("quadratic-sc", 4)), seed=2)
    )


@pytest.mark.parametrize("regulariser", [L2(0.1), BoundedNonconvex(0.1)], ids=lambda r: r.name)
def test_single_precision_is_checked_and_not_refuted_for_its_rounding(regulariser):
    built = breast_cancer(4, regulariser, dtype=torch.float32)
    verdicts = check_problem(built, seed=2)
    assert refuted(verdicts) == set()
    assert any("float32" in v.claim for v in verdicts)
    other = Quadratic.strongly_convex(4, 6, zeta2=1.0, dtype=torch.float32)
    assert refuted(check_problem(other, seed=2)) == set()


LARGE = synthetic(3, 40, 250, L2(0.1))


def test_problems_too_large_for_hessians_are_checked():
    verdicts = check_problem(LARGE, seed=2)
    assert refuted(verdicts) == set()
    checked = {v.check.removeprefix("constant ") for v in verdicts}
    assert set(LARGE.constants().stated()) <= checked


@pytest.mark.parametrize(
    ("constant", "factor"),
    [("L", 0.99), ("L", 1.01), ("mu", 2.0), ("mu_min", 2.0), ("L_max", 0.5), ("pl", 2.0)],
)
def test_large_lies_are_refuted_too(constant, factor):
    lie = {constant: factor * getattr(LARGE.constants(), constant)}
    assert f"constant {constant}" in refuted(check_problem(Liar(LARGE, lie), seed=2))


def test_an_unknown_minimum_leaves_pl_open():
    built = breast_cancer(2, BoundedNonconvex(0.1))
    stated = built.constants().state(pl=0.1)

    class Bold(Liar):
        def constants(self):
            return stated

    (verdict,) = (v for v in check_problem(Bold(built), seed=2) if v.check == "constant pl")
    assert verdict.outcome is Outcome.NOT_APPLICABLE


@pytest.mark.parametrize(("d", "mu"), [(1, 1.0), (2, 0.1)])
def test_curvature_is_found_in_fewer_dimensions_than_lanczos_needs(d: int, mu: float) -> None:
    built = Quadratic.strongly_convex(4, d, L=1.0, mu=mu)
    assert not [v for v in check_problem(built, seed=1) if v.outcome is Outcome.REFUTED]
    wrong = check_problem(Liar(built, {"L": 0.9}), seed=1)
    assert any(v.outcome is Outcome.REFUTED for v in wrong)
