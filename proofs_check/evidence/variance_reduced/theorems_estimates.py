"""MARINA, DASHA, Rand-DIANA: derivations, and settings of runs under bounds."""

from __future__ import annotations

from typing import Any

import sympy as sp

from algorithms.compressors.rand_k import RandK
from algorithms.methods.variance_reduced.dasha import Dasha
from algorithms.methods.variance_reduced.marina import Marina
from algorithms.methods.variance_reduced.rand_diana import RandDiana
from algorithms.problems.base import Problem
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import NONCONVEX, UNEQUAL, entry
from proofs_check.evidence.error_feedback.theorems import CURVATURES, curvatures, root_mean_square
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates
from proofs_check.proofs.expressions import computes, constants, limit_of
from proofs_check.proofs.tracked import (
    HALF,
    SHARE,
    contracts,
    descends,
    error,
    limit_at_example,
    move2,
)
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize
from theory.theorems.dasha import dasha
from theory.theorems.marina import marina
from theory.theorems.marina_pl import marina_pl
from theory.theorems.rand_diana import rand_diana

L, gap, Lt, pl, omega, n, p = sp.symbols("L initial_gap L_rms pl omega n refresh", positive=True)
Lm, mu, R2, star = sp.symbols("L_max mu R2 zeta2_star", positive=True)
MARINA_BOUND = 2 * gap / (GAMMA * TIME)
MARINA_PL_BOUND = (1 - GAMMA * pl) ** TIME * gap
MARINA_RATIO = (1 - p) * omega / (p * n)


def coin(share: Any, drift: Any) -> DerivationStep:
    """Heads leave no error; tails that of before and omega/n^2 of the n squared differences, whose
    mean is at most L_rms^2 ||move||^2."""
    tails = error + omega / n**2 * (n * Lt**2 * move2)
    return equality("heads or tails", p * 0 + (1 - p) * tails, (1 - share) * error + drift * move2)


def prove_marina(claimed: Any = MARINA_BOUND, ratio: Any = MARINA_RATIO) -> Verdict:
    """avg ||grad f(x_t)||^2 <= ``claimed`` for gamma <= 1/(L + L_rms sqrt(``ratio``))."""
    return settled(
        "marina",
        f"average squared gradient <= {claimed}",
        "Gorbunov, Burlachenko, Li, Richtarik 2021, arXiv:2102.07845, Theorem 2.1",
        coin(marina.share(constants()), ratio * p * Lt**2),
        descends(),
        equality("the limit", limit_of(marina), 1 / (L + Lt * sp.sqrt(ratio))),
        equality("sum of T steps", gap / (GAMMA / 2) / TIME, claimed),
        computes(marina, claimed),
    )


def prove_marina_pl(claimed: Any = MARINA_PL_BOUND, limit: Any = HALF) -> Verdict:
    """Psi = f - f* + gamma/p ||g - grad f||^2 falls by 1 - gamma pl where gamma pl <= p/2."""
    fast = 1 / (L + Lt * sp.sqrt(MARINA_RATIO / limit))
    return settled(
        "marina_pl",
        f"f(x_T) - f* <= {claimed}",
        "Gorbunov, Burlachenko, Li, Richtarik 2021, arXiv:2102.07845, Theorem 2.2",
        coin(p, MARINA_RATIO * p * Lt**2),
        *contracts(pl, limit),
        equality("T factors", MARINA_PL_BOUND, claimed),
        limit_at_example(marina_pl, fast, p / (2 * pl)),
        evaluates(marina_pl, claimed),
    )


def prove_dasha(claimed: Any = MARINA_BOUND, ratio: Any = None, pull: Any = None) -> Verdict:
    r"""avg ||grad f(x_t)||^2 <= ``claimed`` for gamma <= 1/(L + L_rms sqrt(``ratio``)).

    P = (1/n) sum ||g_i - h_i||^2, S = ||g - grad f||^2, m = L_rms^2 ||move||^2, a = ``pull``. Of
    one worker g_i^+ - h_i^+ = (1 - a) e + Q(u) - u with e = g_i - h_i, u = dh - a e; so E||.||^2 is
    at most (1 - a)^2 e^2 + omega u^2, and u^2 <= 2 dh^2 + 2 a^2 e^2.
    """
    a = 1 / (2 * omega + 1) if pull is None else pull
    wanted = 4 * omega * (2 * omega + 1) / n if ratio is None else ratio
    P, S, m = sp.symbols("P S m", nonnegative=True)
    one, two = sp.symbols("dh ae", real=True)
    own = (1 - a) ** 2 * P + omega * (2 * m + 2 * a**2 * P)
    mean = (1 - a) ** 2 * S + omega / n * (2 * m + 2 * a**2 * P)
    fall = (S / a + 2 * omega / n * P) - (mean / a + 2 * omega / n * own)
    kept = sp.simplify(fall - S + wanted * m)
    return settled(
        "dasha",
        f"average squared gradient <= {claimed}",
        "Tyurin, Richtarik 2022, arXiv:2202.01268; constant derived",
        equality("||u||^2 <= 2 dh^2 + 2 a^2 e^2 by a square",
                 2 * one**2 + 2 * two**2 - (one - two) ** 2, (one + two) ** 2),
        equality("a keeps 1 - a of P", sp.simplify((1 - a) ** 2 + 2 * a**2 * omega), 1 - a),
        nonnegative("S/a + 2 omega/n P falls by S", kept, P, S, m, omega, n),
        descends(GAMMA / 2 / SHARE),
        equality("the limit", limit_of(dasha), 1 / (L + Lt * sp.sqrt(wanted))),
        equality("sum of T steps", gap / (GAMMA / 2) / TIME, claimed),
        computes(dasha, claimed),
    )  # fmt: skip


