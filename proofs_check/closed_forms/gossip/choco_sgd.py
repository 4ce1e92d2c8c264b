"""CHOCO-SGD: its bits, and the second terms of its bounds (errata E21 and E22)."""

from __future__ import annotations

import math

import numpy as np

from algorithms.compressors.fixed_point import FixedPoint
from algorithms.methods.gossip.choco import ChocoSGD
from proofs_check.closed_forms.erratum import erratum
from proofs_check.closed_forms.gossip.gossip_bits import bits_of_gossip
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorems.choco_sgd_nonconvex import choco_sgd_nonconvex
from theory.theorems.choco_sgd_strongly_convex import choco_sgd_strongly_convex


def e21() -> tuple[Verdict, ...]:
    """CHOCO-SGD, strongly convex: the second term is squared."""
    T, gap, delta = 1e4, 0.1, 0.1
    c = Constants(n=1, sigma2=0.0, G2=1.0, R2=0.0, L_max=1.0, mu_min=1.0)
    c = c.state(lam=1 - gap, beta=1.0, delta=delta)
    step, late = choco_sgd_strongly_convex.stepsize(c, 1), np.array([1e19, 1e20])
    bound = choco_sgd_strongly_convex.bound(c, step, late)
    return (
        erratum(
            "E21",
            "choco-sgd",
            "without noise the bound falls as T^-2, not T^-1",
            (math.log10(bound[1] / bound[0]), -2.0),
            (1 / (T * gap**2 * delta), 1 / (T * gap**2 * delta) ** 2),
            "at T = 1e4, gap = delta = 0.1 the squared term is 0.01, as printed 0.1",
        ),
    )


def e22() -> tuple[Verdict, ...]:
    """CHOCO-SGD, non-convex: the second term grows with n."""
    n, T, gap, delta = 16, 1e6, 0.1, 0.1
    c = Constants(n=1, L_max=1.0, sigma2=0.0, G2=1.0, initial_gap=0.0)
    c = c.state(lam=1 - gap, beta=1.0, delta=delta)
    one, many = (choco_sgd_nonconvex.printed(c.state(n=m), int(T)) for m in (1, n))
    return (
        erratum(
            "E22",
            "choco-sgd",
            "the term n/(gap^4 delta^2 T) is 16 at n = 16, T = 1e6, 0.1, 0.1",
            (many / one * 1 / (gap**4 * delta**2 * T), n / (gap**4 * delta**2 * T)),
            (1 / (gap**4 * delta**2 * T), n / (gap**4 * delta**2 * T)),
            "Theorem 4.1 of the paper has 24 G^2 n L / (c^2 (T+1))",
        ),
    )


def choco_sgd() -> tuple[Verdict, ...]:
    """The bits of coordinates in eight-bit fixed point."""
    eight = FixedPoint(fraction=4, width=8)
    return (bits_of_gossip("choco-sgd", lambda on: ChocoSGD(ConstantStep(0.1), on, eight, 0.5), 8),)


CLOSED_FORMS = (choco_sgd, e21, e22)
