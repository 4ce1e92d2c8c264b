"""Derivations: delay-compensated asynchronous SGD with bounded gradients."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, symbol
from proofs_check.proofs.expressions import descends
from proofs_check.verdict import Verdict
from theory.theorems.dc_asgd_bounded import dc_asgd_bounded

L, steepest, late, extra = (symbol(name) for name in ("L", "lipschitz", "tau", "compensation"))
LONGEST = steepest / (1 - GAMMA * extra * late)


def prove_dc_asgd_bounded(longest: Any = LONGEST) -> Verdict:
    """Directions of updates are at most ``longest`` = U long: a gradient, and c times a move of at
    most gamma tau U.

    <grad f, h> >= (g2 - ||grad f - h||^2)/2 for the mean direction h, which is off by at most
    (L + c) gamma tau U. gamma = 1/(2 c tau (1 + v)) leaves half of the denominator.
    """
    g2, h2, v = sp.symbols("g2 h2 v", nonnegative=True)
    lam, g, decay = sp.symbols("lambda_0 g m", positive=True)
    off = (L + extra) * GAMMA * late * longest
    change = -GAMMA / 2 * (g2 + h2 - off**2) + GAMMA**2 * L / 2 * longest**2
    floor = GAMMA * L * longest**2 + GAMMA**2 * (L + extra) ** 2 * late**2 * longest**2
    slack = sp.simplify(-GAMMA / 2 * g2 + GAMMA / 2 * floor - change)
    left = (1 - GAMMA * extra * late).subs(GAMMA, 1 / (2 * extra * late * (1 + v)))
    compensated = lam / sp.sqrt((1 - decay) * g**2) * g**2
    return settled(
        "dc_asgd_bounded",
        f"directions are at most {longest} long, so the rate of SGD up to (L + c)^2 tau^2",
        "derived; setting of Zheng et al. 2017, arXiv:1609.08326",
        equality("the adaptive term", sp.simplify(compensated), lam * g / sp.sqrt(1 - decay)),
        equality("no direction is longer", steepest + extra * GAMMA * late * longest, longest),
        nonnegative(
            "half is left", sp.simplify((left - sp.Rational(1, 2)) * 2 * (1 + v)), v
        ),
        nonnegative("one step descends, however stale", slack, h2, GAMMA),
        descends(dc_asgd_bounded, 2, floor),
    )  # fmt: skip


PROOFS = (prove_dc_asgd_bounded,)
