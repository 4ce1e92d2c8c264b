"""Asynchronous SGD by second moments: what was missed is short, whatever it is."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, symbol
from proofs_check.proofs.expressions import descends
from proofs_check.verdict import Verdict
from theory.theorems.asynchronous_moments import asynchronous_moments

L, G2, tau = (symbol(name) for name in ("L", "G2", "tau_coordinate"))
FLOOR = GAMMA * L * G2 + GAMMA**2 * L**2 * tau**2 * G2


def missed(count: int) -> DerivationStep:
    """||sum of ``count`` vectors||^2 <= count times the sum of squares: parts of updates missed."""
    a = sp.symbols(f"a:{count}", real=True)
    room = count * sum(x**2 for x in a) - sum(a) ** 2
    pairs = sum((a[i] - a[j]) ** 2 for i in range(count) for j in range(i))
    return equality(f"{count} missed updates", sp.expand(room), sp.expand(pairs))


def late_step(claimed: Any) -> tuple[DerivationStep, ...]:
    """f falls by gamma/2 ||grad f(x)||^2 - gamma/2 ``claimed`` at least.

    <grad f(x), grad f(xhat)> >= (g2 - L^2 ||x - xhat||^2)/2, and the squared step is gamma^2 G2.
    """
    g2, h2 = sp.symbols("g2 h2", nonnegative=True)
    late = GAMMA**2 * tau**2 * G2
    descent = -GAMMA * (g2 + h2 - L**2 * late) / 2 + GAMMA**2 * L / 2 * G2
    kept = -GAMMA / 2 * g2 + GAMMA / 2 * claimed
    slack = sp.expand(kept - descent)
    return (
        missed(3),
        nonnegative("one step descends, however stale", slack, GAMMA, g2, h2, L, G2, tau),
    )


def prove(claimed: Any = FLOOR) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= 2 Delta/(gamma T) + ``claimed``.

    A coordinate that is read may miss any of the last tau updates: what is missed is gamma times a
    sum of tau vectors, each a part of a gradient.
    """
    return settled(
        "asynchronous_moments",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}",
        "derived; setting of Niu et al. 2011, arXiv:1106.5730",
        *late_step(claimed),
        descends(asynchronous_moments, 2, claimed),
    )
