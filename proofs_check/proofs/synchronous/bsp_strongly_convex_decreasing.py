r"""SGD on strongly convex functions, stepsize 2/(mu (a + t)): induction with weights."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import evaluates, symbol
from proofs_check.verdict import Verdict
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing

mu, noise, R2, a, T = sp.symbols("mu s R2 a T", positive=True)  # noise: sigma2 / n
BOUND = ((a - 1) * (a - 2) * R2 + 4 * noise * T / mu**2) / ((a + T - 1) * (a + T - 2))


def prove(claimed: Any = BOUND) -> Verdict:
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
