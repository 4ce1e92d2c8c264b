"""DGD, projected DGD, dual averaging, mirror descent: derivations, and runs under bounds."""

from __future__ import annotations

from functools import partial
from typing import Any

import sympy as sp

from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_convex.dual_averaging import DualAveraging
from algorithms.methods.gossip_convex.gossip_dual_averaging import GossipDualAveraging
from algorithms.methods.gossip_convex.mirror_descent import MirrorDescent
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd as projected_method
from algorithms.problems import entries
from algorithms.problems.absolute_data import SIMPLEX, diabetes, simplex_signs
from algorithms.problems.base import Problem
from algorithms.sets.ball import Ball
from algorithms.sets.geometry import NegativeEntropy
from algorithms.topologies.complete import Complete
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import ALIGNED, MILD, aligned, mild, of_row
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import GAMMA, SCALE, TIME, evaluates, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.proofs.norms import root_sum, telescope
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize
from theory.theorems.d_psgd import d_psgd
from theory.theorems.dgd import dgd
from theory.theorems.dual_averaging import dual_averaging
from theory.theorems.mirror_descent import mirror_descent
from theory.theorems.projected_dgd import projected_dgd

gamma, length, R2, T, lam, G, D, n, kept = sp.symbols(
    "gamma l R2 T lambda lipschitz_one divergence n lam", positive=True
)

# DGD: descent of the mean model, and how far workers are from it.

DGD_AMOUNT = R2 / (2 * gamma * T) + gamma * length**2 * (sp.Rational(1, 2) + 2 / (1 - lam))


def spread() -> DerivationStep:
    """E+ = lambda E + gamma l has the solution gamma l (1 - lambda^t)/(1 - lambda) from 0."""
    power = sp.symbols("p", positive=True)  # lambda^t
    now = gamma * length * (1 - power) / (1 - lam)
    after = lam * now + gamma * length
    return equality("the spread's recursion", after, now.subs(power, lam * power))


def prove_dgd(claimed: Any = DGD_AMOUNT) -> Verdict:
    r"""f(average of the mean models) - f* <= ``claimed``.

    The mean moves by -gamma gbar, so <gbar, xbar - x*> = (d_t - d_{t+1})/(2 gamma) + gamma
    ||gbar||^2/2. Deviations obey E_{t+1} = (W - J) E_t - gamma (I - J) G, of Frobenius norm at most
    lambda ||E_t|| + gamma sqrt(n) l, so the mean distance of a worker is at most gamma l/(1 -
    lambda); f_j(xbar) - f_j(x_j) and <grad f_j, x_j - xbar> each cost l times that distance.
    """
    room = sp.symbols("u", positive=True)  # 1/(1 - lambda) = 1 + u
    total = R2 / (2 * gamma * T) + gamma * length**2 / 2 + 2 * length * gamma * length / (1 - lam)
    gap = sp.expand(sp.simplify((claimed - total).subs(lam, 1 - 1 / (1 + room))))
    best = sp.sqrt(R2 / (2 * T * length**2 * (sp.Rational(1, 2) + 2 / (1 - lam))))
    return settled(
        "dgd",
        f"f(average) - f* <= {claimed}",
        "derived; Nedic, Ozdaglar 2009, IEEE TAC 54(1), Proposition 3",
        telescope("one step of the mean"),
        spread(),
        nonnegative("the sums fit", gap, room, gamma, length, R2),
        equality("the best stepsize", sp.diff(DGD_AMOUNT, gamma).subs(gamma, best), 0),
        computes(dgd, claimed),
    )


# Projected DGD: mixing and projection bring no worker further from x*, on average.

PROJECTED_DGD_AMOUNT = R2 / (2 * gamma * T) + gamma * length**2 * (
    sp.Rational(1, 2) + lam / (1 - lam)
)


def prove_projected_dgd(claimed: Any = PROJECTED_DGD_AMOUNT) -> Verdict:
    r"""f(average of the mean models) - f(x*) <= ``claimed`` for every x* in X.

    ||x_i^+ - x*||^2 <= ||v_i - gamma g_i - x*||^2, because projections do not expand, and sum_i
    ||v_i - x*||^2 <= sum_i ||x_i - x*||^2, because W is doubly stochastic and squares are convex.
    x_i^+ is within gamma l of v_i, which lies in X, so models are within gamma l/(1 - lambda) of
    their mean on average and mixed points within lambda times that; f(vbar) - f_i(v_i) costs l
    times it, once.
    """
    a, b, w = sp.symbols("a b w", positive=True)  # two points at distances a, b; weight w of one
    room = sp.symbols("u", positive=True)  # 1/(1 - lambda) = 1 + u
    mixed = w * a**2 + (1 - w) * b**2 - (w * a + (1 - w) * b) ** 2
    total = R2 / (2 * gamma * T) + gamma * length**2 / 2 + length * lam * gamma * length / (1 - lam)
    gap = sp.expand(sp.simplify((claimed - total).subs(lam, room / (1 + room))))
    return settled(
        "projected_dgd",
        f"f(average) - f(x*) <= {claimed}",
        "derived; Ram, Nedic, Veeravalli 2010, arXiv:0811.2595, Theorem 1",
        telescope("one step before projection"),
        equality("mixing shrinks squares", mixed, w * (1 - w) * (a - b) ** 2),
        spread(),
        nonnegative("the sums fit", gap, room, gamma, length, R2),
        computes(projected_dgd, claimed),
    )


