"""Rennala and Malenia: steps by batches of the current model, counted by arrivals."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes, limit_of
from proofs_check.proofs.lagrange import sums_of_squares
from proofs_check.verdict import Verdict
from theory.theorems.collected import Collected
from theory.theorems.malenia_arrivals import malenia_arrivals
from theory.theorems.rennala_arrivals import rennala_arrivals

L, sigma2, S, C, gap = (
    symbol(name) for name in ("L", "sigma2", "collected", "held", "initial_gap")
)
MODELS = 1 + TIME / S
"""Models that T arrivals see, at most."""

n = sp.Symbol("n", positive=True)


def _bound(models: Any) -> Any:
    return C / TIME * (2 * gap / GAMMA + models * GAMMA * L * sigma2 / S)


def _steps(theorem: Collected, models: Any) -> tuple[DerivationStep, ...]:
    """A step of gamma = 1/(L (1 + v)) from x_k along a mean with noise of sigma2/S at most; K of
    them; each model is seen C times at most, and all but the last S times at least."""
    v, g2, K = sp.symbols("v g2 K", nonnegative=True)
    change = -GAMMA * g2 + L * GAMMA**2 / 2 * (g2 + sigma2 / S)
    kept = -GAMMA * g2 / 2 + L * GAMMA**2 / 2 * sigma2 / S
    total = sp.solve(sp.Eq(-gap, -GAMMA / 2 * g2 + K * L * GAMMA**2 / 2 * sigma2 / S), g2)[0]
    return (
        nonnegative(
            "one step descends for gamma <= 1/L",
            sp.simplify((kept - change).subs(GAMMA, 1 / (L * (1 + v)))), v, g2, L,
        ),
        equality("the limit", limit_of(theorem), 1 / L),
        equality("the models before the last", S * (MODELS - 1), TIME),
        equality("C times the sum of K steps", C / TIME * total.subs(K, models), _bound(MODELS)),
        computes(theorem, sp.expand(_bound(models))),
    )  # fmt: skip


def prove_rennala_arrivals(models: Any = MODELS, older: Any = n - 1) -> Verdict:
    """T arrivals see ``models``; a model is kept for S and ``older`` gradients: n workers hold
    older models but for the one whose gradient made the step."""
    return settled(
        "rennala_arrivals",
        f"average squared gradient <= {_bound(models)}",
        "derived; Tyurin, Richtarik 2023, arXiv:2305.12387, by Bottou et al. 2018, Theorem 4.8",
        equality("arrivals that a model is kept for", S + older, S + n - 1),
        *_steps(rennala_arrivals, models),
    )


def prove_malenia_arrivals(models: Any = MODELS, share: Any = S / n) -> Verdict:
    """The buffer is full where each worker's count is ``share``: sum 1/c_i = n/share, at most
    n^2/S; then sum c_i >= S, as sum c_i sum 1/c_i is at least n^2 (here of two workers)."""
    p, q = sp.symbols("c_1 c_2", positive=True)
    product = (p + q) * (1 / p + 1 / q) - 4
    return settled(
        "malenia_arrivals",
        f"average squared gradient <= {_bound(models)}",
        "derived; Tyurin, Richtarik 2023, arXiv:2305.12387, by Bottou et al. 2018, Theorem 4.8",
        equality("the counts of a full buffer", n / share, n**2 / S),
        equality("counts and their reciprocals", product, (p - q) ** 2 / (p * q)),
        sums_of_squares(3),
        *_steps(malenia_arrivals, models),
    )


PROOFS = (prove_rennala_arrivals, prove_malenia_arrivals)
