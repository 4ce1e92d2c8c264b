"""Settings for the theorems on compressed differences of gradients: BOUND_CHECKS."""

from __future__ import annotations

from algorithms.compressors.rand_k import RandK
from algorithms.methods.variance_reduced.dasha import Dasha
from algorithms.methods.variance_reduced.marina import Marina
from algorithms.methods.variance_reduced.rand_diana import RandDiana
from algorithms.problems.base import Problem
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import NONCONVEX, UNEQUAL, entry
from proofs_check.evidence.error_feedback.bounds import CURVATURES, curvatures, root_mean_square
from theory.stepsizes import Stepsize
from theory.theorems.dasha import dasha
from theory.theorems.marina import marina
from theory.theorems.marina_pl import marina_pl
from theory.theorems.rand_diana import rand_diana


def _of_two(step: Stepsize, _problem: Problem, _horizon: int) -> Marina:
    return Marina(step, RandK(0.25), participants=2)


BOUND_CHECKS = (
    BoundCheck(
        "rand-diana", CURVATURES, rand_diana, curvatures,
        lambda step, _p, _t: RandDiana(step, RandK(0.25)), 600,
    ),
    BoundCheck(
        "dasha", CURVATURES, dasha, curvatures,
        lambda step, _p, _t: Dasha(step, RandK(0.5)), 1000, root_mean_square,
    ),
    BoundCheck(
        "dasha", NONCONVEX, dasha, entry(NONCONVEX),
        lambda step, _p, _t: Dasha(step, RandK(0.5)), 300,
    ),
    BoundCheck(
        "marina", CURVATURES, marina, curvatures,
        lambda step, _p, _t: Marina(step, RandK(0.25)), 1000, root_mean_square,
    ),
    BoundCheck(
        "marina", CURVATURES, marina_pl, curvatures,
        lambda step, _p, _t: Marina(step, RandK(0.25)), 1000, root_mean_square,
    ),
    BoundCheck(
        "marina", f"{CURVATURES}, two take part", marina, curvatures, _of_two, 1000,
        root_mean_square,
    ),
    BoundCheck(
        "marina", f"{CURVATURES}, two take part", marina_pl, curvatures, _of_two, 1000,
        root_mean_square,
    ),
    BoundCheck(
        "marina", NONCONVEX, marina, entry(NONCONVEX),
        lambda step, _p, _t: Marina(step, RandK(0.25)), 300,
    ),
    *(
        BoundCheck(
            "marina", problem, marina, setting, lambda step, _p, _t: Marina(step, RandK(0.5)), 300
        )
        for problem, setting in UNEQUAL
    ),
    *(
        BoundCheck(
            "dasha", problem, dasha, setting, lambda step, _p, _t: Dasha(step, RandK(0.5)), 300
        )
        for problem, setting in UNEQUAL
    ),
)  # fmt: skip
