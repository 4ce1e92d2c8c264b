"""Derivations: bsp, the descent lemma, noisy quadratic."""

from __future__ import annotations

from itertools import product
from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.proofs.recursions import contracts
from proofs_check.verdict import Verdict
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_pl import bsp_pl
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing

# SGD on smooth functions: the descent step, its sum, and the best constant stepsize.


L, gap, sigma2, bsp_nonconvex_n, T = sp.symbols("L Delta sigma2 n T", positive=True)
BEST = 2 * sp.sqrt(2 * L * gap * sigma2 / (bsp_nonconvex_n * T))


def prove_bsp_nonconvex(claimed: Any = BEST) -> Verdict:
    r"""min over gamma of 2 Delta/(gamma T) + gamma L sigma2/n is ``claimed``.

    The descent step: f(x+) - f(x) <= -gamma g2 + gamma^2 L/2 (g2 + sigma2/n), g2 = ||grad f||^2,
    and for gamma = 1/(L (1 + v)), v >= 0, this is at most -gamma/2 g2 + gamma^2 L sigma2/(2n).
    """
    gamma = sp.symbols("gamma", positive=True)
    v, g2 = sp.symbols("v g2", nonnegative=True)
    descent = -gamma * g2 + gamma**2 * L / 2 * (g2 + sigma2 / bsp_nonconvex_n)
    kept = -gamma / 2 * g2 + gamma**2 * L * sigma2 / (2 * bsp_nonconvex_n)
    slack = (kept - descent).subs(gamma, 1 / (L * (1 + v)))
    # T such steps telescope: (gamma/2) sum g2 <= Delta + T gamma^2 L sigma2/(2n)
    bound = 2 / (gamma * T) * (gap + T * gamma**2 * L * sigma2 / (2 * bsp_nonconvex_n))
    (best,) = sp.solve(sp.diff(bound, gamma), gamma)
    return settled(
        "bsp_nonconvex",
        f"the best constant stepsize gives {claimed}",
        "Bottou, Curtis, Nocedal 2018, arXiv:1606.04838, Theorem 4.8",
        nonnegative("one step descends for gamma <= 1/L", slack, v, g2, L, sigma2, bsp_nonconvex_n),
        equality(
            "the stationary stepsize", best, sp.sqrt(2 * bsp_nonconvex_n * gap / (L * sigma2 * T))
        ),
        truth("it is a minimum", sp.simplify(sp.diff(bound, gamma, 2)).is_positive),
        equality("the bound at the best stepsize", bound.subs(gamma, best), claimed),
        computes(bsp_nonconvex, bound),
    )


# BSP-SGD under the inequality of Polyak and Lojasiewicz.


bsp_pl_n = symbol("n")
BSP_PL_FLOOR = GAMMA * L * sigma2 / bsp_pl_n


def prove_bsp_pl(claimed: Any = BSP_PL_FLOOR) -> Verdict:
    r"""E f(x_T) - f* <= (1 - gamma mu)^T Delta + ``claimed``/(2 mu) for gamma <= 1/L.

    The descent lemma along -gamma g, g the mean of n gradients: f falls by gamma g2 - gamma^2 L/2
    (g2 + sigma2/n), at least gamma/2 g2 - gamma/2 times the floor.
    """
    g2, v = sp.symbols("g2 v", nonnegative=True)
    descent = -GAMMA * g2 + GAMMA**2 * L / 2 * (g2 + sigma2 / bsp_pl_n)
    kept = -GAMMA / 2 * g2 + GAMMA / 2 * claimed
    slack = sp.simplify((kept - descent).subs(GAMMA, 1 / (L * (1 + v))))
    return settled(
        "bsp_pl",
        f"E f(x_T) - f* <= (1 - gamma mu)^T Delta + {claimed}/(2 mu)",
        "Karimi, Nutini, Schmidt 2016, arXiv:1608.04636, Theorem 4",
        nonnegative("one step descends for gamma <= 1/L", slack, v, g2, L, sigma2, bsp_pl_n),
        *contracts(bsp_pl, claimed),
    )


