"""Derivations: dual averaging, mirror descent."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.evidence.gossip_convex.proofs import spread
from proofs_check.evidence.synchronous.proofs_barriers import root_sum
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import GAMMA, SCALE, TIME, evaluates, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.verdict import Verdict
from theory.theorems.dual_averaging import dual_averaging
from theory.theorems.mirror_descent import mirror_descent

# Distributed dual averaging: Theorem 1's three sums at alpha_t = a/sqrt(t + 1).


a, length, R, log, gap = sp.symbols("a l R log gap", positive=True)  # log = log(T sqrt n)
DUAL_AVERAGING_AMOUNT = R**2 / a + a * length**2 * (12 * log / gap + 19)


def prove_dual_averaging(claimed: Any = DUAL_AVERAGING_AMOUNT) -> Verdict:
    r"""sqrt(T) (f(average of worker i) - f*) <= ``claimed``.

    psi(x*)/(T alpha_{T-1}) is the first term; the regret of the mean sum costs l^2/(2 T) sum alpha,
    and models differ from those of the mean sum by alpha_{t-1} ||zbar_t - z_i||, three times, where
    ||zbar_t - z_i|| <= l sum_k min(2, sqrt(n) sigma^k) <= l (2 log/(1 - sigma) + 3): 2 for the
    first log/log(1/sigma) + 1 powers, 1/T for each of the T others.
    """
    u, spare = sp.symbols("u s", positive=True)
    sums = 2 * a  # of alpha_t, over sqrt(T)
    network = 2 * log / gap + 3
    total = R**2 / a + length**2 * sums / 2 + 3 * length**2 * network * sums
    paper = R * sp.sqrt(gap) / (4 * length)
    scaled = DUAL_AVERAGING_AMOUNT.subs(a, paper) * sp.sqrt(gap) / (R * length)
    excess = (8 * log - scaled).subs(log, sp.Rational(7, 4) + spare).subs(gap, 1 / (1 + u))
    named = {
        a: SCALE, R: sp.sqrt(symbol("R2") / 2), gap: 1 - symbol("lam"),
        log: sp.log(TIME * sp.sqrt(symbol("n"))),
    }  # fmt: skip
    return settled(
        "dual_averaging",
        f"f(average of a worker) - f* <= ({claimed})/sqrt(T)",
        "Duchi, Agarwal, Wainwright 2012, arXiv:1005.2012, Theorems 1 and 2",
        root_sum(),
        truth("log(1/sigma) >= 1 - sigma", _logarithm()),
        nonnegative("the three sums fit", sp.expand(claimed - total), a, length, R, log, gap),
        equality("at the paper's stepsize", scaled, 3 * log + 4 + sp.Rational(19, 4) * gap),
        nonnegative("below the paper's", sp.simplify(excess), u, spare),
        evaluates(dual_averaging, claimed.subs(named) / sp.sqrt(TIME)),
    )


def _logarithm() -> bool:
    """-log s - (1 - s) is 0 at s = 1 and falls before it: its derivative is 1 - 1/s."""
    s = sp.symbols("s", positive=True)
    difference = -sp.log(s) - (1 - s)
    slope = sp.simplify(sp.diff(difference, s) * s - (s - 1))
    return bool(difference.subs(s, 1) == 0 and slope == 0)


# Mirror descent in the entropy over a network: one step by the log-sum-exp, spread in 1-norms.


G, D, n, lam = (symbol(name) for name in ("lipschitz_one", "divergence", "n", "lam"))
NETWORK = sp.sqrt(n) * lam / (1 - lam)
MIRROR_DESCENT_AMOUNT = D / (GAMMA * TIME) + GAMMA * G**2 * (sp.Rational(1, 2) + NETWORK)

_v = sp.symbols("v:3", positive=True)
_g = sp.symbols("g:3", real=True)
_TILTED = [v * sp.exp(-GAMMA * g) for v, g in zip(_v, _g, strict=True)]
_POINT = [w / sum(_TILTED) for w in _TILTED]  # x+ of three coordinates, v of any sum
_MEAN = sum(p * g for p, g in zip(_POINT, _g, strict=True))
_VARIANCE = sum(p * (g - _MEAN) ** 2 for p, g in zip(_POINT, _g, strict=True))


def one_step() -> tuple[DerivationStep, ...]:
    """D(x*, x+) - D(x*, v) = gamma <g, x*> + log sum v e^{-gamma g}, whose second derivative in
    gamma is a variance: at most -gamma <g, v> + gamma^2 G^2 / 2 beside the first term."""
    a, b = sp.symbols("a b", positive=True)
    star = (a, b, 1 - a - b)
    change = sum(s * (sp.log(v) - sp.log(p)) for s, v, p in zip(star, _v, _POINT, strict=True))
    told = GAMMA * sum(s * g for s, g in zip(star, _g, strict=True)) + sp.log(sum(_TILTED))
    total = sp.log(sum(_TILTED))
    return (
        equality("the divergence's change", sp.expand(sp.expand_log(change - told, force=True)), 0),
        equality("its first derivative is minus a mean", sp.diff(total, GAMMA), -_MEAN),
        equality("its second derivative is a variance", sp.diff(total, GAMMA, 2), _VARIANCE),
    )


def bounded() -> DerivationStep:
    """A variance of entries within [-G, G] is at most G^2: that of r G, |r| <= 1, in two atoms."""
    p, u, w = sp.symbols("p u w", nonnegative=True)
    high, low = u / (1 + u), -w / (1 + w)  # one sign each is the widest
    share = 1 / (1 + p)
    square = G**2 * (share * high**2 + (1 - share) * low**2)
    return nonnegative("entries of at most G have a second moment of at most G^2",
                       sp.cancel(G**2 - square), p, u, w, G)  # fmt: skip


def moved() -> DerivationStep:
    """d x+/d gamma = -x+ (g - mean): its 1-norm is a mean absolute deviation, at most G."""
    slope = sp.diff(_POINT[0], GAMMA)
    return equality("a point moves by its deviation", slope, -_POINT[0] * (_g[0] - _MEAN))


def mixing() -> tuple[DerivationStep, ...]:
    """-log is convex, so mixing brings D(x*, .) no higher; sum |a| <= sqrt(n) ||a|| for the columns
    of W^k - J, whose length is at most lambda^k."""
    x = sp.symbols("x", positive=True)
    a = sp.symbols("a:3", nonnegative=True)
    pairs = sum((a[i] - a[j]) ** 2 for i in range(3) for j in range(i))
    return (
        nonnegative("-log is convex", sp.diff(-sp.log(x), x, 2), x),
        equality("Cauchy and Schwarz", 3 * sum(v**2 for v in a) - sum(a) ** 2, pairs),
    )


def prove_mirror_descent(claimed: Any = MIRROR_DESCENT_AMOUNT, network: Any = NETWORK) -> Verdict:
    r"""f(average of the mean models) - f(x*) <= ``claimed`` for every x* of the simplex.

    Over workers, D(x*, v) is at most what D(x*, x) was, and gamma <g_i, v_i - x*> is at most its
    fall and gamma^2 G^2/2. Moves of at most gamma G in the 1-norm spread by W^k - J: mixed points
    are within gamma G times ``network`` of their mean, which f_i feels by G times that, once.
    """
    total = D / (GAMMA * TIME) + GAMMA * G**2 / 2 + G * GAMMA * G * network
    return settled(
        "mirror_descent",
        f"f(average) - f(x*) <= {claimed}",
        "derived; Rabbat 2015, IEEE CAMSAP; one step: Beck, Teboulle 2003, Oper. Res. Lett. 31",
        *one_step(),
        bounded(),
        moved(),
        *mixing(),
        spread(),
        equality("the three sums", total, claimed),
        computes(mirror_descent, claimed),
    )


PROOFS = (prove_dual_averaging, prove_mirror_descent)
