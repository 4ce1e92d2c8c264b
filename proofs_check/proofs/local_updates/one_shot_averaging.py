"""One-shot averaging: bias of one worker, variance of n, where second derivatives are smooth."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.verdict import Verdict
from theory.theorems.one_shot_averaging import one_shot_averaging

mu, sigma2, R2, M, n = (symbol(name) for name in ("mu", "sigma2", "R2", "hessian_lipschitz", "n"))
q, level, t = sp.symbols("q level t", positive=True)  # q = 1 - gamma mu
BEND = M / 2


def mean_of_two() -> DerivationStep:
    """Two independent workers with the same law, values 0 and 1 with probability p: E (mean - s)^2
    is the bias squared and half the variance."""
    p, s = sp.symbols("p s", real=True)
    law = {(i, j): (p if i else 1 - p) * (p if j else 1 - p) for i in (0, 1) for j in (0, 1)}
    square = sum(w * (sp.Rational(i + j, 2) - s) ** 2 for (i, j), w in law.items())
    return equality("bias and 1/n of the variance", sp.expand(square - (p - s) ** 2),
                    sp.expand(p * (1 - p) / 2))  # fmt: skip


def prove(bend: Any = BEND) -> Verdict:
    r"""b_{t+1} <= q b_t + gamma ``bend`` d_t for the bias b_t = ||E x_t - x*||, d_t = E||x_t -
    x*||^2, gamma <= 1/L: I - gamma grad^2 f(x*) has norm at most q.

    ||grad f(x) - grad^2 f(x*) (x - x*)|| is at most the integral of M s ||x - x*||^2 over s in
    (0, 1). d_t <= q^t R2 + level, level = gamma sigma2/mu.
    """
    s, d, L, inner, v = sp.symbols("s d L I v", nonnegative=True)
    one = (-GAMMA * inner - (-2 * GAMMA + GAMMA**2 * L) * inner).subs(GAMMA, 1 / (L * (1 + v)))
    moments = q**t * R2 + (1 - q**t) * level

    def bias(at: Any) -> Any:
        return q**at * sp.sqrt(R2) + GAMMA * BEND * (
            at * q ** (at - 1) * R2 + (1 - q**at) * level / (1 - q)
        )

    step = bias(t + 1) - q * bias(t) - GAMMA * bend * (q**t * R2 + level)
    bound = ((moments / n) + bias(t) ** 2).subs(t, TIME)
    stated = bound.subs(level, GAMMA * sigma2 / mu).subs(q, 1 - GAMMA * mu)
    return settled(
        "one_shot_averaging",
        f"the bias grows by gamma {bend} d a step, so O(1/(nT) + 1/T^2) with constants",
        "derived; setting of Zhang, Duchi, Wainwright 2013, arXiv:1209.4129",
        mean_of_two(),
        equality("second derivatives", sp.integrate(M * s * d**2, (s, 0, 1)), M / 2 * d**2),
        nonnegative("one step contracts for gamma <= 1/L", one, v, inner, L),
        equality("d_t", sp.expand(q * moments + (1 - q) * level),
                 sp.expand(moments.subs(t, t + 1))),
        equality("the bias at the start", bias(0), sp.sqrt(R2)),
        equality("the bias, a step", sp.simplify(sp.expand(step)), 0),
        evaluates(one_shot_averaging, stated),
    )  # fmt: skip