# SGD on strongly convex functions, constant stepsize: the recursion in closed form.


gamma, mu, bsp_strongly_convex_n = sp.symbols("gamma mu n", positive=True)
BSP_STRONGLY_CONVEX_FLOOR = gamma * sigma2 / (mu * bsp_strongly_convex_n)


def prove_bsp_strongly_convex(claimed: Any = BSP_STRONGLY_CONVEX_FLOOR) -> Verdict:
    r"""d_{t+1} = (1 - gamma mu) d_t + gamma^2 sigma2/n tends to the floor ``claimed``.

    One step: with I = <grad f, x - x*> and ||grad f||^2 <= L I, the change of ||x - x*||^2 is at
    most -2 gamma I + gamma^2 L I, which is at most -gamma I for gamma = 1/(L (1 + v)).
    """
    L, inner, v = sp.symbols("L I v", nonnegative=True)
    t = sp.symbols("t", integer=True, nonnegative=True)
    R2 = sp.symbols("R2", positive=True)
    d = sp.Function("d")
    change = (-2 * gamma + gamma**2 * L) * inner
    slack = (-gamma * inner - change).subs(gamma, 1 / (L * (1 + v)))
    step = d(t + 1) - (1 - gamma * mu) * d(t) - gamma**2 * sigma2 / bsp_strongly_convex_n
    solution = sp.rsolve(step, d(t), {d(0): R2})
    left = (1 - gamma * mu) ** t
    bound = left * R2 + (1 - left) * claimed
    return settled(
        "bsp_strongly_convex",
        f"the recursion has the floor {claimed}",
        "Bottou, Curtis, Nocedal 2018, arXiv:1606.04838, Theorem 4.6",
        nonnegative("one step contracts for gamma <= 1/L", slack, v, inner, L),
        equality("the sum of the series", solution, bound),
        evaluates(bsp_strongly_convex, bound.subs(t, TIME)),
    )


# SGD on strongly convex functions, stepsize 2/(mu (a + t)): induction with weights.


noise, R2, a = sp.symbols("s R2 a", positive=True)
BOUND = ((a - 1) * (a - 2) * R2 + 4 * noise * T / mu**2) / ((a + T - 1) * (a + T - 2))


def prove_bsp_strongly_convex_decreasing(claimed: Any = BOUND) -> Verdict:
    r"""d_{t+1} <= (1 - gamma_t mu) d_t + gamma_t^2 s gives d_T <= ``claimed``.

    Induction over T: the claim holds at 0, and one more step keeps it. a = 2 + b with b >= 0, as
    a >= 2 L/mu >= 2.
    """
    b, t = sp.symbols("b t", nonnegative=True)
    gamma = 2 / (mu * (a + t))
    now, after = claimed.subs(T, t), claimed.subs(T, t + 1)
    slack = sp.together(after - (1 - gamma * mu) * now - gamma**2 * noise)
    mean_noise = symbol("sigma2") / symbol("n")
    # shift t by one: at t = 0, a = 2 the weight (a + t - 1)(a + t - 2) vanishes with its numerator
    return settled(
        "bsp_strongly_convex_decreasing",
        f"E||x_T - x*||^2 <= {claimed}",
        "derived; setting of Bottou, Curtis, Nocedal 2018, arXiv:1606.04838, Theorem 4.7",
        equality("the claim at T = 0", claimed.subs(T, 0), R2),
        nonnegative("one step keeps it", sp.cancel(slack).subs(a, 2 + b), b, t, mu, noise, R2),
        evaluates(bsp_strongly_convex_decreasing, claimed.subs(noise, mean_noise)),
    )


# The descent lemma from Lipschitz gradients, and the telescoped sum of its steps.


descent_lemma_n = sp.symbols("n", positive=True)
CURVATURE = L / 2