# Distributed dual averaging: Theorem 1's three sums at alpha_t = a/sqrt(t + 1).

a, R, log, gap = sp.symbols("a R log gap", positive=True)  # log = log(T sqrt n)
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

NETWORK = sp.sqrt(n) * kept / (1 - kept)
MIRROR_DESCENT_AMOUNT = D / (GAMMA * TIME) + GAMMA * G**2 * (sp.Rational(1, 2) + NETWORK)

_v, _g = sp.symbols("v:3", positive=True), sp.symbols("g:3", real=True)
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


PROOFS = (prove_dgd, prove_projected_dgd, prove_dual_averaging, prove_mirror_descent)


# Settings for the theorems on bounded gradients, convex: BOUND_CHECKS.
#
# Least absolute deviations on diabetes, shards sorted by target, four samples a gradient;
# logistic regression, whose regulariser's gradient is bounded on a ball alone.

_LAD, _LOGREG = "lad-diabetes-sorted, 4 samples", "logreg-breast-cancer"
_EIGHT, _NINE = partial(diabetes, 8, batch=4), partial(diabetes, 9, batch=4)


def _entropic(
    graph: type[Ring] | type[Complete], step: Stepsize, objective: Problem, _steps: int
) -> MirrorDescent:
    return MirrorDescent(step, graph(objective.n), NegativeEntropy())


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck("dgd", _LAD, dgd, _EIGHT, lambda step, p, _t: DPSGD(step, Ring(p.n)), 400),
    BoundCheck(
        "projected-dgd", _LAD, projected_dgd, _EIGHT,
        lambda step, p, _t: projected_method(step, Ring(p.n), Ball(1.0)), 400,
    ),
    BoundCheck(
        "projected-dgd", _LOGREG, projected_dgd, partial(entries.problem, _LOGREG, 8),
        lambda step, p, _t: projected_method(step, Ring(p.n), Ball(2.0)), 400,
    ),
    BoundCheck(
        "mirror-descent", _LAD, projected_dgd, _NINE,
        lambda step, _p, _t: MirrorDescent(step, Torus(3, 3)), 400,
    ),
    *(
        BoundCheck(
            "mirror-descent", f"{SIMPLEX}, {graph.__name__.lower()}", mirror_descent,
            partial(simplex_signs, 8), partial(_entropic, graph), 1000,
        )
        for graph in (Ring, Complete)
    ),
    BoundCheck(
        "gossip-dual-averaging", f"{_LAD}, ring", dual_averaging, _EIGHT,
        lambda step, p, _t: DualAveraging(step, Ring(p.n)), 400,
    ),
    BoundCheck(
        "gossip-dual-averaging", f"{_LAD}, random pairs", dual_averaging, _EIGHT,
        lambda step, p, _t: GossipDualAveraging(step, RandomEdge(Complete(p.n))), 400,
    ),
    BoundCheck("dgd", MILD, d_psgd, partial(mild, 4, 0.25), of_row("dgd"), 1000),
    *(
        BoundCheck(row, ALIGNED, theorem, partial(aligned, 4), of_row(row), steps, rated=True)
        for row, theorem, steps in (
            ("dgd", dgd, 400),
            # nearly attained in the end: up to 400 steps they are still on their way to the bound
            ("projected-dgd", projected_dgd, 2000),
            ("mirror-descent", projected_dgd, 2000),
        )
    ),
    BoundCheck(
        "gossip-dual-averaging", f"{ALIGNED}, ring", dual_averaging, partial(aligned, 4),
        lambda step, p, _t: DualAveraging(step, Ring(p.n)), 1000,
    ),
    BoundCheck(
        "gossip-dual-averaging", f"{ALIGNED}, one pair", dual_averaging, partial(aligned, 2),
        of_row("gossip-dual-averaging"), 1000,
    ),
)  # fmt: skip
