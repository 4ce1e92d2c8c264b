"""Error feedback since the surveys: derivations, and settings of runs under bounds."""

from __future__ import annotations

from typing import Any

import sympy as sp

from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.methods.error_feedback.econtrol import EControl
from algorithms.methods.error_feedback.ef21 import EF21
from algorithms.methods.error_feedback.ef21_p import EF21P
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import NONCONVEX, UNEQUAL, delta_of, entry, near
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates
from proofs_check.proofs.expressions import computes, limit_of
from proofs_check.proofs.tracked import HALF, SHARE, WEIGHT, contracts, descends, limit_at_example
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import error_controlled, told_downwards
from theory.stepsizes import Stepsize
from theory.theorems.ef21 import ef21
from theory.theorems.ef21_pl import ef21_pl
from theory.theorems.ef21_two_way import ef21_two_way

L, gap, G0, delta, Lt, pl = sp.symbols("L initial_gap initial_memory delta L_rms pl", positive=True)
p, r, eta, up, down, s = sp.symbols("participation r eta delta_up delta_down s", positive=True)
THETA = 1 - sp.sqrt(1 - delta)
BETA = (1 - delta) / THETA
BY_PARTICIPATION = 1 - p * delta
EF21_BOUND = 2 * gap / (GAMMA * TIME) + G0 / (THETA * TIME)
EF21_PL_BOUND = (1 - GAMMA * pl) ** TIME * (gap + GAMMA * G0 / THETA)
EF21_LIMIT = 1 / (L + Lt * sp.sqrt(BETA / THETA))


def young(theta: Any, beta: Any) -> tuple[DerivationStep, ...]:
    """(1 - delta)(1 + s) = 1 - theta and (1 - delta)(1 + 1/s) = beta at 1 + s = 1/sqrt(1 - delta);
    the square of sqrt(beta/theta) = (1 + sqrt(1 - delta))/delta - 1."""
    q = sp.Symbol("q", positive=True)  # sqrt(1 - delta)
    s = 1 / q - 1
    at = {delta: 1 - q**2}
    root = (1 + q) / (1 - q**2) - 1
    return (
        equality("Young keeps 1 - theta of G", q**2 * (1 + s), (1 - theta).subs(at)),
        equality("and adds beta", sp.simplify(q**2 * (1 + 1 / s)), sp.simplify(beta.subs(at))),
        equality("its root", sp.simplify((beta / theta).subs(at)), sp.simplify(root**2)),
    )


def absent(kept: Any) -> DerivationStep:
    """Workers that take part with probability p: C with it, nothing otherwise, a contraction."""
    return equality("partial participation is a contraction", p * (1 - delta) + (1 - p), kept)


def prove_ef21(
    claimed: Any = EF21_BOUND,
    theta: Any = THETA,
    beta: Any = BETA,
    limit: Any = 1,
    kept: Any = BY_PARTICIPATION,
) -> Verdict:
    """avg ||grad f(x_t)||^2 <= ``claimed``: f + gamma/(2 theta) G falls by gamma/2 of it; with p
    delta for delta under partial participation, of which 1 - p delta = ``kept`` is left."""
    total = (gap + WEIGHT.subs(SHARE, theta) * G0) / (GAMMA / 2) / TIME
    return settled(
        "ef21",
        f"average squared gradient <= {claimed}",
        "Richtarik, Sokolov, Fatkhullin 2021, arXiv:2106.05203, Lemma 2 and Theorem 1",
        absent(kept),
        *young(theta, beta),
        descends(limit=limit),
        equality("the limit", limit_of(ef21), EF21_LIMIT),
        equality("sum of T steps", total, claimed),
        computes(ef21, claimed),
    )