def lemma(claimed: Any) -> tuple[DerivationStep, ...]:
    """f(y) - f(x) - <grad f(x), y - x> is the integral over s in [0, 1] of <grad f(x + s d) -
    grad f(x), d> with d = y - x, and at most that of L s ||d||^2."""
    s, d2, x, y = sp.symbols("s d2 x y", positive=True)
    parabola = L / 2 * y**2 - L / 2 * x**2 - L * x * (y - x)
    return (
        equality("the integral of L s d^2", sp.integrate(L * s * d2, (s, 0, 1)), claimed * d2),
        equality("attained by the parabola", parabola, claimed * (y - x) ** 2),
    )


def telescoped(count: int) -> DerivationStep:
    """Sums of f_t - f_{t+1} leave the first and the last."""
    f = sp.symbols(f"f:{count + 1}", real=True)
    total = sum(f[t] - f[t + 1] for t in range(count))
    return equality(f"{count} steps telescope", total, f[0] - f[count])


def prove_descent_lemma(claimed: Any = CURVATURE) -> Verdict:
    r"""f(y) <= f(x) + <grad f(x), y - x> + ``claimed`` ||y - x||^2, and what T steps make of it.

    y - x = -gamma g with E g = grad f and variance sigma2/n: f falls by gamma g2 - ``claimed``
    gamma^2 (g2 + sigma2/n) on average.
    """
    g2, v = sp.symbols("g2 v", nonnegative=True)
    step = gamma * g2 - claimed * gamma**2 * (g2 + sigma2 / descent_lemma_n)
    kept = gamma / 2 * g2 - claimed * gamma**2 * sigma2 / descent_lemma_n
    bound = sp.solve(sp.Eq(gap, T * kept), g2)[0]
    return settled(
        "descent lemma",
        f"f(y) <= f(x) + <grad f(x), y - x> + {claimed} ||y - x||^2",
        "Nesterov 2004, Introductory Lectures on Convex Optimization, Lemma 1.2.3",
        *lemma(claimed),
        nonnegative(
            "half of the descent is left for gamma <= 1/L",
            sp.simplify((step - kept).subs(gamma, 1 / (L * (1 + v)))), v, g2, L,
        ),
        telescoped(5),
        computes(bsp_nonconvex, bound),
    )  # fmt: skip


# Stationary variance of SGD on a quadratic with additive noise.


noisy_quadratic_n = sp.symbols("n", positive=True)
VARIANCE = gamma * sigma2 / (noisy_quadratic_n * a * (2 - gamma * a))


def prove_noisy_quadratic(claimed: Any = VARIANCE) -> Verdict:
    r"""x+ = x - gamma (a x + mean of n noises): E x^2 tends to ``claimed``.

    The second moment of one step is enumerated over the signs of the noises at n = 1, 2, 3.
    """
    x, V = sp.symbols("x V", positive=True)
    s = sp.sqrt(sigma2)
    recursion = (1 - gamma * a) ** 2 * V + gamma**2 * sigma2 / noisy_quadratic_n
    steps = []
    for workers in (1, 2, 3):
        signs = list(product((-1, 1), repeat=workers))
        moments = [(x - gamma * (a * x + s * sp.Rational(sum(e), workers))) ** 2 for e in signs]
        right = recursion.subs({V: x**2, noisy_quadratic_n: workers})
        steps.append(equality(f"one step, n = {workers}", sum(moments) / len(signs), right))
    (fixed,) = sp.solve(sp.Eq(V, recursion), V)
    value = claimed.subs({a: 1, gamma: sp.Rational(1, 10), noisy_quadratic_n: 4, sigma2: 1})
    return settled(
        "noisy quadratic",
        f"E x^2 -> {claimed}",
        "Bottou, Curtis, Nocedal 2018, arXiv:1606.04838, Section 4; exact value derived",
        *steps,
        equality("the fixed point", fixed, claimed),
        truth("gamma = 0.1, a = 1, n = 4 gives 1/76", value == sp.Rational(1, 76)),
    )


PROOFS = (
    prove_bsp_nonconvex,
    prove_bsp_pl,
    prove_bsp_strongly_convex,
    prove_bsp_strongly_convex_decreasing,
    prove_descent_lemma,
    prove_noisy_quadratic,
)

COVERS = {"prove_descent_lemma": ("bsp-sgd",), "prove_noisy_quadratic": ("bsp-sgd",)}
