"""Derivations: delay oscillation, delay threshold, unbounded delays."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.evidence.asynchronous.proofs import G2, missed, sigma2
from proofs_check.proofs.derivation import DerivationStep, equality, settled, truth
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.proofs.norms import triangle
from proofs_check.verdict import Verdict
from theory.theorems.unbounded_delays import unbounded_delays

# Gradient descent with a constant delay on a quadratic: the largest stepsize with real roots.


delay_oscillation_tau = sp.symbols("tau", integer=True, positive=True)
LARGEST = delay_oscillation_tau**delay_oscillation_tau / (delay_oscillation_tau + 1) ** (
    delay_oscillation_tau + 1
)


def real_roots(delay: int, h: Any) -> int:
    """Positive roots of z^{delay+1} - z^delay + h, with multiplicity (Sturm, exactly)."""
    z = sp.symbols("z")
    polynomial = sp.Poly(z ** (delay + 1) - z**delay + h, z)
    return sum(1 for root in sp.real_roots(polynomial) if root > 0)


def prove_delay_oscillation(claimed: Any = LARGEST) -> Verdict:
    r"""x+ = x - h x_{t-tau} does not oscillate iff h <= ``claimed``.

    h = z^tau (1 - z) rises from 0 to its only maximum on (0, 1) and falls to 0: two positive real
    roots up to it and none beyond, where the leading pair is complex.
    """
    z = sp.symbols("z", positive=True)
    curve = z**delay_oscillation_tau * (1 - z)
    top = delay_oscillation_tau / (delay_oscillation_tau + 1)
    counts = []
    for delay in (1, 2, 5):
        value = sp.sympify(claimed).subs(delay_oscillation_tau, delay)
        below, above = (value * (1 + s * sp.Rational(1, 1000)) for s in (-1, 1))
        counts.append((real_roots(delay, below), real_roots(delay, above)) == (2, 0))
    return settled(
        "delay oscillation",
        f"no oscillation iff gamma a <= {claimed}",
        "derived; characteristic polynomial of delayed gradient descent",
        equality("the maximum is at tau/(tau + 1)", sp.diff(curve, z).subs(z, top), 0),
        equality("and is", curve.subs(z, top), claimed),
        truth("two roots below it, none above, tau = 1, 2, 5", all(counts)),
    )


# Gradient descent with a constant delay on a quadratic: the largest stable stepsize.


delay_threshold_tau = sp.symbols("tau", integer=True, nonnegative=True)
THRESHOLD = 2 * sp.sin(sp.pi / (2 * (2 * delay_threshold_tau + 1)))


def crossing(claimed: Any) -> tuple[DerivationStep, ...]:
    """z^{tau+1} - z^tau + h has the root exp(i pi/(2 tau + 1)) at h = ``claimed``."""
    theta = sp.pi / (2 * delay_threshold_tau + 1)
    # h = z^tau (1 - z) = 2 sin(theta/2) exp(i (theta (tau + 1/2) - pi/2))
    angle = sp.symbols("angle", real=True)
    half = sp.exp(sp.I * angle / 2)
    factor = half * (-2 * sp.I * sp.sin(angle / 2))
    phase = sp.simplify(theta * (delay_threshold_tau + sp.Rational(1, 2)) - sp.pi / 2)
    return (
        equality(
            "1 - z = -2i sin(theta/2) exp(i theta/2)",
            (1 - half**2 - factor.rewrite(sp.exp)).expand(),
            0,
        ),
        equality("z^tau (1 - z) is real and positive there", phase, 0),
        equality("its modulus", 2 * sp.sin(theta / 2), claimed),
    )


def stable_below(claimed: Any, delay: int) -> DerivationStep:
    """All roots lie inside the unit circle just below the claim and not all just above, exactly.

    Jury's criterion in rationals (Bistritz), at h within 1e-6 of the claim.
    """
    value = sp.nsimplify(sp.N(claimed.subs(delay_threshold_tau, delay), 40), rational=True)
    small = sp.Rational(1, 10**6)
    below = inside(delay, value * (1 - small))
    above = inside(delay, value * (1 + small))
    return truth(f"stable below and not above, tau = {delay}", below and not above)


def inside(delay: int, h: Any) -> bool:
    """Whether all roots of z^{delay+1} - z^delay + h are in the open unit disc (Schur-Cohn)."""
    row = [sp.Integer(0)] * (delay + 2)
    row[0], row[1] = sp.Integer(1), sp.Integer(-1)
    row[-1] += h
    while len(row) > 1:
        ratio = row[-1] / row[0]
        if abs(ratio) >= 1:
            return False
        row = [x - ratio * y for x, y in zip(row[:-1], row[:0:-1], strict=True)]
    return True


def prove_delay_threshold(claimed: Any = THRESHOLD) -> Verdict:
    r"""x+ = x - gamma a x_{t-tau} is stable iff 0 < gamma a < ``claimed``.

    On the unit circle h = z^tau (1 - z) is real and positive only at theta = (4m + 1) pi/(2 tau+1),
    where h = 2 sin(theta/2) grows with theta in (0, pi]: the first crossing is m = 0. For small h
    the roots are near 0 and near 1 - h, so they are inside until then.
    """
    z, h = sp.symbols("z h")
    drift = -1 / sp.diff(z - 1 + h * z**-delay_threshold_tau, z).subs({h: 0, z: 1})
    return settled(
        "delay threshold",
        f"stable iff 0 < gamma a < {claimed}",
        "derived; characteristic polynomial of delayed gradient descent",
        equality("the root at 1 moves inside as h grows from 0", drift, -1),
        *crossing(claimed),
        *(stable_below(claimed, delay) for delay in (0, 1, 2, 5, 10)),
    )


# Delays without a bound: what was missed, in the mean square.


unbounded_delays_gap, UNBOUNDED_DELAYS_L, omega, unbounded_delays_tau = (
    symbol(name) for name in ("initial_gap", "L_max", "omega", "tau_rms")
)
MISSED = (1 + omega) * unbounded_delays_tau**2 * G2


def prove_unbounded_delays(missing: Any = MISSED) -> Verdict:
    """z = x: gradients are taken within ``missing`` gamma^2 of it in the mean square.

    tau_t messages of second moment (1 + omega) G^2 are missed, tau_t given: their sum is at most
    tau_t times as long, and the mean is over any law of tau_t, here of three values. The bound is
    that of perturbed iterates with one message an update.
    """
    late = sp.symbols("tau_0:3", nonnegative=True)
    law = sp.symbols("p_0:3", nonnegative=True)
    two = sum(p * (1 + omega) * G2 * t**2 for p, t in zip(law, late, strict=True))
    square = sum(p * t**2 for p, t in zip(law, late, strict=True))
    bound = 2 * unbounded_delays_gap / (GAMMA * TIME) + GAMMA * UNBOUNDED_DELAYS_L * (
        sigma2 + omega * G2
    )
    return settled(
        "unbounded_delays",
        f"what was missed is at most gamma^2 {missing}, so O(1/sqrt(T)) with its constants",
        "derived; setting of Zhang, Liu, Zhu 2018, arXiv:1805.09470",
        missed(3),
        *triangle(),
        equality(
            "delays at random",
            sp.expand(two),
            sp.expand(missing.subs(unbounded_delays_tau, sp.sqrt(square))),
        ),
        computes(unbounded_delays, bound + GAMMA**2 * UNBOUNDED_DELAYS_L**2 * missing),
    )


PROOFS = (prove_delay_oscillation, prove_delay_threshold, prove_unbounded_delays)

COVERS = {"prove_delay_oscillation": ("asp",), "prove_delay_threshold": ("asp", "dc-asgd")}
