"""LAMB: one stepsize does for layers whose weights are of very different size."""

from __future__ import annotations

from algorithms.optimizers.lamb import adam
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.signatures.large_batch.layers import PROBLEM, STEPS, TOLD, loss

_GAMMA, _GRID = 0.08, (1e-3, 3e-3, 1e-2, 3e-2)


def measure(side: Arm) -> Measurement:
    """The training loss, with no noise."""
    return loss(side, "lamb", _GAMMA, lambda problem: adam(problem.shapes, decay=0.01), _GRID)


SIGNATURE = EffectCheck(
    row="lamb",
    problem=PROBLEM,
    effect="one stepsize does for layers whose weights are of very different size",
    quantity=f"training loss after {STEPS} steps",
    method="LAMB",
    baseline="AdamW at the best stepsize of four",
    fault="LAMB with one ratio for the whole model",
    at_most=0.01,
    measure=measure,
    x_label="steps",
    y_label="training loss",
    source="You et al. 2020, arXiv:1904.00962, Section 3: learning rates adapted by layer",
    told=f"gamma from {_GAMMA:g} to 0, the baseline's of {_GRID}; {TOLD}",
    scales=("linear", "log"),
)
