"""Rows of error feedback since the surveys: differences to what was sent before."""

from __future__ import annotations

import math

from algorithms.catalogue.downlink import each_round
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Recipe, Row
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.methods.error_feedback.econtrol import EControl
from algorithms.methods.error_feedback.ef21 import EF21
from algorithms.methods.error_feedback.ef21_p import EF21P
from algorithms.methods.parts.gradients import Sampled
from theory.orders.econtrol import econtrol
from theory.orders.ef21_bc import ef21_bc
from theory.orders.ef21_p import ef21_p
from theory.orders.ef21_sgdm import ef21_sgdm
from theory.theorems.ef21 import ef21
from theory.theorems.ef21_pl import ef21_pl
from theory.theorems.ef21_two_way import ef21_two_way
from theory.theorems.perturbed_iterate import perturbed_iterate

PROBLEMS = "quadratic-unequal", "logreg-breast-cancer", "nonconvex-digits-dirichlet"
"""Problems of rows since the surveys: workers that differ in minimisers, data and classes."""

_TOP = TopK(0.1)
_LOT = RandK(0.1)


def _momentum(n: int, steps: int) -> float:
    """Weight of a new gradient as it is tuned to the horizon: its noise, eta sigma^2/n, against
    1/(eta T)."""
    return min(1.0, math.sqrt(n / steps))


def both_ways() -> Recipe:
    """EF21-P whose workers send compressed differences to shifts: EF21-P + DIANA."""
    return Recipe(
        lambda step, p, _t: EF21P(
            step, _TOP.for_shapes(p.shapes), uplink=_LOT.for_shapes(p.shapes)
        ),
        (),
        _LOT,
        problems=PROBLEMS,
        operators=(_TOP,),
        why="the rate is stated to order only",
    )


ENTRIES: tuple[Row, ...] = (
    entry(
        "ef21",
        Recipe(
            lambda step, p, _t: EF21(step, _TOP.for_shapes(p.shapes)),
            (ef21_pl, ef21),
            _TOP,
            problems=PROBLEMS,
        ),
        advised=True,
    ),
    entry(
        "ef21-sgdm",
        Recipe(
            lambda step, p, _t: EF21(step, _TOP.for_shapes(p.shapes), 0.1, Sampled()),
            (),
            _TOP,
            problems=PROBLEMS,
            why="the constants of its stepsize and of its bound are recalled, not certain",
            results=(ef21_sgdm,),
            as_stated=lambda step, p, steps: EF21(
                step, _TOP.for_shapes(p.shapes), _momentum(p.n, steps), Sampled()
            ),
        ),
        advised=True,
    ),
    entry(
        "econtrol",
        Recipe(
            lambda step, p, _t: EControl(step, _TOP.for_shapes(p.shapes), 0.02),
            (),
            _TOP,
            problems=PROBLEMS,
            why="the constants of its stepsize and of its bound are recalled, not certain",
            results=(econtrol, perturbed_iterate),
        ),
    ),
    entry(
        "ef21-bc",
        Recipe(
            lambda step, p, _t: EF21(
                step, _TOP.for_shapes(p.shapes), downlink=_TOP.for_shapes(p.shapes)
            ),
            (),
            _TOP,
            problems=PROBLEMS,
            why="the rate is stated to order only",
            results=(ef21_bc, ef21_two_way),
        ),
    ),
    entry(
        "ef21-pp",
        Recipe(
            lambda step, p, _t: EF21(step, _TOP.for_shapes(p.shapes), participation=0.5),
            (ef21_pl, ef21),
            _TOP,
            problems=PROBLEMS,
            downlink=each_round(),
        ),
    ),
    entry(
        "ef21-p",
        Recipe(
            lambda step, p, _t: EF21P(step, _TOP.for_shapes(p.shapes)),
            (),
            problems=PROBLEMS,
            operators=(_TOP,),
            why="the rate is stated to order only",
            results=(ef21_p, perturbed_iterate),
        ),
    ),
)
