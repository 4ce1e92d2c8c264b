"""Closed forms: qsgd, terngrad."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch

from algorithms.compressors.qsgd import QSGD
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.quantisation.terngrad import TernGradSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.transforms.clipping import ClipEntries
from proofs_check.evidence.auxiliary.error_feedback import virtual_iterate
from proofs_check.evidence.variance_reduced.closed_forms import (
    diana_step,
    problem,
    simulated,
    stalls,
)
from proofs_check.instruments.closed_forms import ClosedForms, same, supported
from proofs_check.instruments.erratum import Shown, demonstrates, erratum
from proofs_check.instruments.evidence import mean_value
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.instruments.under_bound import curve_under_bound
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex

# QSGD: its virtual iterate, its floor without shifts, and the survey's misprints E17 and E18.


@demonstrates(
    "E17",
    "qsgd",
    "omega = min(d/s^2, sqrt(d)/s) = 1/4 at d = 100, s = 20; printed min(d/s, sqrt(d)/s) "
    "is sqrt(d)/s always",
)
def e17() -> Shown:
    """QSGD's variance: min(d/s^2, sqrt(d)/s), d the dimension."""
    d, s = 100, 20
    correct, printed = min(d / s**2, math.sqrt(d) / s), min(d / s, math.sqrt(d) / s)
    claimed = max(getattr(claim, "omega", 0.0) for claim in QSGD(s).claims(d))
    return (claimed, correct), (printed, correct)


def e18() -> tuple[Verdict, ...]:
    """The noise of QSGD is (1 + omega) B: fine levels leave the gradient's own variance."""
    d, s, seed, replicas = 100, 1000, 52, 20_000
    a = torch.ones((1, d), dtype=torch.float64)
    problem = Quadratic.from_arrays(a, torch.zeros_like(a), sigma2=float(d))
    method = BSP(ConstantStep(1.0), QSGD(s))
    trace = run(method, problem, steps=1, seed=seed, replicas=replicas, points=2)
    omega = min(d / s**2, math.sqrt(d) / s)
    fine = compressed_bsp_nonconvex.floors(
        Constants(n=1, L=1.0, sigma2=1.0, zeta2=0.0, omega=omega), 1.0
    )
    return (
        erratum(
            "E18",
            "qsgd",
            "the bound's floor over gamma L B at d = 100, s = 1000: 1 + omega",
            (fine[0], 1 + omega),
            (omega, 1 + omega),
        ),
        mean_value(
            "qsgd",
            "E||C(g)||^2 / B = 1 + (at most omega = 1e-4) at the minimum, d = 100, s = 1000",
            trace.model.square().sum(-1).numpy() / d,
            1.0,
            check="noise of fine levels",
            problem=problem.name,
            provenance=f"seed {seed}, {replicas} replicas",
            note=f"as printed the noise would be {min(d / s**2, math.sqrt(d) / s):g} B",
        ),
    )


def floor_of_plain_compression() -> Verdict:
    """The floor is at most 2 gamma omega zeta*^2 / (n mu)."""
    gamma = diana_step()
    method = BSP(ConstantStep(gamma), QSGD(2))
    c = method.constants(problem())
    bound = 2 * gamma * c.need("omega") * c.need("zeta2") / (c.need("n") * c.need("mu"))
    trace = simulated(lambda step: BSP(step, QSGD(2)), gamma, 4000)
    y = trace.squared_distance[:, -8:]
    return curve_under_bound(
        y, np.full(y.shape[1], bound), TEST_ERROR, subject="qsgd",
        problem="quadratic, no noise, heterogeneous", floor=1e-13,
        claim="E||x - x*||^2 ends below 2 gamma omega zeta*^2/(n mu)",
        provenance=f"derived (reference, CGD); gamma {gamma:.4g}, 4000 steps",
    )  # fmt: skip


def qsgd() -> tuple[Verdict, ...]:
    """With error feedback nothing is lost; without shifts it stalls, and where."""
    plain = "QSGD(s=2) without shifts"
    return (
        virtual_iterate("qsgd", ErrorFeedback(), QSGD(4)),
        stalls("qsgd", lambda step: BSP(step, QSGD(2)), diana_step(), 3000, plain),
        floor_of_plain_compression(),
    )


# TernGrad: clipping is biased, and localising parameters changes no iterate.


terngrad = ClosedForms("terngrad")
"""Closed forms of terngrad."""


@terngrad.case(
    "bias of clipping", "400 entries, seed 2, c = 2.5; deterministic", on="cubed gaussian gradient"
)
def clipping_is_biased() -> Verdict:
    """Bias of clipping a heavy-tailed gradient at 2.5 sigma: its mean is off."""
    draws = Key.seed(2).fold("clip").draws(torch.arange(1), torch.arange(1))
    x = draws.normal(400, torch.float64)
    x = x.sign() * x.abs() ** 3
    clipped = ClipEntries(2.5).apply(x, 1)
    off = float((clipped - x).norm() / x.norm())
    return supported(
        "clipped TernGrad is biased: ||E C(x) - x|| / ||x|| > 0.1", off > 0.1, off, 0.1,
        f"relative bias {off:.3g}: ternaries are unbiased for the clipped gradient only",
        resolution=0.0,
    )  # fmt: skip


@terngrad.case("localisation", "30 steps")
def parts_of_terngrad(
    localised: Callable[..., TernGradSGD] = TernGradSGD,
) -> Verdict:
    """Parameter localisation changes what crosses, not the iterates."""
    problem = Quadratic.strongly_convex(4, 20, zeta2=1.0)
    step = ConstantStep(0.05)
    ends = [
        run(method, problem, steps=30, points=2).model
        for method in (localised(step), TernGradSGD(step, localise=False))
    ]
    return same(
        "with and without parameter localisation the iterates are the same", ends[0], ends[1],
        on=problem,
    )  # fmt: skip


CLOSED_FORMS = (qsgd, e18)

DEMONSTRATIONS = (("E18", e18),)

COVERS = {"e18": ("qsgd",)}
