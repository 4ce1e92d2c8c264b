"""LUPA-SGD: how far workers of one objective part, without a bound on gradients."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, symbol
from proofs_check.proofs.local_updates.local_sgd_pl import mean_step
from proofs_check.proofs.polyak_lojasiewicz import contracts
from proofs_check.verdict import Verdict
from theory.theorems.lupa_sgd import lupa_sgd

L, sigma2, n, H = (symbol(name) for name in ("L_max", "sigma2", "n", "H"))
SPREAD = GAMMA**2 * sigma2 * (H - 1) * (1 + GAMMA * L) ** (2 * (H - 2))


def parting() -> tuple[DerivationStep, ...]:
    """A step takes two workers' distance times 1 + gamma L at most and adds 2 gamma^2 sigma2 to its
    square; so the spread, half the mean of the n^2 squared distances, v <- (1 + gamma L)^2 v +
    gamma^2 sigma2 (1 - 1/n), starts at 0 and is at most gamma^2 sigma2 j (1 + gamma L)^(2(j - 1))
    after j steps.
    """
    x = sp.symbols("x_1:4", real=True)
    mean = sum(x) / 3
    pairs = sum((a - b) ** 2 for a in x for b in x) / (2 * 9)
    apart, y, j, q, m = sp.symbols("apart y j q m", nonnegative=True)
    longest = (1 + y) ** 2 * apart**2 - (apart + y * apart) ** 2
    # after j steps, over gamma^2 sigma2, with q = (1 + gamma L)^2 = 1 + more and P = q^(j - 1)
    more, above = sp.symbols("more above", nonnegative=True)
    power = 1 + above
    kept = (j + 1) * q * power - (q * j * power + 1 - 1 / (1 + m))
    return (
        equality("spread and pairs", sum((a - mean) ** 2 for a in x) / 3, sp.expand(pairs)),
        equality("two workers part by 1 + gamma L", sp.expand(longest), 0),
        nonnegative("one more step keeps the claim", kept.subs(q, 1 + more), j, more, above, m),
    )


def prove(spread: Any = SPREAD) -> Verdict:
    r"""E f(xbar_T) - f* <= (1 - gamma mu)^T Delta + (gamma L sigma2/n + L^2 ``spread``)/(2 mu)."""
    floor = GAMMA * L * sigma2 / n + L**2 * SPREAD
    return settled(
        "lupa_sgd",
        f"models spread by at most {spread} between meetings, so O(1/(nT)) with its constants",
        "derived; setting of Haddadpour et al. 2019, arXiv:1910.13598",
        *parting(),
        *mean_step(spread, floor),
        *contracts(lupa_sgd, floor),
    )
