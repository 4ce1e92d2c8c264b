"""LAG: derivations, and runs under its bound by either rule."""

from __future__ import annotations

from functools import partial
from typing import Any

import sympy as sp

from algorithms.methods.lazy.lag import LAG
from algorithms.problems.base import Problem
from algorithms.problems.least_squares import LeastSquares
from algorithms.problems.least_squares_data import rising
from algorithms.synchronisation.lazy import ServerRule
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import MILD, NONCONVEX, RISING, entry, mild
from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA
from proofs_check.proofs.expressions import descends, limit_of
from proofs_check.proofs.recursions import contracts
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize
from theory.theorems.lag_nonconvex import lag_nonconvex
from theory.theorems.lag_pl import lag_pl

L, lazy, mu = sp.symbols("L lazy pl", positive=True)
# LAG: the Lyapunov function that pays for what the silent leave out.


LAG_NONCONVEX_LIMIT = (1 - lazy) / L
_D = 4


def prove_lag_nonconvex(claimed: Any = LAG_NONCONVEX_LIMIT, share: Any = 1) -> Verdict:
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


# LAG under the Polyak-Lojasiewicz inequality: a Lyapunov function that forgets old moves.


LAG_PL_LIMIT = sp.Rational(1, 2)  # times (1 - lazy)/max(L, D mu)


def prove_lag_pl(claimed: Any = LAG_PL_LIMIT, age: Any = 1) -> Verdict:
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


PROOFS = (prove_lag_nonconvex, prove_lag_pl)


# LAG under its bound, by either rule.

_WEIGHTS = (0.05,) * 10


def _by_server(step: Stepsize, problem: Problem, _steps: int) -> LAG:
    assert isinstance(problem, LeastSquares)
    return LAG(step, ServerRule(problem.smoothness), _WEIGHTS)


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck(
        "lag", NONCONVEX, lag_nonconvex, entry(NONCONVEX),
        lambda step, _p, _t: LAG(step, weights=_WEIGHTS), 400,
    ),
    BoundCheck("lag", f"{RISING}, server's rule", lag_nonconvex, rising, _by_server, 400),
    BoundCheck(
        "lag", MILD, lag_pl, partial(mild, 4, 0.25),
        lambda step, _p, _t: LAG(step, weights=_WEIGHTS), 100,
    ),
)  # fmt: skip
