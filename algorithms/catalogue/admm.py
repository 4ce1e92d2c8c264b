"""Rows that split the problem by consensus constraints: the ADMM methods."""

from __future__ import annotations

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import CORE, Recipe, Row
from algorithms.catalogue.synchronous import round_trip
from algorithms.compressors.identity import Identity
from algorithms.methods.admm.admm_graph import GraphADMM
from algorithms.methods.admm.admm_linearised import LinearisedADMM
from algorithms.methods.admm.admm_random import RandomADMM
from algorithms.methods.admm.admm_star import StarADMM
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.problems.base import SOLVE_GRADIENTS
from algorithms.synchronisation.barriers import PartialBarrier
from algorithms.topologies.ring import Ring
from theory.orders.async_admm import async_admm
from theory.orders.d_admm import d_admm
from theory.orders.decentralised_admm import decentralised_admm
from theory.orders.linearised_admm import linearised_admm
from theory.orders.random_admm import random_admm

_TAU, _WEIGHT = 8, 1e-4
_EXACT = CORE[:4]  # the MLP's local solves, many to a step, take minutes

ENTRIES: tuple[Row, ...] = (
    entry(
        "d-admm",
        Recipe(
            lambda step, p, _t: GraphADMM(step, Ring(p.n)),
            (),
            Identity(),
            _EXACT,
            why="convergence is stated without a rate",
            least_workers=2,
            results=(d_admm,),
        ),
    ),
    entry(
        "decentralised-admm",
        Recipe(
            lambda step, p, _t: GraphADMM(step, Ring(p.n), coloured=False),
            (),
            Identity(),
            _EXACT,
            why="O(1/k) is stated of ergodic averages of objective and feasibility",
            least_workers=2,
            results=(decentralised_admm,),
        ),
    ),
    entry(
        "linearised-admm",
        Recipe(
            lambda step, p, _t: LinearisedADMM(step, Ring(p.n), SoftThreshold(_WEIGHT)),
            (),
            Identity(),
            why="O(1/k) is stated of ergodic averages, to order only",
            least_workers=2,
            results=(linearised_admm,),
            as_stated=lambda step, p, _t: LinearisedADMM(step, Ring(p.n)),
        ),
    ),
    entry(
        "random-admm",
        Recipe(
            lambda step, p, _t: RandomADMM(step, Ring(p.n)),
            (),
            Identity(),
            why="almost sure convergence is stated without a rate",
            least_workers=2,
            results=(random_admm,),
        ),
    ),
    entry(
        "async-admm",
        Recipe(
            lambda step, p, steps: StarADMM(
                step, steps, round_trip(p, SOLVE_GRADIENTS), PartialBarrier(max(1, p.n // 2), _TAU)
            ),
            (),
            Identity(),
            why="O(1/T) is stated of ergodic averages, to order only",
            results=(async_admm,),
        ),
    ),
)
