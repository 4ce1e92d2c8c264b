"""Derivations: EF21, and under Polyak-Lojasiewicz."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.proofs.expressions import computes, limit_of
from proofs_check.proofs.tracked import HALF, SHARE, WEIGHT, contracts, descends, limit_at_example
from proofs_check.verdict import Verdict
from theory.theorems.ef21 import ef21
from theory.theorems.ef21_pl import ef21_pl

L, gap, G0, delta, Lt, pl = (
    symbol(name) for name in ("L", "initial_gap", "initial_memory", "delta", "L_rms", "pl")
)
THETA = 1 - sp.sqrt(1 - delta)
BETA = (1 - delta) / THETA
p = symbol("participation")
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


PROOFS = (prove_ef21, prove_ef21_pl)
