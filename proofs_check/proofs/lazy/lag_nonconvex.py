"""LAG: the Lyapunov function that pays for what the silent leave out."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, symbol
from proofs_check.proofs.expressions import descends, limit_of
from proofs_check.verdict import Verdict
from theory.theorems.lag_nonconvex import lag_nonconvex

L, lazy = symbol("L"), symbol("lazy")
LIMIT = (1 - lazy) / L
_D = 4


def prove(claimed: Any = LIMIT, share: Any = 1) -> Verdict:
    r"""avg ||grad f(x_t)||^2 <= 2 Delta/(gamma T) for gamma <= ``claimed``.

    With d = grad f + e the step, <grad f, d> = (g2 + ||d||^2 - ||e||^2)/2 and ||d|| = move/gamma.
    ||e||^2 <= sum_k xi_k move_k^2/gamma^2, move_k that of k steps ago; the weight of move_k in V is
    ``share`` (xi_k + ... + xi_D)/(2 gamma). Four moves.
    """
    xi = sp.symbols(f"xi_1:{_D + 1}", positive=True)
    moves = sp.symbols(f"q_1:{_D + 1}", nonnegative=True)  # squared, newest first
    now, g2, v = sp.symbols("q g2 v", nonnegative=True)
    weights = [share * sum(xi[k:]) / (2 * GAMMA) for k in range(_D)]
    error = sum(x * q for x, q in zip(xi, moves, strict=True)) / GAMMA**2
    descent = -GAMMA / 2 * (g2 + now / GAMMA**2 - error) + L / 2 * now
    before = sum(w * q for w, q in zip(weights, moves, strict=True))
    after = sum(w * q for w, q in zip(weights, (now, *moves[:-1]), strict=True))
    room = sp.expand(-GAMMA / 2 * g2 - (descent + after - before))
    small = claimed.subs(lazy, sum(xi)) / (1 + v)
    left = sp.Symbol("left", positive=True)  # 1 - sum of xi
    slack = sp.simplify(room.subs(GAMMA, small)).subs(xi[0], 1 - left - sum(xi[1:]))
    return settled(
        "lag_nonconvex",
        f"average squared gradient <= 2 Delta/(gamma T) for gamma <= {claimed}",
        "Chen et al. 2018, arXiv:1805.09965, Theorem 3; constants derived",
        nonnegative("V falls by gamma/2 ||grad f||^2", sp.cancel(slack), v, now, L, left, *moves),
        equality("the code's largest stepsize", limit_of(lag_nonconvex), claimed),
        descends(lag_nonconvex, 2, sp.Integer(0)),
    )
