"""Rounding to a grid at random: unbiased, with variance (hi - x)(x - lo)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.verdict import Verdict

COVERS = ("low-precision-sgd", "qsgd", "stochastic-binary")

x, lo, hi = sp.symbols("x lo hi", real=True)
UP = (x - lo) / (hi - lo)
VARIANCE = (hi - x) * (x - lo)


def prove(claimed: Any = VARIANCE, up: Any = UP) -> Verdict:
    """With probability ``up`` to hi, else to lo: the mean is x, the variance ``claimed``."""
    mean = up * hi + (1 - up) * lo
    variance = up * (hi - x) ** 2 + (1 - up) * (lo - x) ** 2
    below, above = sp.symbols("below above", nonnegative=True)
    quarter = (((hi - lo) / 2) ** 2 - VARIANCE).subs({lo: x - below, hi: x + above})
    return settled(
        "grid rounding",
        f"unbiased, variance {claimed}, at most a quarter of the squared cell",
        "Alistarh et al. 2017, arXiv:1610.02132, Lemma 3.1; Wen et al. 2017, arXiv:1705.07878",
        equality("the mean is x", mean, x),
        equality("the variance", variance, claimed),
        equality("a quarter of the squared cell by a square", quarter, (above - below) ** 2 / 4),
        nonnegative("up is a probability", UP.subs({lo: x - below, hi: x + above}), below, above),
    )
