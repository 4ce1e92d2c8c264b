"""Rows whose workers may stay silent, or whose messages may get lost."""

from __future__ import annotations

from algorithms.catalogue.compose import compressed
from algorithms.catalogue.downlink import each_round
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import CORE, Recipe, Row
from algorithms.compressors.identity import Identity
from algorithms.compressors.packet_loss import PacketLoss
from algorithms.methods.lazy.cmfl import CMFL
from algorithms.methods.lazy.lag import LAG
from theory.orders.cmfl import cmfl
from theory.theorems.lag_nonconvex import lag_nonconvex
from theory.theorems.lag_pl import lag_pl

_PERIOD = 8
_RELEVANCE = (
    0.5  # of the coordinates; a threshold that decays as 1/sqrt(k) is below all by round 10
)
_WEIGHTS = (0.08,) * 10  # convergence is stated for a sum below 1
_LOSS = 0.25
_PACKET = 4  # coordinates: the models of the catalogue would fit into one full frame

ENTRIES: tuple[Row, ...] = (
    entry(
        "lag",
        Recipe(
            lambda step, _p, _t: LAG(step, weights=_WEIGHTS),
            (lag_nonconvex,),
            Identity(),
            ("least-squares-rising", *CORE),
            downlink=each_round(),
            results=(lag_pl,),
        ),
    ),
    entry(
        "cmfl",
        Recipe(
            lambda step, _p, _t: CMFL(step, _PERIOD, _RELEVANCE, decays=False),
            (),
            Identity(),
            downlink=each_round(_PERIOD),
            cycle="the first round filters nothing, then the cycle is H = 8",
            why="convergence is stated to order only, for a threshold that decays and so filters "
            "the first rounds alone; this one filters to the end",
            results=(cmfl,),
            as_stated=lambda step, _p, _t: CMFL(step, _PERIOD, _RELEVANCE),
        ),
    ),
    entry(
        "bounded-loss",
        compressed(
            PacketLoss(_LOSS, _PACKET, scaled=True),
            operators=(PacketLoss(_LOSS, _PACKET), PacketLoss(_LOSS, 1, scaled=True)),
        ),
    ),
)
