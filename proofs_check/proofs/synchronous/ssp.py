r"""SSP: the regret of views that lack or lead by at most s clocks of every other worker."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import TIME, evaluates, symbol
from proofs_check.verdict import Verdict
from theory.theorems.ssp import ssp

scale, length, D, n = sp.symbols("scale l D n", positive=True)
s = sp.symbols("s", nonnegative=True)
AMOUNT = D**2 / (2 * scale) + 4 * (s + 1) * n * scale * length**2


def windows(lead: int) -> int:
    """Clocks of one other worker that an update is missing at or early at, at most.

    At clock c a worker is sure of others' clocks up to c - lead - 1 and may see up to c + lead - 1;
    in clock order the updates of clock c itself come before it or after, whoever is first.
    """
    first = 5 * lead
    clocks = range(first - 4 * lead - 1, first + 4 * lead + 2)
    missing = sum(c >= first >= c - lead for c in clocks)
    early = sum(c < first <= c + lead - 1 for c in clocks)
    return missing + early


def root_sum() -> DerivationStep:
    """1/sqrt(1) + ... + 1/sqrt(T) <= 2 sqrt(T), as each term is at most a difference of roots."""
    root, before = sp.symbols("root before", positive=True)  # sqrt(t), sqrt(t - 1)
    one = root**2 - before**2
    room = 2 * (root - before) - one / root
    return equality("1/sqrt(t) <= 2 (sqrt(t) - sqrt(t - 1))", room, (root - before) ** 2 / root)


def prove(claimed: Any = AMOUNT, late: Any = (2 * s + 1) * (n - 1)) -> Verdict:
    r"""(1/T) sum f_t(view_t) - f_t(x*) <= ``claimed`` / sqrt(T) for gamma_t = scale/sqrt(t + 1).

    With x_{t+1} = x_t - gamma_t g_t and D_t = ||x_t - x*||^2/2, <view_t - x*, g_t> is
    (D_t - D_{t+1})/gamma_t + gamma_t ||g_t||^2/2 + <view_t - x_t, g_t>. The first telescopes below
    D^2/(2 gamma_T). Updates missing from a view are charged to themselves, early ones to the view,
    whose stepsize is larger: ``late`` l^2 sum gamma_t in all.
    """
    w = sp.symbols("w", nonnegative=True)
    sums = 2 * scale  # of gamma_t, over sqrt(T)
    total = D**2 / (2 * scale) + sums * length**2 / 2 + late * sums * length**2
    paper = (D / sp.sqrt(2)) / (length * sp.sqrt(2 * (s + 1) * n))
    theirs = 4 * D / sp.sqrt(2) * length * sp.sqrt(2 * (s + 1) * n)
    at_paper = sp.simplify(AMOUNT.subs(scale, paper) / theirs)
    room = sp.expand((claimed - total).subs(n, 1 + w))
    return settled(
        "ssp",
        f"average regret <= ({claimed})/sqrt(T)",
        "Ho et al. 2013, NIPS, Theorem 1",
        root_sum(),
        truth("2 s + 1 views of each other", all(windows(k) <= 2 * k + 1 for k in range(6))),
        nonnegative("the three sums fit", room, s, w, scale, length, D),
        equality("three quarters of the paper's at its stepsize", at_paper, sp.Rational(3, 4)),
        equality(
            "the best one is that over sqrt(2)",
            sp.diff(AMOUNT, scale).subs(scale, paper / sp.sqrt(2)),
            0,
        ),
        evaluates(ssp, claimed.subs({s: symbol("lead"), D: symbol("diameter")}) / sp.sqrt(TIME)),
    )
