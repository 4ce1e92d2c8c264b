"""CR-PSGD: batches that grow all along give the accuracy of single gradients in few rounds."""

from __future__ import annotations

from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.signatures.large_batch.growth import PROBLEM, TOLD, updates

_ROUNDS, _GAMMA, _TARGET = 60, 0.3, 5e-3


def measure(side: Arm) -> Measurement:
    """Updates to an accuracy, all sides within the same number of gradients."""
    return updates(side, "cr-psgd", _ROUNDS, _GAMMA, _TARGET)


SIGNATURE = EffectCheck(
    row="cr-psgd",
    problem=PROBLEM,
    effect="as many gradients give the same accuracy in a fraction of the updates",
    quantity=f"updates to f(x) - f* = {_TARGET:g}, with {_ROUNDS} updates' gradients to spend",
    method="CR-PSGD",
    baseline="SGD with single gradients and the best decaying stepsize of three",
    fault="a batch that stays, with the same constant stepsize",
    at_most=0.25,
    measure=measure,
    x_label="updates",
    y_label="f(x_t) - f* [f]",
    source="Yu, Jin 2019, arXiv:1905.04346, Theorem 1: O(1/(nT)) with O(log T) rounds",
    told=f"gamma = {_GAMMA:g}, batches 1 to 64, {TOLD}",
)
