"""Delay-adaptive asynchronous SGD: late gradients pay for what they miss, whatever the delay."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes, limit_of
from proofs_check.verdict import Verdict
from theory.theorems.delay_adaptive_steps import delay_adaptive_steps

L, sigma2, n, gap = (symbol(name) for name in ("L_max", "sigma2", "n", "initial_gap"))
BOUND = 4 * gap / (GAMMA * TIME) + sp.Rational(5, 4) * GAMMA * L * sigma2
SHORT = sp.Rational(1, 8)
"""Largest gamma n L."""
CAP = sp.Rational(1, 4)
"""gamma_t tau_t L at most, where the delay is above n."""


def prove_delay_adaptive_steps(claimed: Any = BOUND, short: Any = SHORT, cap: Any = CAP) -> Verdict:
    """gamma = ``short``/(n L (1 + v)), gamma_s = gamma/(1 + w) a step of the window, h2 the squared
    gradient there; gamma_t tau_t <= ``cap``/L; n >= 1 gradients are under way.

    Of a late gradient's own descent half is left for gamma_s^2 L/2 and for the windows that it is
    in: n times 1/2 L^2 2 (gamma_t tau_t) gamma_s^2.
    """
    v, w, h2, more = sp.symbols("v w h2 more", nonnegative=True)
    a, b = sp.symbols("a b", real=True)
    gamma = short / (n * L * (1 + v))
    at = {n: 1 + more}
    own = gamma / (1 + w)
    windows = n * L**2 * (cap / L) * own**2 * h2
    paid = (own / 2 * h2 - L / 2 * own**2 * h2 - windows).subs(at)
    noise = L / 2 * sigma2 + n * gamma * L**2 * sigma2  # over gamma_s^2: own, and in n windows
    room = (sp.Rational(5, 8) * L * sigma2 - noise).subs(at)
    early = (cap / (2 * n * L) - gamma).subs(at)  # gamma <= cap/(L tau) where tau < 2 n
    weights = TIME / 2 * GAMMA  # sum gamma_t: half of the steps at least have gamma
    total = 2 * gap / weights + 2 * sp.Rational(5, 8) * L * sigma2 * GAMMA
    delays = (n - 1) * TIME / (2 * n)  # how many can be 2 n or more, if all add up to (n - 1) T
    return settled(
        "delay_adaptive_steps",
        f"least squared gradient <= {claimed}",
        "derived; setting of Koloskova, Stich, Jaggi 2022, arXiv:2206.08177",
        equality("polarisation", -a * b, (a - b) ** 2 / 2 - a**2 / 2 - b**2 / 2),
        nonnegative(
            "steps up to a delay of n are short", (cap / L - n * gamma).subs(at), v, L, more
        ),
        nonnegative("late gradients pay for themselves", sp.simplify(paid), v, w, h2, L, more),
        nonnegative("noise adds 5/8 L sigma2 at most", sp.simplify(room), v, L, sigma2, more),
        nonnegative("steps of delays below 2 n are whole", sp.simplify(early), v, L, more),
        nonnegative("they are half of all", (TIME / 2 - delays).subs(at), TIME, more),
        equality("the limit", limit_of(delay_adaptive_steps), short / (n * L)),
        equality("the weighted mean", total, claimed),
        computes(delay_adaptive_steps, claimed),
    )


PROOFS = (prove_delay_adaptive_steps,)
