"""Derivations: dgd, projected dgd."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.expressions import computes
from proofs_check.verdict import Verdict
from theory.theorems.dgd import dgd
from theory.theorems.projected_dgd import projected_dgd

# DGD: descent of the mean model, and how far workers are from it.


gamma, length, R2, T, lam = sp.symbols("gamma l R2 T lambda", positive=True)
DGD_AMOUNT = R2 / (2 * gamma * T) + gamma * length**2 * (sp.Rational(1, 2) + 2 / (1 - lam))


def telescope(what: str) -> DerivationStep:
    """<g, x - x*> = (||x - x*||^2 - ||x - gamma g - x*||^2)/(2 gamma) + gamma ||g||^2/2."""
    x, g, star = sp.symbols("x g star", real=True)
    one = ((x - star) ** 2 - (x - gamma * g - star) ** 2) / (2 * gamma) + gamma * g**2 / 2
    return equality(what, one, (x - star) * g)


def spread() -> DerivationStep:
    """E+ = lambda E + gamma l has the solution gamma l (1 - lambda^t)/(1 - lambda) from 0."""
    power = sp.symbols("p", positive=True)  # lambda^t
    now = gamma * length * (1 - power) / (1 - lam)
    after = lam * now + gamma * length
    return equality("the spread's recursion", after, now.subs(power, lam * power))


def prove_dgd(claimed: Any = DGD_AMOUNT) -> Verdict:
    r"""f(average of the mean models) - f* <= ``claimed``.

    The mean moves by -gamma gbar, so <gbar, xbar - x*> = (d_t - d_{t+1})/(2 gamma) + gamma
    ||gbar||^2/2. Deviations obey E_{t+1} = (W - J) E_t - gamma (I - J) G, of Frobenius norm at most
    lambda ||E_t|| + gamma sqrt(n) l, so the mean distance of a worker is at most gamma l/(1 -
    lambda); f_j(xbar) - f_j(x_j) and <grad f_j, x_j - xbar> each cost l times that distance.
    """
    room = sp.symbols("u", positive=True)  # 1/(1 - lambda) = 1 + u
    total = R2 / (2 * gamma * T) + gamma * length**2 / 2 + 2 * length * gamma * length / (1 - lam)
    gap = sp.expand(sp.simplify((claimed - total).subs(lam, 1 - 1 / (1 + room))))
    best = sp.sqrt(R2 / (2 * T * length**2 * (sp.Rational(1, 2) + 2 / (1 - lam))))
    return settled(
        "dgd",
        f"f(average) - f* <= {claimed}",
        "derived; Nedic, Ozdaglar 2009, IEEE TAC 54(1), Proposition 3",
        telescope("one step of the mean"),
        spread(),
        nonnegative("the sums fit", gap, room, gamma, length, R2),
        equality("the best stepsize", sp.diff(DGD_AMOUNT, gamma).subs(gamma, best), 0),
        computes(dgd, claimed),
    )


# Projected DGD: mixing and projection bring no worker further from x*, on average.

PROJECTED_DGD_AMOUNT = R2 / (2 * gamma * T) + gamma * length**2 * (
    sp.Rational(1, 2) + lam / (1 - lam)
)


def prove_projected_dgd(claimed: Any = PROJECTED_DGD_AMOUNT) -> Verdict:
    r"""f(average of the mean models) - f(x*) <= ``claimed`` for every x* in X.

    ||x_i^+ - x*||^2 <= ||v_i - gamma g_i - x*||^2, because projections do not expand, and sum_i
    ||v_i - x*||^2 <= sum_i ||x_i - x*||^2, because W is doubly stochastic and squares are convex.
    x_i^+ is within gamma l of v_i, which lies in X, so models are within gamma l/(1 - lambda) of
    their mean on average and mixed points within lambda times that; f(vbar) - f_i(v_i) costs l
    times it, once.
    """
    a, b, w = sp.symbols("a b w", positive=True)  # two points at distances a, b; weight w of one
    room = sp.symbols("u", positive=True)  # 1/(1 - lambda) = 1 + u
    mixed = w * a**2 + (1 - w) * b**2 - (w * a + (1 - w) * b) ** 2
    total = R2 / (2 * gamma * T) + gamma * length**2 / 2 + length * lam * gamma * length / (1 - lam)
    gap = sp.expand(sp.simplify((claimed - total).subs(lam, room / (1 + room))))
    return settled(
        "projected_dgd",
        f"f(average) - f(x*) <= {claimed}",
        "derived; Ram, Nedic, Veeravalli 2010, arXiv:0811.2595, Theorem 1",
        telescope("one step before projection"),
        equality("mixing shrinks squares", mixed, w * (1 - w) * (a - b) ** 2),
        spread(),
        nonnegative("the sums fit", gap, room, gamma, length, R2),
        computes(projected_dgd, claimed),
    )


PROOFS = (prove_dgd, prove_projected_dgd)