# Derivations: shifts that are renewed at random, strongly convex.

WEIGHT = 4 * GAMMA**2 * omega / (n * p)
RAND_DIANA_BOUND = (1 - sp.Min(GAMMA * mu, p / 2)) ** TIME * (R2 + WEIGHT * star)


def prove_rand_diana(
    claimed: Any = RAND_DIANA_BOUND, weight: Any = WEIGHT, share: Any = 6
) -> Verdict:
    r"""d + ``weight`` H falls by max(1 - gamma mu, 1 - p/2), gamma <= 1/(L + ``share`` omega Lm/n).

    d = ||x - x*||^2, H = (1/n) sum ||h_i - grad f_i(x*)||^2, I = <grad f(x), x - x*> >= mu d;
    co-coercivity: ||grad f||^2 <= L I, (1/n) sum ||grad f_i(x) - grad f_i(x*)||^2 <= Lm I.
    """
    inner, H, d2, v = sp.symbols("I H d2 v", nonnegative=True)
    g, h, at = sp.symbols("g h h_star", real=True)
    moment = L * inner + omega / n * (2 * Lm * inner + 2 * H)
    after = d2 - 2 * GAMMA * inner + GAMMA**2 * moment
    after += weight * ((1 - p) * H + p * Lm * inner)
    kept = d2 - GAMMA * inner + weight * (1 - p / 2) * H
    limit = 1 / (L + share * omega * Lm / n)
    slack = sp.simplify((kept - after).subs(GAMMA, limit / (1 + v)))
    young = 2 * (g - at) ** 2 + 2 * (h - at) ** 2 - (g - h) ** 2
    return settled(
        "rand_diana",
        f"||x_T - x*||^2 <= {claimed}",
        "Shulgin, Richtarik 2022, arXiv:2206.10452; constants derived",
        equality("||a - b||^2 <= 2||a||^2 + 2||b||^2 by a square", young, (g + h - 2 * at) ** 2),
        equality("H of the start, h = 0", ((h - at) ** 2).subs(h, 0), at**2),
        nonnegative("the Lyapunov function falls", slack, v, inner, H, L, Lm, omega, n, p),
        equality("the limit", limit_of(rand_diana), 1 / (L + share * omega * Lm / n)),
        evaluates(rand_diana, claimed),
        evaluates(rand_diana, claimed, refresh=0.25),
    )


# Settings for the theorems on compressed differences of gradients: BOUND_CHECKS.


def _of_two(step: Stepsize, _problem: Problem, _horizon: int) -> Marina:
    return Marina(step, RandK(0.25), participants=2)


BOUND_CHECKS = (
    BoundCheck(
        "rand-diana", CURVATURES, rand_diana, curvatures,
        lambda step, _p, _t: RandDiana(step, RandK(0.25)), 600,
    ),
    BoundCheck(
        "dasha", CURVATURES, dasha, curvatures,
        lambda step, _p, _t: Dasha(step, RandK(0.5)), 1000, root_mean_square,
    ),
    BoundCheck(
        "dasha", NONCONVEX, dasha, entry(NONCONVEX),
        lambda step, _p, _t: Dasha(step, RandK(0.5)), 300,
    ),
    BoundCheck(
        "marina", CURVATURES, marina, curvatures,
        lambda step, _p, _t: Marina(step, RandK(0.25)), 1000, root_mean_square,
    ),
    BoundCheck(
        "marina", CURVATURES, marina_pl, curvatures,
        lambda step, _p, _t: Marina(step, RandK(0.25)), 1000, root_mean_square,
    ),
    BoundCheck(
        "marina", f"{CURVATURES}, two take part", marina, curvatures, _of_two, 1000,
        root_mean_square,
    ),
    BoundCheck(
        "marina", f"{CURVATURES}, two take part", marina_pl, curvatures, _of_two, 1000,
        root_mean_square,
    ),
    BoundCheck(
        "marina", NONCONVEX, marina, entry(NONCONVEX),
        lambda step, _p, _t: Marina(step, RandK(0.25)), 300,
    ),
    *(
        BoundCheck(
            "marina", problem, marina, setting, lambda step, _p, _t: Marina(step, RandK(0.5)), 300
        )
        for problem, setting in UNEQUAL
    ),
    *(
        BoundCheck(
            "dasha", problem, dasha, setting, lambda step, _p, _t: Dasha(step, RandK(0.5)), 300
        )
        for problem, setting in UNEQUAL
    ),
)  # fmt: skip

PROOFS = (
    prove_marina,
    prove_marina_pl,
    prove_dasha,
    prove_rand_diana,
)
