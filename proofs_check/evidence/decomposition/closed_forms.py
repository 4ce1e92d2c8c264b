"""Residuals, GradiVeq, PowerSGD, sketched SGD: closed forms."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch

from algorithms.methods.base import Method
from algorithms.methods.decomposition.gradiveq import GradiVeQ
from algorithms.methods.decomposition.powersgd import PowerSGD
from algorithms.methods.decomposition.sketched_sgd import SketchedSGD
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

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