def prove_ef21_pl(claimed: Any = EF21_PL_BOUND, limit: Any = HALF) -> Verdict:
    """Psi = f - f* + gamma/theta G falls by 1 - gamma pl where gamma pl <= theta/2."""
    return settled(
        "ef21_pl",
        f"f(x_T) - f* <= {claimed}",
        "Richtarik, Sokolov, Fatkhullin 2021, arXiv:2106.05203, Theorem 2",
        *young(THETA, BETA),
        *contracts(pl, limit),
        equality("T factors", EF21_PL_BOUND, claimed),
        limit_at_example(ef21_pl, 1 / (L + Lt * sp.sqrt(BETA / THETA / limit)), THETA / (2 * pl)),
        evaluates(ef21_pl, claimed),
    )


# Derivation: virtual iterates of models told downwards, and of controlled errors.

x, e, g, h, C = sp.symbols("x e g h C", real=True)
LONGEST = 2 / (1 - r * (1 + 2 * eta))
"""Length at which EControl's wants end, by that of gradients."""


def told() -> DerivationStep:
    """w <- w + C(x - w) after a step x <- x - g: what is left of lag and step, as of a residual."""
    w = sp.Symbol("w", real=True)
    lag = (x - g) - (w + C)
    return equality("a model told downwards lacks a residual", lag, ((x - w) - g) - C)


def controlled(longest: Any) -> tuple[DerivationStep, ...]:
    """C = p - rho is sent for p = eta e + g - h, |rho| <= r |p|; p and e end at fixed points."""
    later, rho = sp.symbols("g_1 rho", real=True)
    memory = h + (eta * e + g - h) - rho
    unsent = e + g - memory
    moved = (x - memory - unsent) - (x - e)
    wanted = eta * unsent + later - memory
    held = r * longest / eta
    most = eta**2 * held + (1 + eta) * r * longest + 2
    return (
        equality("controlled errors leave plain steps", moved, -g),
        equality("what stays unsent", unsent, (1 - eta) * e + rho),
        equality("what is wanted next", wanted, later - g - eta**2 * e + (1 + eta) * rho),
        equality("errors end at", (1 - eta) * held + r * longest, held),
        equality("wants end at", most, longest),
    )


def prove_lagging_models(longest: Any = LONGEST) -> Verdict:
    """EF21-P takes gradients at models that lack a residual; EControl's errors are at most
    r ``longest``/eta."""
    return settled(
        "perturbed_iterate",
        "models told downwards and controlled errors are residuals beside plain steps",
        "derived; Gruntkowska et al. 2022, arXiv:2209.15218, Gao et al. 2023, arXiv:2311.05645",
        told(),
        *controlled(longest),
    )


COVERS = {"prove_lagging_models": ("econtrol", "ef21-p")}


# Derivation: EF21-BC, by sums of squares over all steps.

APART = (r + s) / ((1 - r) * (1 - s))
"""A, the errors of both ways over L_rms times the moves, in roots of sums of squares."""
BOUND = 2 * gap / (GAMMA * TIME)


def prove_ef21_two_way(claimed: Any = BOUND, apart: Any = APART) -> Verdict:
    """With errors of ``apart`` L_rms m: rho/(1 - rho), the fixed point of x <- rho (x + 1), is what
    rho^k sums to over k >= 1, by which a convolution is longer than what it is of (Young)."""
    g, w = sp.symbols("g w", real=True)
    A, v = sp.symbols("A v", positive=True)
    worker = r / (1 - r)
    heard = (1 + r) * (worker + 1)  # messages, over L_rms m
    server = s / (1 - s) * heard
    polarised = g**2 / 2 + w**2 / 2 - (w - g) ** 2 / 2  # <g, w>, w the step's direction
    step = 1 / ((L + A * Lt) * (1 + v))
    paid = ((1 - GAMMA * L) / (2 * GAMMA) - GAMMA * A**2 * Lt**2 / 2).subs(GAMMA, step)
    own = {r: sp.sqrt(1 - up), s: sp.sqrt(1 - down)}
    return settled(
        "ef21_two_way",
        f"average squared gradient <= {claimed} for gamma <= 1/(L + A L_rms), A = {apart}",
        "derived; Fatkhullin et al. 2021, arXiv:2110.03294, Algorithm 5",
        equality("what is left on the way up", r * (worker + 1), worker),
        equality("what is left on the way down", s * (server + heard), server),
        equality("errors of both ways", worker + server, apart),
        equality("polarisation", g * w, polarised),
        nonnegative("moves pay for errors", sp.simplify(paid), v, L, Lt, A),
        equality("the limit", limit_of(ef21_two_way), (1 / (L + apart * Lt)).subs(own)),
        equality("sum of T steps", gap / (GAMMA / 2) / TIME, claimed),
        computes(ef21_two_way, claimed),
    )


