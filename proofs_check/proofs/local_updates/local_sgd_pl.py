"""Local SGD under the inequality of Polyak and Lojasiewicz, any shards."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, symbol
from proofs_check.proofs.polyak_lojasiewicz import contracts
from proofs_check.verdict import Verdict
from theory.theorems.local_sgd_pl import local_sgd_pl

L, sigma2, n, G2, H = (symbol(name) for name in ("L_max", "sigma2", "n", "G2", "H"))
FLOOR = GAMMA * L * sigma2 / n + 4 * GAMMA**2 * L**2 * H**2 * G2


def mean_step(spread: Any, floor: Any) -> tuple[DerivationStep, ...]:
    """The mean model moves by the mean gradient, of expectation S = mean of grad f_i(x_i), which
    differs from grad f(xbar) by L times the root of the ``spread``, V: f falls by gamma/2 g2 -
    gamma/2 ``floor`` at least, for gamma <= 1/L.
    """
    g2, s2, v, V = sp.symbols("g2 s2 v V", nonnegative=True)
    g, s = sp.symbols("g s", real=True)
    inner = (g2 + s2 - L**2 * V) / 2  # at most <grad f, S>
    descent = -GAMMA * inner + GAMMA**2 * L / 2 * (s2 + sigma2 / n)
    kept = -GAMMA / 2 * g2 + GAMMA / 2 * (GAMMA * L * sigma2 / n + L**2 * V)
    slack = sp.simplify((kept - descent).subs(GAMMA, 1 / (L * (1 + v))))
    return (
        equality("<g, s> = (g^2 + s^2 - (g - s)^2)/2", (g**2 + s**2 - (g - s) ** 2) / 2, g * s),
        nonnegative("one step of the mean descends for gamma <= 1/L", slack, v, g2, s2, L, V),
        equality("what it leaves", GAMMA * L * sigma2 / n + L**2 * spread, floor),
    )


def deviations(count: int) -> DerivationStep:
    """Distances from the mean have a smaller mean square than the vectors themselves."""
    g = sp.symbols(f"g:{count}", real=True)
    mean = sum(g) / count
    room = sum(x**2 for x in g) / count - sum((x - mean) ** 2 for x in g) / count
    return equality(f"mean square about the mean, {count} workers", sp.expand(room), mean**2)


def prove(claimed: Any = FLOOR) -> Verdict:
    r"""E f(xbar_T) - f* <= (1 - gamma mu)^T Delta + ``claimed``/(2 mu) for gamma <= 1/L_max.

    At most H steps since the workers met, so the spread is at most gamma^2 H^2 G2, and that of
    Yu, Yang, Zhu 2018 four times this.
    """
    return settled(
        "local_sgd_pl",
        f"E f(xbar_T) - f* <= (1 - gamma mu)^T Delta + {claimed}/(2 mu)",
        "derived; Yu, Yang, Zhu 2018, arXiv:1807.06629, Theorem 1; Karimi et al. 2016",
        deviations(3),
        *mean_step(4 * GAMMA**2 * H**2 * G2, claimed),
        *contracts(local_sgd_pl, claimed),
    )
