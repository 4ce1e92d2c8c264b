"""PR-SGD with momentum: the virtual model takes plain steps of gamma/(1 - m)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.proofs.local_updates.local_sgd_pl import deviations
from proofs_check.verdict import Verdict
from theory.theorems.pr_sgd_momentum import pr_sgd_momentum

L, sigma2, n, G2, H, m, gap = (
    symbol(name) for name in ("L_max", "sigma2", "n", "G2", "H_velocity", "momentum", "initial_gap")
)
DRIFT = GAMMA**2 * H**2 * G2 / (1 - m) ** 2
BEHIND = GAMMA**2 * m**2 * G2 / (1 - m) ** 4


def virtual() -> tuple[DerivationStep, ...]:
    """z = x - gamma m/(1 - m) u, u+ = m u + g, x+ = x - gamma u+."""
    x, u, g = sp.symbols("x u g", real=True)
    after = m * u + g
    z = x - GAMMA * m / (1 - m) * u
    moved = (x - GAMMA * after) - GAMMA * m / (1 - m) * after
    t = sp.symbols("t", integer=True, nonnegative=True)
    r = sp.Function("r")
    length = sp.rsolve(r(t + 1) - m * r(t) - 1, r(t), {r(0): 0})
    return (
        equality("z takes the plain step", sp.simplify(moved - z), -GAMMA * g / (1 - m)),
        equality("velocities are at most G/(1 - m) long", length, (1 - m**t) / (1 - m)),
    )


def descent() -> DerivationStep:
    """Along z by eta = gamma/(1 - m) <= 1/(2L): f falls by eta/2 ||grad f(xbar)||^2 at least, up to
    eta/2 (eta L sigma2/n + L^2 V + 2 L^2 Z), Z = ||z - xbar||^2.

    <grad f(z), S> >= <grad f(xbar), S> - L sqrt(Z) ||S||, and L sqrt(Z) ||S|| <= L^2 Z + ||S||^2/4.
    """
    eta, g2, s2, V, Z, v = sp.symbols("eta g2 s2 V Z v", nonnegative=True)
    inner = (g2 + s2 - L**2 * V) / 2 - L**2 * Z - s2 / 4
    change = -eta * inner + eta**2 * L / 2 * (s2 + sigma2 / n)
    kept = -eta / 2 * g2 + eta / 2 * (eta * L * sigma2 / n + L**2 * V + 2 * L**2 * Z)
    slack = sp.simplify((kept - change).subs(eta, 1 / (2 * L * (1 + v))))
    return nonnegative("one step descends for gamma <= (1 - m)/(2L)", slack, v, s2, L)


def prove(drift: Any = DRIFT, behind: Any = BEHIND) -> Verdict:
    r"""avg E||grad f(xbar_t)||^2 <= 2 (1-m) Delta/(gamma T) + gamma L sigma2/((1-m) n) + L^2
    ``drift`` + 2 L^2 ``behind``.

    Velocities are averaged with the models, so that since the last meeting, at most H steps ago,
    each gradient has moved a worker from the mean by at most gamma/(1 - m) times its own distance
    from the mean gradient.
    """
    length, root = sp.symbols("l a", positive=True)
    young = L**2 * root**2 + length**2 / 4 - L * root * length
    eta = GAMMA / (1 - m)
    total = 2 * gap / (eta * TIME) + eta * L * sigma2 / n + L**2 * drift + 2 * L**2 * behind
    j, rest = sp.symbols("j rest", nonnegative=True)
    shorter = (DRIFT - DRIFT.subs(H, j)).subs(H, j + rest)
    return settled(
        "pr_sgd_momentum",
        f"workers are within {drift} of their mean, the virtual model within {behind}",
        "derived; setting of Yu, Jin, Yang 2019, arXiv:1905.03817",
        *virtual(),
        deviations(3),
        equality("L a l <= L^2 a^2 + l^2/4 by a square", young, (L * root - length / 2) ** 2),
        descent(),
        nonnegative(
            "fewer steps spread less", sp.simplify(shorter * (1 - m) ** 2), j, rest, GAMMA, G2
        ),
        equality(
            "distance of the virtual model", (GAMMA * m / (1 - m) / (1 - m)) ** 2 * G2, behind
        ),
        computes(pr_sgd_momentum, total),
    )
