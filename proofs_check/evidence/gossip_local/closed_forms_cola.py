"""CoLa: the estimates' mean, its steps in dense linear algebra, and scikit-learn's solutions.

One worker alone runs cyclic coordinate descent, which for the square loss is scikit-learn's Lasso
pass by pass. On any graph the limit is the minimiser, whatever W is: lasso, ridge and logistic
regression are held against scikit-learn's own solvers (He, Bian, Jaggi 2018, arXiv:1808.04883).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_local.cola import CoLa
from algorithms.problems.columns import Columns
from algorithms.problems.columns_data import breast_cancer, diabetes
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.arrays import Floats

Build = Callable[[Topology, int], Method[Any]]

_AGREE = 1e-6


_COLA_FORMS = ClosedForms("cola")


@_COLA_FORMS.case("invariant", "40 steps on the ring of 5")
def mean_of_estimates(build: Build = CoLa) -> Verdict:
    """(1/n) sum_i v_i = A x after every step."""
    problem = diabetes(5)
    method = build(Ring(5), 2)
    moments = list(path(method, problem, 40))
    models = torch.stack([method.models(m.state)[0].mean(0) for m in moments])
    return same(
        "the mean of the workers' estimates v_i is A x after every step",
        torch.stack([m.state.v[0].mean(0) for m in moments]).numpy(),
        (models @ problem.columns).numpy(), on=problem,
    )  # fmt: skip


def _dense_step(
    a: Floats, y: Floats, l2: float, n: int, w: Floats, x: Floats, v: Floats
) -> tuple[Floats, Floats]:
    """One step of CoLa on ridge regression, local problems solved exactly: x ``[d]``, v ``[n, S]``.

    sigma' = n; block i solves (n/S A_i^T A_i + l2 I) D = -(A_i^T (w_i v - y)/S + l2 x_i).
    """
    size, d = a.shape
    half, after = w @ v, x.copy()
    new = half.copy()
    for i in range(n):
        block = slice(i * d // n, (i + 1) * d // n)
        part = a[:, block]
        slope = part.T @ (half[i] - y) / size + l2 * x[block]
        hessian = n / size * part.T @ part + l2 * np.eye(part.shape[1])
        change = -np.linalg.solve(hessian, slope)
        after[block] = x[block] + change
        new[i] = half[i] + n * part @ change
    return after, new


@_COLA_FORMS.case("replay", "ring of 4, 400 passes")
def dense_replay(build: Build = CoLa) -> Verdict:
    """Ten steps with local problems solved to the end, against dense linear algebra."""
    n, l2, steps = 4, 0.1, 10
    problem = diabetes(n, l1=0.0, l2=l2, name="ridge-diabetes")
    a, y, w = problem.samples.numpy(), problem.targets.numpy(), Ring(n).matrix(0)
    x, v = np.zeros(problem.d), np.zeros((n, len(y)))
    for _ in range(steps):
        x, v = _dense_step(a, y, l2, n, w, x, v)
    trace = run(build(Ring(n), 400), problem, steps=steps, points=2)
    return same(
        "local problems solved exactly: x after 10 steps as dense linear algebra has it",
        trace.model[0].numpy(), x, tolerance=1e-9, on=problem,
    )  # fmt: skip


@_COLA_FORMS.case("special case", "no gossip: one worker")
def alone_it_is_coordinate_descent(build: Build = CoLa) -> Verdict:
    """n = 1: k steps of one pass are k passes of scikit-learn's Lasso."""
    from sklearn.exceptions import (
        ConvergenceWarning,  # loaded where it is needed: it takes as long as torch
    )
    from sklearn.linear_model import Lasso

    problem = diabetes(1)
    a, y = problem.samples.numpy(), problem.targets.numpy()
    ours, theirs = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for passes in (1, 2, 5, 10):
            model = Lasso(alpha=problem.l1, fit_intercept=False, tol=0.0, max_iter=passes)
            theirs.append(model.fit(a, y).coef_)
            trace = run(build(Complete(1), 1), problem, steps=passes, points=2)
            ours.append(trace.model[0].numpy())
    return same(
        "n = 1: k steps are k passes of scikit-learn's Lasso, k = 1, 2, 5, 10", np.stack(ours),
        np.stack(theirs), tolerance=1e-10, on=problem,
    )  # fmt: skip


@_COLA_FORMS.case("scikit-learn")
def solution(
    problem: Columns,
    estimator: Any,
    steps: int,
    build: Build = CoLa,
    topology: Topology | None = None,
) -> Verdict:
    """Limit of CoLa, by default on a ring, against the coefficients of ``estimator``."""
    graph = topology or Ring(problem.n)
    trace = run(build(graph, 1), problem, steps=steps, points=2)
    fitted = estimator.fit(problem.samples.numpy(), problem.targets.numpy())
    return same(
        f"on {graph.name} it ends at scikit-learn's solution of {problem.name}",
        trace.model[0].numpy(), np.asarray(fitted.coef_).ravel(), tolerance=_AGREE, on=problem,
        words=f"{steps} steps of one pass, {estimator}",
    )  # fmt: skip


def _logistic(problem: Columns, solver: str) -> Any:
    """scikit-learn's estimator with the same weight of the penalty, which must be pure."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(
        C=1 / (len(problem.targets) * (problem.l1 + problem.l2)), l1_ratio=float(problem.l1 > 0),
        fit_intercept=False, max_iter=100_000, tol=1e-12, solver=solver,
    )  # fmt: skip


def linear_models() -> tuple[tuple[Columns, Any, int], ...]:
    """Four linear models, scikit-learn's estimators, and steps that bring CoLa to the minimiser."""
    from sklearn.linear_model import Lasso, Ridge

    lasso, ridge = diabetes(4), diabetes(4, l1=0.0, l2=0.1, name="ridge-diabetes")
    sparse = breast_cancer(3, l1=0.05)
    smooth = breast_cancer(4, l1=0.0, l2=0.05, name="logistic-l2-breast-cancer")
    samples = len(ridge.targets)
    return (
        (lasso, Lasso(alpha=lasso.l1, fit_intercept=False, tol=1e-14, max_iter=100_000), 700),
        (ridge, Ridge(alpha=ridge.l2 * samples, fit_intercept=False, solver="cholesky"), 1000),
        (sparse, _logistic(sparse, "liblinear"), 2500),
        (smooth, _logistic(smooth, "newton-cholesky"), 1000),
    )


def cola() -> tuple[Verdict, ...]:
    """Invariant, replay, special case, solutions."""
    return (
        mean_of_estimates(),
        dense_replay(),
        alone_it_is_coordinate_descent(),
        *(solution(problem, model, steps) for problem, model, steps in linear_models()),
    )


CLOSED_FORMS = (cola,)
