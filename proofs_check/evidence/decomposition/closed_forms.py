"""Residuals, GradiVeq, PowerSGD, sketched SGD: closed forms, and the derivation of a sketch."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

import sympy as sp
import torch

from algorithms.methods.base import Method
from algorithms.methods.decomposition.gradiveq import GradiVeQ
from algorithms.methods.decomposition.powersgd import PowerSGD
from algorithms.methods.decomposition.sketched_sgd import SketchedSGD
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.proofs.derivation import DerivationStep, equality, settled
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

total, own, width = sp.symbols("total own w", positive=True)
# Nothing is lost with feedback: x_t - mean residual is SGD.
#
# The methods take the mean of what the workers' messages stand for; whatever else they do, the
# virtual iterate x_t - (1/n) sum_i e_i moves by the mean of the gradient steps alone, exactly.


Make = Callable[[Stepsize], Method[Any]]
_STEPS = 25
_GAMMA = 0.05


def nothing_is_lost(row: str, make: Make) -> Verdict:
    """x - mean e moves by -gamma times the mean gradient along a noisy run of four workers."""
    problem = Quadratic.strongly_convex(4, 20, zeta2=1.0)
    gaps = []
    moments = list(path(make(ConstantStep(_GAMMA)), problem, _STEPS, replicas=2))
    for before, after in pairwise(moments):
        g = before.context.gradient(before.state.x, before.t).mean(-2, keepdim=True)
        was, now = (s.x - s.residual.mean(-2, keepdim=True) for s in (before.state, after.state))
        gaps.append(now - was + _GAMMA * g)
    return identity(
        row,
        "x - mean residual moves by the mean gradient step alone",
        torch.stack(gaps),
        0.0,
        check="virtual iterate",
        problem=problem.name,
        provenance=f"{_STEPS} steps, gamma {_GAMMA}, 2 replicas, seed 0",
    )


# GradiVeQ with error feedback: nothing is lost.


def learned(step: Stepsize) -> Method[Any]:
    """GradiVeQ with error feedback."""
    return GradiVeQ(step, length=5, k=2, learn=4, cycle=20, feedback=True)


def gradiveq() -> tuple[Verdict, ...]:
    """The virtual iterate x - mean residual of GradiVeQ is SGD."""
    return (nothing_is_lost("gradiveq", learned),)


# PowerSGD with error feedback: nothing is lost.


def power(step: Stepsize) -> Method[Any]:
    """PowerSGD with matrices of rank 1 and error feedback."""
    return PowerSGD(step, 1)


def powersgd() -> tuple[Verdict, ...]:
    """The virtual iterate x - mean residual of PowerSGD is SGD."""
    return (nothing_is_lost("powersgd", power),)


# Sketched-SGD with error feedback: nothing is lost.


def sketched(step: Stepsize) -> Method[Any]:
    """Sketched-SGD with k = 2 and sketches of 3 rows, 8 counters each."""
    return SketchedSGD(step, 2, rows=3, width=8)


def sketched_sgd() -> tuple[Verdict, ...]:
    """The virtual iterate x - mean residual of Sketched-SGD is SGD."""
    return (nothing_is_lost("sketched-sgd", sketched),)


CLOSED_FORMS = (gradiveq, powersgd, sketched_sgd)


# One row of a count sketch: unbiased, variance (||x||^2 - x_i^2)/width.

VARIANCE = (total - own) / width


def enumerate_row(claimed: Any, d: int, columns: int) -> tuple[DerivationStep, ...]:
    """Mean and variance of s_0 times the cell of coordinate 0, over all hashes and signs."""
    x = sp.symbols(f"x:{d}", real=True)
    first, second, cases = sp.Integer(0), sp.Integer(0), 0
    for cells in product(range(columns), repeat=d):
        for signs in product((-1, 1), repeat=d):
            same = (j for j in range(d) if cells[j] == cells[0])
            estimate = signs[0] * sum(signs[j] * x[j] for j in same)
            first, second, cases = first + estimate, second + (estimate - x[0]) ** 2, cases + 1
    squares = {total: sum(t**2 for t in x), own: x[0] ** 2, width: columns}
    name = f"d = {d}, width {columns}"
    return (
        equality(f"unbiased, {name}", sp.expand(first / cases), x[0]),
        equality(f"variance, {name}", sp.expand(second / cases), sp.expand(claimed.subs(squares))),
    )


def prove_count_sketch(claimed: Any = VARIANCE) -> Verdict:
    r"""E(estimate - x_i)^2 = ``claimed``: total = ||x||^2, own = x_i^2.

    Another coordinate collides with chance 1/width and a sign of its own; signs independent in
    pairs remove the products. The sum over i is omega ||x||^2, omega = (d - 1)/width.
    """
    d = sp.symbols("d", positive=True)
    return settled(
        "count sketch",
        f"variance of a row {claimed}",
        "Charikar, Chen, Farach-Colton 2002; used by Ivkin et al. 2019, arXiv:1903.04488",
        *enumerate_row(claimed, 2, 2),
        *enumerate_row(claimed, 3, 2),
        *enumerate_row(claimed, 3, 3),
        equality("all of them", (d * total - total) / width, (d - 1) / width * total),
        equality("(3, -4, 0, 12), width 2", claimed.subs({total: 169, own: 9, width: 2}), 80),
    )


PROOFS = (prove_count_sketch,)

COVERS = {"prove_count_sketch": ("sketched-sgd",)}
