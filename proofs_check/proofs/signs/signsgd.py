r"""signSGD: the descent step, and the paper's rate at its stepsize and batch."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import evaluates
from proofs_check.verdict import Verdict
from theory.theorems.signsgd import signsgd

gamma, L1, sigma1, gap, T = sp.symbols("gamma L_one sigma_one Delta T", positive=True)
FLOOR = gamma * L1 / 2 + 2 * sigma1


def prove(claimed: Any = FLOOR) -> Verdict:
    r"""avg E||grad f(x_t)||_1 <= Delta/(gamma T) + ``claimed``.

    A coordinate moves by -gamma |g_j| if its sign is right and +gamma |g_j| if wrong, which has
    probability P <= sigma_j/|g_j|.
    """
    a, P, s, v = sp.symbols("a P s v", nonnegative=True)
    move = -gamma * a * (1 - P) + gamma * a * P
    worst = (-gamma * a + 2 * gamma * s - move).subs(P, s / (a * (1 + v)))
    one = sp.symbols("g_one", positive=True)
    step = -gamma * one + 2 * gamma * sigma1 + gamma**2 * L1 / 2
    total = sp.solve(sp.Eq(-gap, T * step), one)[0]
    tuned = (gap / (gamma * T) + claimed).subs({gamma: 1 / sp.sqrt(L1 * T)})
    paper = (sp.sqrt(L1) * (gap + sp.Rational(1, 2)) + 2 * sigma1) / sp.sqrt(T)
    return settled(
        "signsgd",
        f"average one-norm of the gradient <= Delta/(gamma T) + {claimed}",
        "Bernstein et al. 2018, arXiv:1802.04434, Theorem 1",
        nonnegative("a wrong sign costs at most 2 gamma sigma_j", sp.simplify(worst), v, s, gamma),
        equality("the sum of T steps", total, gap / (gamma * T) + claimed),
        evaluates(signsgd, gap / (gamma * T) + claimed),
        equality(
            "batches of T at the paper's step", tuned.subs(sigma1, sigma1 / sp.sqrt(T)), paper
        ),
    )
