"""CR-PSGD and warm-up: derivations; large and growing batches under the bound of BSP-SGD."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from algorithms.catalogue.large_batch import LAST_BATCH
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.bounds.check import BoundCheck, Make
from proofs_check.bounds.settings import MILD, mild, of_row
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import GAMMA, TIME, TOLD, evaluates
from proofs_check.verdict import Verdict
from theory.constants import Constants, Kind, Statement
from theory.rules.batch_rules import SteadyBatch
from theory.stepsizes import GradualWarmUpStep, ScaledStep, Stepsize, WarmUpStep
from theory.theorem import Theorem
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.cr_psgd import cr_psgd
from theory.theorems.gradual_warm_up_strongly_convex import gradual_warm_up_strongly_convex
from theory.theorems.warm_up_strongly_convex import warm_up_strongly_convex

L, sigma2, n, mu, gap, rho = sp.symbols("L sigma2 n pl initial_gap growth", positive=True)
# CR-PSGD: a descent step whose noise shrinks as batches grow, and the sum of two series.


CR_PSGD_NOISE = GAMMA**2 * L * sigma2 / n  # of the first step
FLOORED = sp.Rational(1, 2)


def prove_cr_psgd(noise: Any = CR_PSGD_NOISE, floored: Any = FLOORED) -> Verdict:
    r"""e_{t+1} <= q e_t + ``noise`` rho^-t, q = 1 - gamma mu, and the sum of T such steps.

    A power x = 1 + u >= 1 floored is at least 1 and more than u, so at least ``floored`` x: the
    variance of a worker's step is at most sigma2/(floored rho^t). gamma = 1/(L (1 + v)).
    """
    g2, e, more, v, u = sp.symbols("g2 e more v u", nonnegative=True)
    q, power, decayed = sp.symbols("q P D", positive=True)  # P = rho^-t, D = q^t
    variance = sigma2 / (floored / power)
    change = -GAMMA * g2 + GAMMA**2 * L / 2 * (g2 + variance / n)
    kept = -GAMMA / 2 * g2 + noise * power
    slack = sp.simplify((kept - change).subs(GAMMA, 1 / (L * (1 + v))))
    below = sp.cancel((1 - floored * (1 + u)).subs(u, 1 / (1 + v)))  # u <= 1
    above = sp.expand((u - floored * (1 + u)).subs(u, 1 + v))
    series = (power - decayed) / (1 / rho - q)
    after = (power / rho - decayed * q) / (1 / rho - q)
    left = (1 - GAMMA * mu) ** TIME
    both = {power: rho**-TIME, decayed: left, q: 1 - GAMMA * mu}
    return settled(
        "cr_psgd",
        f"f - f* <= q^T Delta + {noise} (rho^-T - q^T)/(1/rho - q)",
        "derived; setting of Yu, Jin 2019, arXiv:1905.04346",
        nonnegative("floored at most 2", below, v),
        nonnegative("floored beyond 2", above, v),
        nonnegative("one step descends", slack, v, g2, L, sigma2, n, power),
        nonnegative(
            "f - f* shrinks by q", sp.expand(GAMMA / 2 * (2 * mu * e + more) - GAMMA * mu * e), more
        ),
        equality("both series, a step", sp.simplify(after - q * series - power), 0),
        evaluates(cr_psgd, left * gap + noise * series.subs(both)),
    )


# Warmed-up SGD on strongly convex functions: one step, and the code against it step by step.

WARM_UP_STRONGLY_CONVEX_NOISE = Fraction(1)  # of gamma^2 sigma2/n


def one_step() -> DerivationStep:
    """With I = <grad f, x - x*> >= mu d and ||grad f||^2 <= L I the change of d = ||x - x*||^2 is
    at most (gamma^2 L - 2 gamma) I, gamma <= 1/L."""
    L, mu, d, more, v = sp.symbols("L mu d more v", nonnegative=True)
    gamma = 1 / (L * (1 + v))
    inner = mu * d + more
    slack = -gamma * (2 - gamma * L) * mu * d - (gamma**2 * L - 2 * gamma) * inner
    return nonnegative("one step contracts for gamma <= 1/L", sp.simplify(slack), v, more, L)


def iterated(theorem: Theorem, noise: Fraction, horizon: int = 60) -> DerivationStep:
    """The code's bound at every step of the example against the recursion in fractions."""
    c = theorem.example.completed()
    step = theorem.stepsize(c, horizon)
    L, mu, sigma2, n, d = (Fraction(c.need(name)) for name in ("L", "mu", "sigma2", "n", "R2"))
    wanted = [d]
    for t in range(horizon):
        gamma = Fraction(step(t))
        d = (1 - gamma * (2 - gamma * L) * mu) * d + noise * gamma**2 * sigma2 / n
        wanted.append(d)
    code = theorem.bound(c, step, np.arange(horizon + 1.0))
    return truth(TOLD, np.allclose(code, np.array(wanted, float), rtol=1e-11, atol=0.0))


