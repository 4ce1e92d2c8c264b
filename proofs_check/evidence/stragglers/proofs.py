"""Ringmaster: delays below R, by the sum of asynchronous SGD with bounded delays."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.evidence.asynchronous.proofs import (
    ASYSG_CON_L,
    BOUND,
    TAU,
    M,
    T,
    asysg_con_gap,
    sigma2,
)
from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA
from proofs_check.proofs.expressions import computes
from proofs_check.verdict import Verdict
from theory.theorems.ringmaster import ringmaster

FLOOR = 2 * GAMMA * ASYSG_CON_L * sigma2
STEPS_OF = (8, 16)


def prove_ringmaster(floor: Any = FLOOR, counts: Any = STEPS_OF) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= 2 Delta/(gamma T) + ``floor`` for gamma = 1/(2 R L (1 + v)).

    R = tau + 1. The condition of the bounded-delay sum holds there and its floor is below this one;
    ``counts`` times R L Delta/eps and sigma2 L Delta/eps^2 steps make both terms eps/2 at most,
    since the reciprocal of the least of two stepsizes is at most the sum of theirs.
    """
    v, eps = sp.Symbol("v", nonnegative=True), sp.Symbol("eps", positive=True)
    R = TAU + 1
    short = {GAMMA: 1 / (2 * R * ASYSG_CON_L * (1 + v))}
    y = GAMMA * ASYSG_CON_L
    condition = (1 - y - 2 * y**2 * TAU**2).subs(short)
    start = 2 * asysg_con_gap / (GAMMA * T)
    slack = ((start + floor - BOUND.subs(M, 1)) / (y * sigma2)).subs(short)
    first, second = counts
    steps = first * R * ASYSG_CON_L * asysg_con_gap / eps
    steps += second * sigma2 * ASYSG_CON_L * asysg_con_gap / eps**2
    slowest = 2 * R * ASYSG_CON_L + 4 * ASYSG_CON_L * sigma2 / eps  # at least 1 / gamma
    return settled(
        "ringmaster",
        f"average squared gradient <= 2 Delta/(gamma T) + {floor}",
        "derived; Maranjyan et al. 2025, arXiv:2501.16168, from Lian et al. 2015, Theorem 1",
        nonnegative("the condition of bounded delays holds", sp.simplify(condition), TAU, v),
        nonnegative("its floor is no larger", sp.simplify(slack), TAU, v),
        equality(
            "half of eps from the start", sp.simplify(2 * asysg_con_gap * slowest / steps), eps / 2
        ),
        equality(
            "half of eps from noise", floor.subs(GAMMA, eps / (4 * ASYSG_CON_L * sigma2)), eps / 2
        ),
        computes(ringmaster, start + floor),
    )


PROOFS = (prove_ringmaster,)
