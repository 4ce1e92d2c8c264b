"""Recursions in closed form: r+ <= (1 - c) r + b, with weights (a + t)^2, and under the inequality
of Polyak and Lojasiewicz."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.verdict import Verdict
from theory.theorems.families import PolyakLojasiewicz

# The linear recursion r+ <= (1 - c) r + b in closed form, by induction.

c, b, r0 = sp.symbols("c b r0", positive=True)
t = sp.symbols("t", integer=True, nonnegative=True)
LINEAR_BOUND = (1 - c) ** t * r0 + (1 - (1 - c) ** t) * b / c


def prove_linear_recursion(claimed: Any = LINEAR_BOUND) -> Verdict:
    """r_t <= ``claimed`` for 0 < c <= 1: it holds at 0, and a step keeps it, 1 - c not being
    negative; with equality in the recursion it is attained. Never above r0 + b/c."""
    s = sp.symbols("s", nonnegative=True)  # (1 - c)^t = 1/(1 + s)
    step = sp.simplify(claimed.subs(t, t + 1) - (1 - c) * claimed - b)
    room = (r0 + b / c - claimed).subs((1 - c) ** t, 1 / (1 + s))
    return settled(
        "linear recursion",
        f"r_t <= {claimed}",
        "induction; used by every theorem with a floor",
        equality("it holds at t = 0", claimed.subs(t, 0), r0),
        equality("a step keeps it, with equality", step, 0),
        nonnegative("and it never exceeds r0 + b/c", sp.simplify(room), s, r0, b, c),
        equality("c = 1 forgets the start", claimed.subs(c, 1).subs(t, 1), b),
    )


# Weights (a + t)^2 turn one-step progress into a bound on a weighted average.

a, mu, T, R2, A, B, C = sp.symbols("a mu T R2 A B C", positive=True)
S_T = T * (a**2 + a * (T - 1) + (T - 1) * (2 * T - 1) / 6)
WEIGHTED_BOUND = (mu * a**3 / 4 * R2 + 2 * T * (T + 2 * a) / mu * B + 16 * T / mu**2 * C) / (
    A * S_T
)


def weights() -> tuple[DerivationStep, ...]:
    """w_t/gamma_t (1 - mu gamma_t) <= w_{t-1}/gamma_{t-1} for a + t >= 1; S_T in closed form."""
    t, v = sp.symbols("t v", integer=True, nonnegative=True)
    y = 1 + v  # a + t
    slack = (y - 1) ** 3 - y**3 * (1 - 4 / y)
    closed = sp.summation((a + t) ** 2, (t, 0, T - 1))
    return (
        nonnegative("the weights telescope", sp.cancel(slack), v),
        equality("S_T", closed, S_T),
    )


def prove_weighted_recursion(claimed: Any = WEIGHTED_BOUND) -> Verdict:
    r"""d_{t+1} <= (1 - mu gamma_t) d_t - gamma_t A e_t + gamma_t^2 B + gamma_t^3 C.

    With gamma_t = 4/(mu (a + t)), w_t = (a + t)^2: (1/S_T) sum_{t<T} w_t e_t <= ``claimed``.
    Multiply by w_t/gamma_t and sum; the terms in d telescope.
    """
    t = sp.symbols("t", integer=True, nonnegative=True)
    gamma = 4 / (mu * (a + t))
    noise = sp.summation((a + t) ** 2 * gamma, (t, 0, T - 1))
    drift = sp.summation(sp.simplify((a + t) ** 2 * gamma**2), (t, 0, T - 1))
    start = sp.simplify((a**2 / gamma).subs(t, 0)) * R2
    derived = (start + noise * B + drift * C) / (A * S_T)
    slack = sp.cancel((claimed - derived) * A * S_T)
    return settled(
        "weighted recursion",
        f"weighted average <= {claimed}",
        "Stich 2018, arXiv:1805.09767, Lemma 3.4",
        *weights(),
        nonnegative("the sums lie below the claim", slack, a, mu, T, R2, B, C),
    )


# From a descent step to f - f*: the inequality of Polyak and Lojasiewicz, and the recursion.

pl, gap = symbol("pl"), symbol("initial_gap")


def contracts(theorem: PolyakLojasiewicz, floor: Any) -> tuple[DerivationStep, ...]:
    """E f(x+) <= f - gamma/2 ||grad f||^2 + gamma/2 ``floor`` and ||grad f||^2 >= 2 mu (f - f*)
    give the theorem's bound."""
    e, more, s = sp.symbols("e more s", nonnegative=True)
    t = sp.symbols("t", integer=True, nonnegative=True)
    r = sp.Function("r")
    step = e - GAMMA / 2 * (2 * pl * e + more) + GAMMA / 2 * s
    solution = sp.rsolve(r(t + 1) - (1 - GAMMA * pl) * r(t) - GAMMA / 2 * s, r(t), {r(0): gap})
    left = (1 - GAMMA * pl) ** TIME
    claimed = left * gap + (1 - left) * s / (2 * pl)
    return (
        nonnegative(
            "f - f* shrinks by 1 - gamma mu, up to the floor",
            sp.expand((1 - GAMMA * pl) * e + GAMMA / 2 * s - step), more, GAMMA, e, s,
        ),
        equality("T such steps", solution.subs(t, TIME), claimed),
        computes(theorem, claimed.subs(s, floor)),
    )  # fmt: skip


PROOFS = (
    prove_linear_recursion,
    prove_weighted_recursion,
)
COVERS = {
    "prove_linear_recursion": ("bsp-sgd", "local-sgd"),
    "prove_weighted_recursion": ("choco-sgd", "error-feedback", "local-sgd"),
}
