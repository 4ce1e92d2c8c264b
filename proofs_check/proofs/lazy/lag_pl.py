"""LAG under the Polyak-Lojasiewicz inequality: a Lyapunov function that forgets old moves."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, symbol
from proofs_check.proofs.polyak_lojasiewicz import contracts
from proofs_check.verdict import Verdict
from theory.theorems.lag_pl import lag_pl

L, lazy, mu = symbol("L"), symbol("lazy"), symbol("pl")
LIMIT = sp.Rational(1, 2)  # times (1 - lazy)/max(L, D mu)
_D = 4


def prove(claimed: Any = LIMIT, age: Any = 1) -> Verdict:
    r"""f - f* + V falls to q = 1 - gamma mu of itself for gamma <= ``claimed`` (1 - lazy)/max(L, D
    mu).

    The weight of the move of k steps ago is sum_{j >= k} xi_j q^-(j - k + ``age``)/(2 gamma). Four
    moves; g2 = 2 mu (f - f*) + more. With M = max(L, D mu) and Bernoulli's (1 - gamma mu)^D >= 1 -
    D gamma mu >= 1 - gamma M, the newest move is paid for while 1 - gamma M >= lazy/(1 - gamma M).
    """
    xi = sp.symbols(f"xi_1:{_D + 1}", positive=True)
    moves = sp.symbols(f"q_1:{_D + 1}", nonnegative=True)  # squared, newest first
    now, gap, more, v = sp.symbols("q e more v", nonnegative=True)
    q = 1 - GAMMA * mu
    weights = [
        sum(xi[j] * q ** -(j - k + age) for j in range(k, _D)) / (2 * GAMMA) for k in range(_D)
    ]
    error = sum(x * m for x, m in zip(xi, moves, strict=True)) / GAMMA**2
    fell = -GAMMA / 2 * (2 * mu * gap + more + now / GAMMA**2 - error) + L / 2 * now
    before = gap + sum(w * m for w, m in zip(weights, moves, strict=True))
    after = gap + fell + sum(w * m for w, m in zip(weights, (now, *moves[:-1]), strict=True))
    room = sp.simplify(sp.expand(q * before - after))
    newest = 1 / (2 * GAMMA) - L / 2 - weights[0]
    # gamma M = y: 1 - y - lazy/(1 - y), lazy = 1 - left
    left = 1 / (1 + sp.Symbol("u", nonnegative=True))
    y = claimed * left / (1 + v)
    paid = sp.cancel(sp.together(1 - y - (1 - left) / (1 - y)))
    x = sp.Symbol("x", positive=True)
    power, k = sp.symbols("P k", positive=True)  # P = (1 - x)^k, at least 1 - k x
    bernoulli = (1 - x) * power - (1 - (k + 1) * x) - (1 - x) * (power - (1 - k * x))
    return settled(
        "lag_pl",
        f"f(x_T) - f* <= (1 - gamma mu)^T Delta for gamma <= {claimed} (1 - lazy)/max(L, D mu)",
        "Chen et al. 2018, arXiv:1805.09965, Theorem 1; constants derived",
        equality("V falls to q of itself", room, sp.simplify(newest * now + GAMMA / 2 * more)),
        equality("Bernoulli, a step", sp.expand(bernoulli), k * x**2),
        nonnegative("the newest move is paid for", paid, v, *left.free_symbols),
        *contracts(lag_pl, sp.Integer(0)),
    )  # fmt: skip
