r"""D-PSGD: Theorem 1, what it gives at the stepsize of Corollary 2, and the cap on the stepsize.

G is the sum over T steps of E||grad f(xbar_t)||^2, D that of the mean over workers of
E||x_i - xbar||^2. Models are xbar_t and what (W^k - J), of norm lambda^k, left of earlier steps:

- noise is orthogonal over steps, k = 0, 1, ...: gamma^2 sigma^2 / (1 - lambda^2) a worker;
- means by Cauchy and Schwarz, each step's in all later ones: gamma^2 / (1 - lambda)^2 of the sum of
  the workers' squared gradients, which are at most 3 (L^2 D + T zeta^2 + G) in the mean;
- so D is at most what it is in terms of itself and of G, and the descent lemma of the mean model,
  polarised, has L^2 D in place of how far the mean gradient is from grad f(xbar); what its square
  adds and takes is -gamma (1 - gamma L) / 2 of it, left out for gamma <= 1/L.

This is Theorem 1 with 1 for n beside sigma^2, and 3 for 9 n beside zeta^2: the printed bound, whose
proof goes by the worst worker, is larger.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates
from proofs_check.verdict import Verdict
from theory.theorems.d_psgd import d_psgd

L, sigma, n, gap, zeta2 = sp.symbols("L sigma n Delta zeta2", positive=True)
lam, sigma2 = sp.symbols("lam sigma2", positive=True)
SHARE = (GAMMA * L / (1 - lam)) ** 2
D2 = 1 - 18 * n * SHARE
D1 = sp.Rational(1, 2) - 9 * n * SHARE / D2
SPREAD = n * (GAMMA * L) ** 2 * (sigma2 / (1 - lam**2) + 9 * zeta2 / (1 - lam) ** 2) / D2
BOUND = (gap / (GAMMA * TIME) + GAMMA * L * sigma2 / (2 * n) + SPREAD) / D1
LEAD = (2 * gap + L) * sigma / sp.sqrt(n)


def theorem_1(bound: Any) -> tuple[DerivationStep, ...]:
    """T steps of the descent lemma, summed, and what they say beside ``bound``."""
    a, b, c, G, D = sp.symbols("a b c G D", real=True)
    m, v = sp.symbols("m v", nonnegative=True)
    power = sp.Symbol("l", positive=True)
    noise = 2 * GAMMA**2 * sigma2 * TIME / (1 - lam**2)
    means = 2 * GAMMA**2 / (1 - lam) ** 2 * 3 * (L**2 * D + TIME * zeta2 + G)
    apart = sp.solve(D - noise - means, D)[0]
    lengths = GAMMA**2 * L * sigma2 * TIME / (2 * n)
    left = gap - GAMMA / 2 * G + GAMMA / 2 * L**2 * apart + lengths  # at least 0, as f >= f*
    part = 1 - 6 * SHARE
    kept = sp.Rational(1, 2) - 3 * SHARE / part
    own = (GAMMA * L) ** 2 * (sigma2 / (1 - lam**2) + 3 * zeta2 / (1 - lam) ** 2) / part
    ours = (gap / (GAMMA * TIME) + GAMMA * L * sigma2 / (2 * n) + own) / kept
    small = {n: 1 + m, power: 1 / (18 * (1 + m) * (1 + v))}  # D_2 > 0
    theirs, mine = 1 - 18 * n * power, 1 - 6 * power
    return (
        equality("polarised", a * b, (a**2 + b**2 - (a - b) ** 2) / 2),
        equality(
            "three parts of a gradient",
            3 * (a**2 + b**2 + c**2) - (a + b + c) ** 2,
            (a - b) ** 2 + (b - c) ** 2 + (a - c) ** 2,
        ),
        equality("sum of T steps", sp.solve(left, G)[0] / TIME, ours),
        nonnegative("no step too long", (1 - GAMMA * L).subs(GAMMA, 1 / (L * (1 + v))), v),
        nonnegative("D_1, beside zeta^2", (9 * n / theirs - 3 / mine).subs(small), m, v),
        nonnegative("beside sigma^2", (n / theirs - 1 / mine).subs(small), m, v),
        evaluates(d_psgd, bound),
    )


def prove(claimed: Any = LEAD, bound: Any = BOUND) -> Verdict:
    r"""sqrt(T) times the bound at gamma = 1/(2L + sigma sqrt(T/n)) tends to ``claimed``.

    No lambda in it: the topology acts on terms of order 1/T. And gamma = (1 - lambda)/(L sqrt(54
    n)) makes D_1 = 1/4.
    """
    root = sp.symbols("r", positive=True)  # sqrt(T)
    here = sp.Rational(9, 10)
    gamma = 1 / (2 * L + sigma * root / sp.sqrt(n))
    u = 9 * gamma**2 * L**2 * n / (1 - here) ** 2
    d2 = 1 - 2 * u
    spread = sigma**2 / (1 - here**2) + 9 * zeta2 / (1 - here) ** 2
    noise = gamma * L * sigma**2 / (2 * n) + gamma**2 * L**2 * n * spread / d2
    there = (gap / (gamma * root**2) + noise) / (sp.Rational(1, 2) - u / d2)
    lead = sp.limit(sp.together(there * root), root, sp.oo)
    cap = sp.Rational(9, 54)
    return settled(
        "d_psgd",
        f"leading term {claimed}/sqrt(T), whatever the topology",
        "Lian et al. 2017, arXiv:1705.09056, Theorem 1, Corollary 2",
        *theorem_1(bound),
        equality("D_1 at the cap", sp.Rational(1, 2) - cap / (1 - 2 * cap), sp.Rational(1, 4)),
        equality("the leading term", lead, claimed),
    )
