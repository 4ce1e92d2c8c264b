"""Rows of local work over gossip: local SGD with neighbours, coordinate descent by columns."""

from __future__ import annotations

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import CORE, Recipe, Row
from algorithms.compressors.identity import Identity
from algorithms.methods.exchanges.gossip_rounds import PlainRound
from algorithms.methods.gossip_local.cola import CoLa
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD
from algorithms.problems.columns import Columns
from algorithms.topologies.ring import Ring
from theory.orders.cola import cola
from theory.theorems.cooperative_sgd import cooperative_sgd
from theory.theorems.local_gossip import local_gossip
from theory.theorems.sparq_sgd import sparq_sgd

_PERIOD = 4

ENTRIES: tuple[Row, ...] = (
    entry(
        "gossip-local-sgd",
        Recipe(
            lambda step, p, _t: GossipLocalSGD(step, PlainRound(Ring(p.n)), _PERIOD),
            (cooperative_sgd,),
            Identity(),
            (*CORE, "quadratic-sc-iid"),
            results=(local_gossip, sparq_sgd),
        ),
    ),
    entry(
        "cola",
        Recipe(
            lambda _step, p, _t: CoLa(Ring(p.n)),
            (),
            Identity(),
            ("lasso-diabetes-products", "logistic-l1-breast-cancer", "sigmoid-breast-cancer"),
            why="linear and O(1/T) rates are stated to order only; there is no stepsize to set",
            message_bits=lambda p, bits: bits * Columns.from_problem(p).samples.shape[0],
            results=(cola,),
        ),
    ),
)
