"""Delays without a bound: what was missed, in the mean square."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.asynchronous.asynchronous_moments import missed
from proofs_check.proofs.derivation import equality, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.verdict import Verdict
from theory.theorems.unbounded_delays import unbounded_delays

COVERS = ("asp",)
gap, L, sigma2, G2, omega, tau = (
    symbol(name) for name in ("initial_gap", "L_max", "sigma2", "G2", "omega", "tau_rms")
)
MISSED = (1 + omega) * tau**2 * G2


def prove(missing: Any = MISSED) -> Verdict:
    """z = x: gradients are taken within ``missing`` gamma^2 of it in the mean square.

    tau_t messages of second moment (1 + omega) G^2 are missed, tau_t given; the bound is that of
    perturbed iterates with one message an update.
    """
    late = sp.Symbol("tau_t", nonnegative=True)
    p, q = sp.Rational(1, 4), sp.Rational(3, 4)  # a law of two delays, its mean square
    two = p * (1 + omega) * G2 * late**2 + q * (1 + omega) * G2 * (3 * late) ** 2
    square = p * late**2 + q * (3 * late) ** 2
    bound = 4 * gap / (GAMMA * TIME) + 2 * GAMMA * L * (sigma2 + omega * G2)
    return settled(
        "unbounded_delays",
        f"what was missed is at most gamma^2 {missing}, so O(1/sqrt(T)) with its constants",
        "derived; setting of Zhang, Liu, Zhu 2018, arXiv:1805.09470",
        missed(3),
        equality("delays at random", sp.expand(two), sp.expand(missing.subs(tau, sp.sqrt(square)))),
        computes(unbounded_delays, bound + 4 * GAMMA**2 * L**2 * missing),
    )
