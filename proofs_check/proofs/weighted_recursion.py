r"""Weights (a + t)^2 turn one-step progress into a bound on a weighted average."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.verdict import Verdict

COVERS = {"prove_weighted_recursion": ("choco-sgd", "error-feedback", "local-sgd")}

a, mu, T, R2, A, B, C = sp.symbols("a mu T R2 A B C", positive=True)
S_T = T * (a**2 + a * (T - 1) + (T - 1) * (2 * T - 1) / 6)
BOUND = (mu * a**3 / 4 * R2 + 2 * T * (T + 2 * a) / mu * B + 16 * T / mu**2 * C) / (A * S_T)


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


def prove_weighted_recursion(claimed: Any = BOUND) -> Verdict:
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


PROOFS = (prove_weighted_recursion,)
