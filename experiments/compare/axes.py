"""Axes along which rows are compared at equal amounts, and what a run spends of each."""

from __future__ import annotations

from typing import Literal

import numpy as np

from algorithms.engine.run import Trace
from theory.arrays import Floats

Axis = Literal["steps", "bits", "messages", "seconds", "gradients"]
AXES: dict[Axis, str] = {
    "steps": "steps",
    "bits": "bits sent and received per worker",
    "messages": "messages sent and received per worker",
    "seconds": "modelled time [s]",
    "gradients": "gradients per worker",
}
"""What a comparison may be at equal amounts of, with the label of its axis."""


def spending(trace: Trace, axis: Axis) -> Floats:
    """Cost of a run along an axis, by replica and record ``[R, K]``."""
    match axis:
        case "bits":
            return trace.sent_bits + trace.received_bits
        case "messages":
            return trace.messages
        case "seconds":
            return trace.seconds
        case "gradients":
            return trace.gradients
        case "steps":
            return np.broadcast_to(trace.steps.astype(np.float64), trace.suboptimality.shape)