# Settings for the theorems on error feedback since the surveys: BOUND_CHECKS.

_HALF, _MOST, _ETA = TopK(0.5), TopK(0.75), 0.2

CURVATURES = "quadratic-unequal, n = 4, no noise"


def curvatures() -> Problem:
    """Four workers with Hessians and minimisers of their own."""
    return unequal(4, 20, sigma2=0.0, ratio=10.0)


def root_mean_square(problem: Problem) -> Constants:
    """L_rms of a quadratic: the root of the mean of the squared largest curvatures."""
    assert isinstance(problem, Quadratic)
    largest = problem.a.max(-1).values.double()
    return Constants().state(L_rms=float(largest.square().mean().sqrt()))


def _half_absent(step: Stepsize, _problem: Problem, _horizon: int) -> EF21:
    return EF21(step, TopK(0.25), participation=0.5)


BOUND_CHECKS = (
    BoundCheck(
        "ef21", CURVATURES, ef21, curvatures,
        lambda step, _p, _t: EF21(step, TopK(0.25)), 2000, root_mean_square,
    ),
    BoundCheck(
        "ef21", CURVATURES, ef21_pl, curvatures,
        lambda step, _p, _t: EF21(step, TopK(0.25)), 4000, root_mean_square,
    ),
    BoundCheck(
        "ef21", f"{CURVATURES}, full start", ef21_pl, curvatures,
        lambda step, _p, _t: EF21(step, RandK(0.5, scaled=False), full_start=True), 1000,
        root_mean_square,
    ),
    BoundCheck(
        "ef21-pp", CURVATURES, ef21, curvatures, _half_absent, 2000, root_mean_square,
    ),
    BoundCheck(
        "ef21-pp", CURVATURES, ef21_pl, curvatures, _half_absent, 4000, root_mean_square,
    ),
    BoundCheck("ef21-pp", NONCONVEX, ef21, entry(NONCONVEX), _half_absent, 500),
    BoundCheck(
        "ef21", NONCONVEX, ef21, entry(NONCONVEX),
        lambda step, _p, _t: EF21(step, TopK(0.5)), 500,
    ),
    *(
        BoundCheck(
            "ef21", problem, ef21, setting, lambda step, _p, _t: EF21(step, TopK(0.5)), 300
        )
        for problem, setting in UNEQUAL
    ),
    BoundCheck(
        "ef21-bc", CURVATURES, ef21_two_way, curvatures,
        lambda step, _p, _t: EF21(step, _HALF, full_start=True, downlink=_HALF), 2000,
        root_mean_square,
    ),
    BoundCheck(
        "ef21-bc", NONCONVEX, ef21_two_way, entry(NONCONVEX),
        lambda step, _p, _t: EF21(step, _MOST, full_start=True, downlink=_MOST), 500,
    ),
    near(
        "ef21-p", lambda: told_downwards(delta_of(_HALF, 4)),
        lambda step, _p, _t: EF21P(step, _HALF), 600, d=4,
    ),
    near(
        "econtrol", lambda: error_controlled(_ETA, delta_of(_MOST, 4)),
        lambda step, _p, _t: EControl(step, _MOST, _ETA), 1000, d=4,
    ),
)  # fmt: skip

PROOFS = (
    prove_ef21,
    prove_ef21_pl,
    prove_lagging_models,
    prove_ef21_two_way,
)
