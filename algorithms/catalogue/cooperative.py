"""Rows of local updates beyond plain averages: overlap, elastic centres, redundancy, codes."""

from __future__ import annotations

from algorithms.catalogue.row import Recipe
from algorithms.catalogue.synchronous import round_trip
from algorithms.compressors.identity import Identity
from algorithms.methods.cooperative.cocod import CoCoD
from algorithms.methods.cooperative.coded_regression import GradientCoding
from algorithms.methods.cooperative.cooperative import Cooperative, Gossip
from algorithms.methods.cooperative.easgd import EASGD
from algorithms.methods.cooperative.redundancy import OnMoreShards
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.topologies.ring import Ring
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing
from theory.theorems.cooperative_sgd import cooperative_sgd
from theory.theorems.local_sgd import local_sgd
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex

_BSP = (bsp_strongly_convex_decreasing, bsp_strongly_convex, bsp_nonconvex)
_PERIOD = 8
_PULL = 0.9  # the paper's beta; alpha is beta / n

READY: dict[str, Recipe] = {
    "easgd": Recipe(
        lambda step, p, _t: EASGD(step, _PULL / p.n, period=_PERIOD), (), Identity(),
        stepsize_divisor=8.0,
        why="the paper analyses stability on quadratics; it states no rate",
    ),
    "cooperative-sgd": Recipe(
        lambda step, p, _t: Cooperative(step, Gossip(Ring(p.n)), _PERIOD), (cooperative_sgd,),
        Identity(), stepsize_divisor=16.0,
    ),
    "cocod-sgd": Recipe(
        lambda step, _p, _t: CoCoD(step, _PERIOD), (), Identity(), stepsize_divisor=16.0,
        why="O(1/sqrt(nT)) is stated to order only",
    ),
    "coded-regression": Recipe(
        lambda step, p, steps: GradientCoding(step, steps, round_trip(p), min(2, p.n - 1)), _BSP,
        Identity(),
    ),
    "ri-sgd": Recipe(
        lambda step, p, _t: OnMoreShards(LocalSGD(step, _PERIOD), min(2, p.n)),
        (local_sgd, local_sgd_nonconvex), Identity(), stepsize_divisor=16.0,
    ),
}  # fmt: skip
