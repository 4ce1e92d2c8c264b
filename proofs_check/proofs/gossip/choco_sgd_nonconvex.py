r"""CHOCO-SGD, non-convex: the potential at a constant stepsize, put into the descent step."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import evaluates, symbol
from proofs_check.proofs.gossip.choco_gossip import RATE, p
from proofs_check.verdict import Verdict
from theory.theorems.choco_sgd_nonconvex import choco_sgd_nonconvex

gamma, c, L, G2, n, e0, T, gap, sigma2 = sp.symbols(
    "gamma c L G2 n e0 T Delta sigma2", positive=True
)
CONSENSUS = 8 * gamma**2 * L**2 * G2 / c**2 + 2 * L**2 * e0 / (n * c * T)


def prove(claimed: Any = CONSENSUS) -> Verdict:
    r"""avg E||grad f(xbar_t)||^2 <= 2 Delta/(gamma T) + gamma L sigma2/n + ``claimed``.

    The potential obeys e+ = (1 - c/2) e + (4/c) n gamma^2 G2; its sum over T steps is at most that
    of the start, 2 e_0/c, and T fixed points. Descent: ||grad f(xbar)||^2 <= 2/gamma (decrease)
    - (1 - gamma L)||mean of gradients||^2 + L^2 e/n + gamma L sigma2/n.
    """
    t, v, m2 = sp.symbols("t v m2", nonnegative=True, integer=True)
    e = sp.Function("e")
    recursion = e(t + 1) - (1 - c / 2) * e(t) - 4 / c * n * gamma**2 * G2
    solution = sp.rsolve(recursion, e(t), {e(0): e0})
    fixed = 8 * n * gamma**2 * G2 / c**2
    closed = fixed + (1 - c / 2) ** t * (e0 - fixed)
    tail = (1 - gamma * L) * m2
    decrease, g2, b2 = sp.symbols("D g2 b2", positive=True)
    spread = (e0 * 2 / c + T * fixed) / (n * T)
    change = (
        -gamma / 2 * g2
        - gamma / 2 * m2
        + gamma / 2 * L**2 * b2
        + gamma**2 * L / 2 * (m2 + sigma2 / n)
    )
    solved = sp.solve(sp.Eq(-decrease, change), g2)[0]
    wanted = 2 * decrease / gamma - tail + L**2 * b2 + gamma * L * sigma2 / n
    bound = 2 * gap / (gamma * T) + gamma * L * sigma2 / n + claimed
    rate = RATE.subs(p, 1 - symbol("lam"))
    return settled(
        "choco_sgd_nonconvex",
        f"consensus costs {claimed}",
        "Koloskova et al. 2020, arXiv:1907.09356, Theorem 4.1; constants derived",
        equality("the potential in closed form", solution, closed),
        equality("the descent step", solved, wanted),
        nonnegative("the mean gradient helps", tail.subs(gamma, 1 / (L * (1 + v))), v, m2, L),
        equality("the consensus term", L**2 * spread, claimed),
        evaluates(choco_sgd_nonconvex, bound.subs(c, rate), initial_potential=11.0),
    )
