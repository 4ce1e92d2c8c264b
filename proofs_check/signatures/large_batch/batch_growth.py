"""Batch growth: a batch that doubles does what a stepsize that halves does, in fewer updates."""

from __future__ import annotations

from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.signatures.large_batch.growth import PROBLEM, TOLD, updates

_ROUNDS, _GAMMA, _TARGET = 100, 0.3, 8e-3


def measure(side: Arm) -> Measurement:
    """Updates to an accuracy, all sides within the same number of gradients."""
    return updates(side, "batch-growth", _ROUNDS, _GAMMA, _TARGET)


SIGNATURE = EffectCheck(
    row="batch-growth",
    problem=PROBLEM,
    effect="as many gradients give the same accuracy in a fraction of the updates",
    quantity=f"updates to f(x) - f* = {_TARGET:g}, with {_ROUNDS} updates' gradients to spend",
    method="batch growth",
    baseline="SGD with single gradients and the best decaying stepsize of three",
    fault="a batch that stays, with the same constant stepsize",
    at_most=0.6,
    measure=measure,
    x_label="updates",
    y_label="f(x_t) - f* [f]",
    source="Smith, Kindermans, Ying, Le 2018, arXiv:1711.00489, abstract: fewer parameter updates",
    told=f"gamma = {_GAMMA:g}, batches 1, 2, 4, 8, 16 for 20 updates each, {TOLD}",
)
