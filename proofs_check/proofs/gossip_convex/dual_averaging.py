r"""Distributed dual averaging: Theorem 1's three sums at alpha_t = a/sqrt(t + 1)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import SCALE, TIME, evaluates, symbol
from proofs_check.proofs.synchronous.ssp import root_sum
from proofs_check.verdict import Verdict
from theory.theorems.dual_averaging import dual_averaging

a, length, R, log, gap = sp.symbols("a l R log gap", positive=True)  # log = log(T sqrt n)
AMOUNT = R**2 / a + a * length**2 * (12 * log / gap + 19)


def prove(claimed: Any = AMOUNT) -> Verdict:
    r"""sqrt(T) (f(average of worker i) - f*) <= ``claimed``.

    psi(x*)/(T alpha_{T-1}) is the first term; the regret of the mean sum costs l^2/(2 T) sum alpha,
    and models differ from those of the mean sum by alpha_{t-1} ||zbar_t - z_i||, three times, where
    ||zbar_t - z_i|| <= l sum_k min(2, sqrt(n) sigma^k) <= l (2 log/(1 - sigma) + 3): 2 for the
    first log/log(1/sigma) + 1 powers, 1/T for each of the T others.
    """
    u, spare = sp.symbols("u s", positive=True)
    sums = 2 * a  # of alpha_t, over sqrt(T)
    network = 2 * log / gap + 3
    total = R**2 / a + length**2 * sums / 2 + 3 * length**2 * network * sums
    paper = R * sp.sqrt(gap) / (4 * length)
    scaled = AMOUNT.subs(a, paper) * sp.sqrt(gap) / (R * length)
    excess = (8 * log - scaled).subs(log, sp.Rational(7, 4) + spare).subs(gap, 1 / (1 + u))
    named = {
        a: SCALE, R: sp.sqrt(symbol("R2") / 2), gap: 1 - symbol("lam"),
        log: sp.log(TIME * sp.sqrt(symbol("n"))),
    }  # fmt: skip
    return settled(
        "dual_averaging",
        f"f(average of a worker) - f* <= ({claimed})/sqrt(T)",
        "Duchi, Agarwal, Wainwright 2012, arXiv:1005.2012, Theorems 1 and 2",
        root_sum(),
        truth("log(1/sigma) >= 1 - sigma", _logarithm()),
        nonnegative("the three sums fit", sp.expand(claimed - total), a, length, R, log, gap),
        equality("at the paper's stepsize", scaled, 3 * log + 4 + sp.Rational(19, 4) * gap),
        nonnegative("below the paper's", sp.simplify(excess), u, spare),
        evaluates(dual_averaging, claimed.subs(named) / sp.sqrt(TIME)),
    )


def _logarithm() -> bool:
    """-log s - (1 - s) is 0 at s = 1 and falls before it: its derivative is 1 - 1/s."""
    s = sp.symbols("s", positive=True)
    difference = -sp.log(s) - (1 - s)
    slope = sp.simplify(sp.diff(difference, s) * s - (s - 1))
    return bool(difference.subs(s, 1) == 0 and slope == 0)
