"""The quadratics of the catalogue, d = 20."""

from __future__ import annotations

from dataclasses import replace

import scipy
import torch

from algorithms.core.key import Key
from algorithms.problems.base import Problem
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.quadratic import Quadratic

_D = 20

ILL_CONDITIONED = "quadratic-ill-conditioned"
"""The quadratic on which momentum shows."""

BOUND = ("quadratic-ball", 0.5)
"""The quadratic whose minimum is over a ball, and the ball's radius [x]."""


def consensus(n: int) -> Problem:
    """f_i(x) = ||x - b_i||^2 / 2 with b_i standard normal: its minimiser is the mean of the b_i."""
    b = Key.seed(0).fold("consensus").draws(torch.tensor(0), torch.arange(n))
    rows = b.normal(_D, torch.float64)
    return Quadratic.from_arrays(torch.ones_like(rows), rows, name="consensus")


def unequal(n: int, d: int = _D, *, sigma2: float = 1.0, ratio: float = 100.0) -> Quadratic:
    """Every worker its own curvatures, log-uniform between 1/ratio and 1, and its own minimiser.

    Minimisers are standard normal, so that x* moves with the weights that workers get; sigma2 is
    the noise of a gradient [f^2/x^2]. ``ratio`` = 1 gives all of them one Hessian.

    Raises:
        ValueError: ratio < 1.
    """
    if not ratio >= 1:
        raise ValueError(f"ratio must be at least 1, got {ratio}: largest curvature over smallest")
    draws = Key.seed(0).fold("unequal").draws(torch.tensor(0), torch.arange(n))
    a = ratio ** -draws.uniform(d, torch.float64)
    b = Key.seed(1).fold("unequal").draws(torch.tensor(0), torch.arange(n)).normal(d, torch.float64)
    return Quadratic.from_arrays(a, b, sigma2=sigma2, name="quadratic-unequal")


def on_ball(n: int, d: int = _D, *, radius: float = BOUND[1], sigma2: float = 0.01) -> Quadratic:
    r"""``unequal``, of which the minimum over \|x\| <= ``radius`` is wanted: x* lies on the sphere.

    x*_j = c_j / (a_j + \lambda) with the multiplier \lambda >= 0 that gives it its length (scipy's
    ``scipy.optimize.brentq``). Nothing is stated of the minimum over R^d.

    Raises:
        ValueError: the ball holds the minimiser over R^d, and would bind nothing.
    """
    free = unequal(n, d, sigma2=sigma2)
    a, c = free.a.mean(0), free.c.mean(0)
    if not 0 < radius < float(free.x_star.norm()):
        raise ValueError(
            f"radius must lie in (0, {float(free.x_star.norm()):.6g}), the distance of the free "
            f"minimiser, got radius={radius}"
        )
    most = float(c.norm()) / radius  # ||c / (a + most)|| < radius
    factor = scipy.optimize.brentq(
        lambda v: float((c / (a + v)).norm()) - radius, 0.0, most, xtol=1e-15
    )
    x_star = c / (a + factor)
    f_star = 0.5 * (free.a * (x_star - free.c / free.a).square()).sum(-1).mean().item()
    return replace(free, name=BOUND[0], x_star=x_star, f_star=f_star, within=radius)


def _spread(n: int) -> float:
    """zeta2 of the quadratics: one worker cannot differ from itself."""
    return 1.0 if n > 1 else 0.0


def standard(n: int) -> Quadratic:
    """The strongly convex quadratic of the catalogue, for n workers."""
    return Quadratic.strongly_convex(n, _D, zeta2=_spread(n))


ENTRIES = (
    ProblemEntry(
        "quadratic-sc",
        "strongly convex quadratic, L = 1, mu = 0.1, sigma2 = zeta2 = 1",
        standard,
    ),
    ProblemEntry(
        ILL_CONDITIONED,
        "strongly convex quadratic, L = 1, mu = 0.001, sigma2 = zeta2 = 1",
        lambda n: replace(
            Quadratic.strongly_convex(n, _D, mu=1e-3, zeta2=_spread(n)), name=ILL_CONDITIONED
        ),
        general=False,
    ),
    ProblemEntry(
        "quadratic-sc-iid",
        "the same with one objective for all workers, zeta2 = 0",
        lambda n: replace(Quadratic.strongly_convex(n, _D), name="quadratic-sc-iid"),
    ),
    ProblemEntry(
        "quadratic-convex",
        "convex quadratic without a useful mu",
        lambda n: Quadratic.convex(n, _D, zeta2=_spread(n)),
    ),
    ProblemEntry(
        "quadratic-pl",
        "Polyak-Lojasiewicz quadratic of rank d/2, not strongly convex",
        lambda n: Quadratic.pl(n, _D, zeta2=_spread(n)),
    ),
    ProblemEntry(
        "quadratic-unequal",
        "strongly convex quadratic, every worker its own Hessian and minimiser, sigma2 = 1",
        unequal,
    ),
    ProblemEntry(
        BOUND[0],
        f"quadratic-unequal over the ball of radius {BOUND[1]:g}, on whose sphere its minimum lies",
        on_ball,
        general=False,
    ),
    ProblemEntry(
        "consensus", "average consensus, f_i = ||x - b_i||^2 / 2", consensus, general=False
    ),
)
