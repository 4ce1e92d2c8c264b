"""Derivations: CoCoD-SGD, cooperative SGD, elastic averaging, RI-SGD; runs under their bounds."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import sympy as sp

from algorithms.methods.cooperative.cocod import CoCoD
from algorithms.methods.cooperative.cooperative import Cooperative, Gossip
from algorithms.methods.cooperative.easgd import EASGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.bounds.check import BoundCheck, Make
from proofs_check.bounds.settings import (
    BALL,
    BOUNDED,
    IID,
    MILD,
    NONCONVEX,
    entry,
    mild,
    moment_in_ball,
    near,
    of_row,
    one_objective,
    same_shards,
)
from proofs_check.evidence.local_updates.proofs import deviations, mean_step
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import GAMMA, symbol
from proofs_check.proofs.expressions import descends
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import elastic
from theory.theorems.cocod_sgd import cocod_sgd
from theory.theorems.cooperative_sgd import cooperative_sgd
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex
from theory.theorems.ri_sgd import ri_sgd

# CoCoD-SGD: a worker differs from the mean by the steps of two periods at most.


COCOD_SGD_L, sigma2, n, G2, COCOD_SGD_H = (
    symbol(name) for name in ("L_max", "sigma2", "n", "G2", "H_stale")
)
COCOD_SGD_FLOOR = (
    GAMMA * COCOD_SGD_L * sigma2 / n + 4 * GAMMA**2 * COCOD_SGD_L**2 * COCOD_SGD_H**2 * G2
)


def meeting() -> tuple[DerivationStep, ...]:
    """x_i <- mean of y + (x_i - y_i): the mean is kept, and x_i - mean is what i did since y, less
    the mean of that."""
    x, y = sp.symbols("x:3", real=True), sp.symbols("y:3", real=True)
    new = [sum(y) / 3 + (a - b) for a, b in zip(x, y, strict=True)]
    moved = [a - b for a, b in zip(x, y, strict=True)]
    return (
        equality("the mean model is kept", sum(new), sum(x)),
        equality(
            "what is left apart is one period's steps",
            new[0] - sum(new) / 3, moved[0] - sum(moved) / 3,
        ),
    )  # fmt: skip


def prove_cocod_sgd(claimed: Any = COCOD_SGD_FLOOR, periods: int = 2) -> Verdict:
    r"""avg E||grad f(xbar_t)||^2 <= 2 Delta/(gamma T) + ``claimed``.

    The last period's steps and those since: ``periods`` H at most, so the spread is at most gamma^2
    (``periods`` H)^2 G2.
    """
    return settled(
        "cocod_sgd",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}",
        "derived; setting of Shen et al. 2019, arXiv:1906.12043",
        *meeting(),
        deviations(3),
        *mean_step(GAMMA**2 * (periods * COCOD_SGD_H) ** 2 * G2, claimed),
        descends(cocod_sgd, 2, claimed),
    )


# Cooperative SGD: the spread that gossip every H steps leaves, and the condition it needs.


gamma, COOPERATIVE_SGD_L = sp.symbols("gamma L", positive=True)
COOPERATIVE_SGD_H, lam = sp.symbols("H lam", positive=True)
COOPERATIVE_SGD_FLOOR = (
    gamma * COOPERATIVE_SGD_L * sigma2 / n
    + gamma** 2
    * COOPERATIVE_SGD_L** 2
    * sigma2
    * ((1 + lam**2) / (1 - lam**2) * COOPERATIVE_SGD_H - 1)
)
FACTOR = (
    COOPERATIVE_SGD_H * (COOPERATIVE_SGD_H - 1) * (1 + 2 * lam) / (1 - lam)
    + 2 * (COOPERATIVE_SGD_H * lam / (1 - lam)) ** 2
)


def geometric(ratio: Any) -> Any:
    """ratio + ratio^2 + ..., 0 < ratio < 1."""
    return ratio / (1 - ratio)


def sum_over(term: Any, first: Any) -> Any:
    """Sum of ``term(i)``, linear in i, from ``first`` to H - 1: the number of terms by the mean."""
    return (COOPERATIVE_SGD_H - first) * (term(first) + term(COOPERATIVE_SGD_H - 1)) / 2


def returns(place: Any) -> Any:
    """Multiple of 2 gamma^2 L^2 with which squared gradients of one step return in the spread.

    ``place`` is its place in its period. At place i of a period the weights of all former gradients
    sum to at most i + H lam/(1 - lam); the step itself has weight lam^q after q averagings.
    """

    def weights(i: Any) -> Any:
        return i + COOPERATIVE_SGD_H * geometric(lam)

    return sum_over(weights, place + 1) + geometric(lam) * sum_over(weights, 0)


def condition(claimed: Any) -> tuple[DerivationStep, ...]:
    """gamma L + gamma^2 L^2 ``claimed`` <= 1 pays for every gradient that returns."""
    u, w, place, K = sp.symbols("u w place K", nonnegative=True)
    room = (claimed - 2 * returns(0)).subs({COOPERATIVE_SGD_H: 1 + w, lam: 1 / (1 + u)})
    later = (returns(0) - returns(place)).subs({COOPERATIVE_SGD_H: place + 1 + w, lam: 1 / (1 + u)})
    y = 2 / (1 + sp.sqrt(1 + 4 * K))
    return (
        nonnegative("what returns is paid for", sp.factor(room), u, w),
        nonnegative("a later step returns less", sp.factor(later), place, u, w),
        equality(
            "W = J leaves the condition of local SGD",
            FACTOR.subs(lam, 0),
            COOPERATIVE_SGD_H * (COOPERATIVE_SGD_H - 1),
        ),
        equality("the largest stepsize", y + y**2 * K, 1),
    )


def prove_cooperative_sgd(claimed: Any = COOPERATIVE_SGD_FLOOR, factor: Any = FACTOR) -> Verdict:
    r"""avg E||grad f(xbar_t)||^2 <= 2 Delta/(gamma T) + ``claimed``.

    As for local SGD, but a step of q periods ago still weighs lam^q. The noise of all steps is
    independent: i + H (lam^2 + lam^4 + ...) squared weights at place i of a period. Gradients of
    all steps add up, at most by Cauchy and Schwarz with the weights lam^q.
    """
    noise = 2 * sum_over(lambda i: i + COOPERATIVE_SGD_H * geometric(lam**2), 0) / COOPERATIVE_SGD_H
    spread = gamma**2 * sigma2 * noise
    return settled(
        "cooperative_sgd",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}",
        "Wang, Joshi 2018, arXiv:1808.07576, Theorem 1",
        *condition(factor),
        equality(
            "noise and spread",
            gamma * COOPERATIVE_SGD_L * sigma2 / n + COOPERATIVE_SGD_L**2 * spread,
            claimed,
        ),
        descends(cooperative_sgd, 2, claimed),
    )


# EASGD on a quadratic: the map of mean and centre, and Jury's criterion for it.


h, alpha, beta = sp.symbols("h alpha beta", positive=True)
MATRIX = sp.Matrix([[1 - h - alpha, alpha], [beta, 1 - beta]])
ENDS = (h * beta, 4 - 2 * h - 2 * alpha - 2 * beta + h * beta)
DETERMINANT = (1 - h) * (1 - beta) - alpha
GRID = tuple(sp.Rational(k, 4) for k in (1, 2, 4, 5, 7, 9))


def step(values: tuple[Any, Any], centre: Any) -> tuple[Any, Any, Any]:
    """Two workers and the centre after one step."""
    first, second = (v - h * v - alpha * (v - centre) for v in values)
    return first, second, (1 - beta) * centre + beta * sum(values) / 2


def agree(first: Any, second: Any, third: Any) -> bool:
    """Whether the criterion says what the larger root says; a root on the circle is not inside."""
    at = {h: first, alpha: second, beta: third}
    numbers = [*(end.subs(at) > 0 for end in ENDS), abs(DETERMINANT.subs(at)) < 1]
    half, det = MATRIX.trace().subs(at) / 2, MATRIX.det().subs(at)
    spread = half**2 - det
    if spread < 0:  # a pair of modulus sqrt(det)
        return bool(all(numbers)) == bool(det < 1)
    return bool(all(numbers)) == bool(abs(half) < 1 and spread < (1 - abs(half)) ** 2)


def together() -> tuple[DerivationStep, DerivationStep]:
    """p(-1) > 0 and det < 1 imply |1 - h - alpha| < 1 for positive h, alpha, beta."""
    u, v, w = sp.symbols("u v w", nonnegative=True)
    small = (2 - h - alpha - ENDS[1] / 2).subs(h, 2 / (1 + u))
    large = {h: 2 + u, beta: 2 + v, alpha: u * v / 2 - w}  # p(-1) = 2 w > 0, so u > 0 and v > 0
    return (
        nonnegative("h <= 2: h + alpha < 2 as p(-1) > 0", sp.together(small), u, beta),
        nonnegative("h > 2: p(-1) > 0 excludes det < 1", (DETERMINANT - 1).subs(large), u, v, w),
    )


def prove_elastic_averaging(
    matrix: Any = MATRIX, ends: Any = ENDS, determinant: Any = DETERMINANT
) -> Verdict:
    r"""p(z) = z^2 - tr z + det: both roots inside iff p(1), p(-1) > 0 and |det| < 1 (Jury).

    On the boundary of the region a root is 1, -1, or a pair on the circle, whose product is 1.
    """
    u, v, c, z = sp.symbols("u v c z")
    first, second, centre = step((u, v), c)
    mean = sp.Matrix([(first + second) / 2, centre])
    p = matrix.charpoly(z).as_expr()
    r, phi = sp.symbols("r phi", positive=True)
    pair = sp.expand((z - r * sp.exp(sp.I * phi)) * (z - r * sp.exp(-sp.I * phi)))
    gap = sp.simplify((mean - matrix * sp.Matrix([(u + v) / 2, c])).norm() ** 2)
    return settled(
        "elastic averaging",
        "stable iff 0 < h beta, 0 < 4 - 2 h - 2 alpha - 2 beta + h beta, |det| < 1",
        "derived; setting of Zhang, Choromanska, LeCun 2015, arXiv:1412.6651",
        equality("mean and centre move by the matrix", gap, 0),
        equality("deviations by 1 - h - alpha", first - second, (1 - h - alpha) * (u - v)),
        equality("p(1)", p.subs(z, 1), ends[0]),
        equality("p(-1)", p.subs(z, -1), ends[1]),
        equality("p(0)", p.subs(z, 0), determinant),
        equality("a pair of roots has the product r^2", pair.subs(z, 0), r**2),
        *together(),
        truth(
            "as the roots say, exactly, on a grid", all(agree(*x) for x in product(GRID, repeat=3))
        ),
    )


# RI-SGD: the spread of a period, by variance and heterogeneity alone.


RI_SGD_L, zeta2, RI_SGD_H = (symbol(name) for name in ("L_max", "zeta2", "H"))
SPREAD = 4 * GAMMA**2 * (RI_SGD_H - 1) * (sigma2 + 2 * (RI_SGD_H - 1) * zeta2)


def prove_ri_sgd(spread: Any = SPREAD, own: Any = 2) -> Verdict:
    r"""The mean spread is at most ``spread`` for gamma <= 1/(sqrt(8) L (H - 1)).

    A worker's gradient differs from grad f(xbar) by L times its distance from xbar, and by
    grad f_i(xbar) - grad f(xbar): ``own`` (L^2 V + zeta2) in the mean square. V_t <= 2 gamma^2 (k
    sigma2 + k sum_s own (L^2 V_s + zeta2)) over the k <= H - 1 steps s since the meeting.
    """
    V, v, k = sp.symbols("V v k", nonnegative=True)
    a, b = sp.symbols("a b", real=True)
    alone = k  # H - 1
    step = 1 / (sp.sqrt(8) * RI_SGD_L * alone * (1 + v))
    noise, shards = 2 * GAMMA**2 * alone * sigma2, 2 * GAMMA**2 * alone**2 * own * zeta2
    itself = 2 * GAMMA**2 * alone**2 * own * RI_SGD_L**2 * V  # each V_s counts k times at most
    claimed = spread.subs(RI_SGD_H, 1 + k)
    room = (claimed - (noise + shards + itself).subs(V, claimed)).subs(GAMMA, step)
    floor = GAMMA * RI_SGD_L * sigma2 / n + RI_SGD_L**2 * SPREAD
    return settled(
        "ri_sgd",
        f"the mean spread is at most {spread}, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Haddadpour et al. 2019, ICML",
        equality("(a + b)^2 <= 2 a^2 + 2 b^2", 2 * a**2 + 2 * b**2 - (a + b) ** 2, (a - b) ** 2),
        deviations(3),
        nonnegative("the spread pays for itself", sp.cancel(room), v, k, RI_SGD_L, sigma2, zeta2),
        nonnegative("and V is less than half in it", (1 - itself / V * 2).subs(GAMMA, step), v, k),
        *mean_step(spread, floor),
        descends(ri_sgd, 2, floor),
    )


def all_to_all(problem: Problem) -> Constants:
    """An average of all is gossip with W = J."""
    return Constants().state(lam=0.0)


def _gossip(topology: Topology, period: int) -> Make:
    return lambda step, _p, _t: Cooperative(step, Gossip(topology), period)


_PULL = 0.9 / 4  # the paper's beta over n


PROOFS = (prove_cocod_sgd, prove_cooperative_sgd, prove_elastic_averaging, prove_ri_sgd)


COVERS = {"prove_elastic_averaging": ("easgd",)}


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck(
        "cooperative-sgd", f"{IID}, all to all", cooperative_sgd,
        entry(IID), lambda step, _p, _t: LocalSGD(step, 8), 1000, all_to_all,
    ),
    *(
        BoundCheck(
            "cooperative-sgd", f"{IID}, ring, H={period}", cooperative_sgd,
            entry(IID),
            _gossip(Ring(8), period), 1000,
        )
        for period in (1, 4)
    ),
    BoundCheck(
        "cocod-sgd", MILD, cocod_sgd, partial(mild, 8, 0.25),
        lambda step, _p, _t: CoCoD(step, 4), 2000, moment_in_ball, BALL,
    ),
    near("easgd", lambda: elastic(4, _PULL, 2), lambda s, _p, _t: EASGD(s, _PULL, period=2), 1000),
    BoundCheck("ri-sgd", MILD, ri_sgd, partial(mild, 8, 0.25), of_row("ri-sgd"), 1000),
    BoundCheck(
        "ri-sgd", MILD, local_sgd_nonconvex, partial(mild, 4, 0.0), of_row("ri-sgd"), 400,
        rated=True,
    ),
    BoundCheck(
        "cooperative-sgd", f"{NONCONVEX}, equal shards, torus", cooperative_sgd,
        lambda: same_shards(9, BOUNDED), _gossip(Torus(3, 3), 3), 400,
        one_objective,
    ),
)  # fmt: skip
