"""Settings for the theorems on error feedback since the surveys: BOUND_CHECKS."""

from __future__ import annotations

from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.methods.error_feedback.econtrol import EControl
from algorithms.methods.error_feedback.ef21 import EF21
from algorithms.methods.error_feedback.ef21_p import EF21P
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import NONCONVEX, UNEQUAL, delta_of, entry, near
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import error_controlled, told_downwards
from theory.stepsizes import Stepsize
from theory.theorems.ef21 import ef21
from theory.theorems.ef21_pl import ef21_pl
from theory.theorems.ef21_two_way import ef21_two_way

_HALF, _MOST, _ETA = TopK(0.5), TopK(0.75), 0.2

CURVATURES = "quadratic-unequal, n = 4, no noise"


def curvatures() -> Problem:
    """Four workers with Hessians and minimisers of their own."""
    return unequal(4, 20, sigma2=0.0, ratio=10.0)


def root_mean_square(problem: Problem) -> Constants:
    """L_rms of a quadratic: the root of the mean of the squared largest curvatures."""
    assert isinstance(problem, Quadratic)
    largest = problem.a.max(-1).values.double()
    return Constants().state(L_rms=float(largest.square().mean().sqrt()))


def _half_absent(step: Stepsize, _problem: Problem, _horizon: int) -> EF21:
    return EF21(step, TopK(0.25), participation=0.5)


BOUND_CHECKS = (
    BoundCheck(
        "ef21", CURVATURES, ef21, curvatures,
        lambda step, _p, _t: EF21(step, TopK(0.25)), 2000, root_mean_square,
    ),
    BoundCheck(
        "ef21", CURVATURES, ef21_pl, curvatures,
        lambda step, _p, _t: EF21(step, TopK(0.25)), 4000, root_mean_square,
    ),
    BoundCheck(
        "ef21", f"{CURVATURES}, full start", ef21_pl, curvatures,
        lambda step, _p, _t: EF21(step, RandK(0.5, scaled=False), full_start=True), 1000,
        root_mean_square,
    ),
    BoundCheck(
        "ef21-pp", CURVATURES, ef21, curvatures, _half_absent, 2000, root_mean_square,
    ),
    BoundCheck(
        "ef21-pp", CURVATURES, ef21_pl, curvatures, _half_absent, 4000, root_mean_square,
    ),
    BoundCheck("ef21-pp", NONCONVEX, ef21, entry(NONCONVEX), _half_absent, 500),
    BoundCheck(
        "ef21", NONCONVEX, ef21, entry(NONCONVEX),
        lambda step, _p, _t: EF21(step, TopK(0.5)), 500,
    ),
    *(
        BoundCheck(
            "ef21", problem, ef21, setting, lambda step, _p, _t: EF21(step, TopK(0.5)), 300
        )
        for problem, setting in UNEQUAL
    ),
    BoundCheck(
        "ef21-bc", CURVATURES, ef21_two_way, curvatures,
        lambda step, _p, _t: EF21(step, _HALF, full_start=True, downlink=_HALF), 2000,
        root_mean_square,
    ),
    BoundCheck(
        "ef21-bc", NONCONVEX, ef21_two_way, entry(NONCONVEX),
        lambda step, _p, _t: EF21(step, _MOST, full_start=True, downlink=_MOST), 500,
    ),
    near(
        "ef21-p", lambda: told_downwards(delta_of(_HALF, 4)),
        lambda step, _p, _t: EF21P(step, _HALF), 600, d=4,
    ),
    near(
        "econtrol", lambda: error_controlled(_ETA, delta_of(_MOST, 4)),
        lambda step, _p, _t: EControl(step, _MOST, _ETA), 1000, d=4,
    ),
)  # fmt: skip
