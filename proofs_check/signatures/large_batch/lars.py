"""LARS: one stepsize does for layers whose weights are of very different size."""

from __future__ import annotations

from algorithms.optimizers.momentum import Momentum
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.signatures.large_batch.layers import PROBLEM, STEPS, TOLD, loss

_GAMMA, _GRID = 64.0, (1e-4, 1e-3, 1e-2, 1e-1)


def measure(side: Arm) -> Measurement:
    """The training loss, with no noise."""
    return loss(side, "lars", _GAMMA, lambda _: Momentum(0.9), _GRID)


SIGNATURE = EffectCheck(
    row="lars",
    problem=PROBLEM,
    effect="one stepsize does for layers whose weights are of very different size",
    quantity=f"training loss after {STEPS} steps",
    method="LARS",
    baseline="momentum SGD at the best stepsize of four",
    fault="LARS with one ratio for the whole model",
    at_most=0.02,
    measure=measure,
    x_label="steps",
    y_label="training loss",
    source="You, Gitman, Ginsburg 2017, arXiv:1708.03888, Section 4: ||w||/||g|| differs by layer",
    told=f"gamma from {_GAMMA:g} to 0, the baseline's of {_GRID}; {TOLD}",
    scales=("linear", "log"),
)
