"""Quantised consensus: the compensating rule keeps the mean, however coarse the grid."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import problem as of_catalogue
from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.gossip_compressed.quantised_consensus import OwnValue, QuantisedConsensus
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end

_N, _STEPS, _REPLICAS = 8, 500, 48


def measure(side: Arm) -> Measurement:
    """How far the mean of the workers has moved."""
    problem = of_catalogue("consensus", _N)
    right = row("quantised-consensus").build(problem, _STEPS)
    assert isinstance(right, QuantisedConsensus)
    own = {
        Arm.METHOD: right.own, Arm.BASELINE: OwnValue.TOTAL, Arm.FAULT: OwnValue.PARTIAL
    }[side]  # fmt: skip
    trace = run(replace(right, own=own), problem, steps=_STEPS, replicas=_REPLICAS, points=60)
    return at_end(trace, "squared_distance")


SIGNATURE = EffectCheck(
    row="quantised-consensus",
    problem="consensus",
    effect="compensating for what was quantised keeps the mean",
    quantity=f"E ||mean of the x_i - mean of the starts||^2 after {_STEPS} ticks [x^2]",
    method="compensating",
    baseline="quantised values averaged",
    fault="no compensation: the own value as it is, the other's quantised",
    at_most=1e-6,
    measure=measure,
    x_label="ticks",
    y_label="||mean of the x_i - mean of the starts||^2 [x^2]",
    source="Carli, Fagnani, Frasca, Zampieri 2010, arXiv:0907.0748, sections 3 to 5",
    told=f"n = {_N}, random pairs of a ring, grid of width 1/16, {_REPLICAS} replicas of seed 0",
    scales=("linear", "log"),
)