def prove_warm_up_strongly_convex(noise: Any = WARM_UP_STRONGLY_CONVEX_NOISE) -> Verdict:
    """A step adds ``noise`` times gamma^2 sigma2/n to what it leaves of the squared distance."""
    return settled(
        "warm_up_strongly_convex",
        f"d_(t+1) = (1 - gamma_t (2 - gamma_t L) mu) d_t + {noise} gamma_t^2 sigma2/n",
        "Bottou, Curtis, Nocedal 2018, arXiv:1606.04838, one step of Theorem 4.6",
        one_step(),
        iterated(warm_up_strongly_convex, noise),
    )


# Gradual warm-up: the same step at a stepsize that starts from the base one.


def prove_gradual_warm_up_strongly_convex(noise: Any = WARM_UP_STRONGLY_CONVEX_NOISE) -> Verdict:
    """A step adds ``noise`` times gamma^2 sigma2/n to what it leaves of the squared distance."""
    return settled(
        "gradual_warm_up_strongly_convex",
        f"d_(t+1) = (1 - gamma_t (2 - gamma_t L) mu) d_t + {noise} gamma_t^2 sigma2/n",
        "Bottou, Curtis, Nocedal 2018, arXiv:1606.04838, one step of Theorem 4.6",
        one_step(),
        iterated(gradual_warm_up_strongly_convex, noise),
    )


PROOFS = (prove_cr_psgd, prove_warm_up_strongly_convex, prove_gradual_warm_up_strongly_convex)


# Large and growing batches under the bound of BSP-SGD with the noise of the smallest.

_TIMES = 8  # how many base batches the catalogue's rows take


def _square_root(make: Make, step: Stepsize, problem: Problem, steps: int) -> Method[object]:
    """The row's own multiple of a stepsize that is smaller by it: what is taken is ``step``."""
    return make(ScaledStep(step, 1 / _TIMES, 0.5), problem, steps)


_SMALLEST = tuple(
    BoundCheck(row, MILD, bsp_nonconvex, partial(mild, 4, 0.25), make, 400, rated=True)
    for row, make in (
        ("sqrt-scaling", partial(_square_root, of_row("sqrt-scaling"))),
        ("batch-growth", of_row("batch-growth")),
        ("cr-psgd", of_row("cr-psgd")),
    )
)


def _linear(make: Make, step: Stepsize, problem: Problem, steps: int) -> Method[object]:
    """The row's warm-up takes the base stepsize to eight times it."""
    base = step.rule if isinstance(step, GradualWarmUpStep) else step
    return make(base, problem, steps)


def _legw(make: Make, step: Stepsize, problem: Problem, steps: int) -> Method[object]:
    """The row's warm-up ends at sqrt(8) times the stepsize that it is given."""
    last = step.rule if isinstance(step, WarmUpStep) else step
    return make(ScaledStep(last, 1 / _TIMES, 0.5), problem, steps)


_ROUNDS = 200


def _growing(_problem: Problem) -> Constants:
    """The ratio at which the row's batches grow to the last of so many rounds."""
    rule = SteadyBatch(_ROUNDS, LAST_BATCH)
    known = Statement(Kind.LOWER, f"the first {_ROUNDS} steps", "a power, floored")
    return Constants().state(known, growth=(rule.last / rule.first) ** (1 / (_ROUNDS - 1)))


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    *_SMALLEST,
    BoundCheck(
        "cr-psgd", MILD, cr_psgd, partial(mild, 8, 0.25), of_row("cr-psgd"), _ROUNDS, _growing
    ),
    # horizons whose tenth is as long as the rows' warm-ups
    BoundCheck(
        "linear-scaling",
        MILD,
        gradual_warm_up_strongly_convex,
        partial(mild, 4, 0.25),
        partial(_linear, of_row("linear-scaling")),
        400,
    ),
    BoundCheck(
        "legw",
        MILD,
        warm_up_strongly_convex,
        partial(mild, 4, 0.25),
        partial(_legw, of_row("legw")),
        640,
    ),
)
