"""Warmed-up SGD on strongly convex functions: one step, and the code against it step by step."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, nonnegative, settled, truth
from proofs_check.proofs.evaluated import TOLD
from proofs_check.verdict import Verdict
from theory.theorem import Theorem
from theory.theorems.warm_up_strongly_convex import warm_up_strongly_convex

COVERS = ("legw",)
NOISE = Fraction(1)  # of gamma^2 sigma2/n


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


def prove(noise: Any = NOISE) -> Verdict:
    """A step adds ``noise`` times gamma^2 sigma2/n to what it leaves of the squared distance."""
    return settled(
        "warm_up_strongly_convex",
        f"d_(t+1) = (1 - gamma_t (2 - gamma_t L) mu) d_t + {noise} gamma_t^2 sigma2/n",
        "Bottou, Curtis, Nocedal 2018, arXiv:1606.04838, one step of Theorem 4.6",
        one_step(),
        iterated(warm_up_strongly_convex, noise),
    )
