"""Derivations: compressed differences of gradients."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
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
from theory.theorems.dasha import dasha
from theory.theorems.marina import marina
from theory.theorems.marina_pl import marina_pl

L, gap, Lt, pl, omega, n, p = (
    symbol(name) for name in ("L", "initial_gap", "L_rms", "pl", "omega", "n", "refresh")
)
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


PROOFS = (prove_marina, prove_marina_pl, prove_dasha)
