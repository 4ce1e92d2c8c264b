"""Delays: derivations of oscillation, threshold and unbounded delays; runs under bounds."""

from __future__ import annotations

from functools import partial
from typing import Any

import sympy as sp
import torch

from algorithms.compressors.qsgd import QSGD
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.asynchronous.hogwild import Hogwild
from algorithms.methods.parts.delay_compensation import DiagonalCompensation
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.base import Problem
from algorithms.problems.logistic import Logistic
from algorithms.problems.regularisers import BoundedNonconvex
from algorithms.synchronisation.barriers import PartialBarrier
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.compute_times import Constant, Exponential
from proofs_check.bounds.check import REPLICAS, BoundCheck, Make, nothing_more
from proofs_check.bounds.settings import (
    BALL,
    BOUNDED,
    IID,
    MILD,
    NONCONVEX,
    arriving,
    by_moments,
    entry,
    mild,
    moment_in_ball,
    one_objective,
    same_shards,
)
from proofs_check.evidence.asynchronous.proofs import G2, missed, sigma2
from proofs_check.proofs.derivation import DerivationStep, equality, settled, truth
from proofs_check.proofs.evaluated import GAMMA, TIME
from proofs_check.proofs.expressions import computes
from proofs_check.proofs.norms import triangle
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.asynchronous_moments import asynchronous_moments
from theory.theorems.asynchronous_pl import asynchronous_pl
from theory.theorems.asysg_con import AsysgCon, asysg_con
from theory.theorems.asysg_incon import asysg_incon
from theory.theorems.dc_asgd_bounded import dc_asgd_bounded
from theory.theorems.unbounded_delays import unbounded_delays

gap, L, omega, tau_rms = sp.symbols("initial_gap L_max omega tau_rms", positive=True)
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


MISSED = (1 + omega) * tau_rms**2 * G2


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
    bound = 2 * gap / (GAMMA * TIME) + GAMMA * L * (sigma2 + omega * G2)
    return settled(
        "unbounded_delays",
        f"what was missed is at most gamma^2 {missing}, so O(1/sqrt(T)) with its constants",
        "derived; setting of Zhang, Liu, Zhu 2018, arXiv:1805.09470",
        missed(3),
        *triangle(),
        equality(
            "delays at random",
            sp.expand(two),
            sp.expand(missing.subs(tau_rms, sp.sqrt(square))),
        ),
        computes(unbounded_delays, bound + GAMMA**2 * L**2 * missing),
    )


PROOFS = (prove_delay_oscillation, prove_delay_threshold, prove_unbounded_delays)

COVERS = {"prove_delay_oscillation": ("asp",), "prove_delay_threshold": ("asp", "dc-asgd")}


# Asynchronous SGD under its bound, one arrival an update and three.


def _asp(times: ComputeTimes) -> Make:
    return lambda step, _p, steps: ParameterServer(step, steps, times, replicas=REPLICAS)


_ASYNCHRONOUS = tuple(
    BoundCheck(
        "asp", f"{problem}, {times.name}", asysg_con, setting, _asp(times), 1000, states,
    )
    for problem, setting, times, states in (
        (IID, entry(IID), Constant(), nothing_more),
        (IID, entry(IID, 4), Exponential(), nothing_more),
        (NONCONVEX, lambda: same_shards(4, BOUNDED), Exponential(), one_objective),
    )
)  # fmt: skip
_BATCHED = BoundCheck(  # M = 3 gradients in every update: the barrier waits for three arrivals
    "asp", f"{IID}, M = 3", AsysgCon(M=3), entry(IID, 8),
    lambda step, _p, steps: ParameterServer(step, steps, Exponential(), PartialBarrier(3, steps)),
    1000,
)  # fmt: skip


def _hogwild(step: Stepsize, _problem: Problem, steps: int) -> Hogwild:
    return Hogwild(step, steps, Exponential(), replicas=REPLICAS)


_READS = (
    BoundCheck("hogwild", IID, asysg_incon, entry(IID), _hogwild, 1000, rated=True),
    BoundCheck(
        "hogwild", MILD, asynchronous_moments, partial(mild, 4, 0.0), _hogwild, 4000,
        moment_in_ball, BALL,
    ),
    BoundCheck(
        "hogwild", MILD, asynchronous_pl, partial(mild, 4, 0.0), _hogwild, 4000,
        moment_in_ball, BALL,
    ),
)  # fmt: skip


def _compressed(step: Stepsize, _problem: Problem, steps: int) -> ParameterServer:
    return ParameterServer(step, steps, Exponential(), compressor=_LEVELS, replicas=REPLICAS)


def _tau_rms() -> dict[str, float]:
    """The largest mean of squared delays up to a tick, over the replicas' schedules."""
    late = _compressed(ConstantStep(1.0), mild(_LATE, 0.0), _TICKS).schedule(_LATE).staleness
    squares = late.double().square().reshape(_TICKS, -1).mean(-1)
    means = squares.cumsum(0) / torch.arange(1, _TICKS + 1)
    return {"tau_rms": float(means.max().sqrt())}


_LEVELS, _LATE, _TICKS = QSGD(4), 3, 3000
_DELAYED = by_moments(
    "asp", unbounded_delays, _compressed, _TICKS, _tau_rms, n=_LATE, zeta2=0.0, rated=False
)


def _same_direction() -> Problem:
    """Three workers with the same eight samples, almost of one direction and one label: gradients
    of components at the start are little longer than their mean."""
    tilt = torch.linspace(-0.2, 0.2, 8, dtype=torch.float64)
    rows = torch.stack((torch.ones_like(tilt), tilt), dim=-1).expand(3, -1, -1)
    return Logistic(_ALIGNED, rows, BoundedNonconvex(0.01), 1, "all of it on every worker")


_ALIGNED = "logistic, samples of one direction"
_COMPENSATED = tuple(
    BoundCheck(
        "dc-asgd", f"{_ALIGNED}, {correction.name}", dc_asgd_bounded, _same_direction,
        lambda step, _p, steps, correction=correction: ParameterServer(  # type: ignore[misc]
            step, steps, Exponential(), correction=correction, replicas=REPLICAS
        ),
        2000, one_objective,
    )
    for correction in (DiagonalCompensation(0.5), DiagonalCompensation(0.2, adaptive=True))
)  # fmt: skip

_PUSHED = arriving(
    "downpour",
    lambda step, _p, steps: Downpour(
        step, steps, Constant((1.0, 1.0, 1.0, 2.0)), 4, 2, replicas=REPLICAS
    ),
    2000,
)

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    *_ASYNCHRONOUS, _BATCHED, *_READS, _DELAYED, *_COMPENSATED, _PUSHED,
)  # fmt: skip
