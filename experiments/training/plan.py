"""Specification of a training run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import final

import torch

DTYPES = {"float32": torch.float32, "float64": torch.float64}
"""Number types of parameters, by name."""


@final
@dataclass(frozen=True)
class TrainingPlan:
    """One training.

    Attributes:
        row: key of a row that a hook can play, or a hook of torch's (``torch:fp16``).
        steps: steps of SGD; rows whose parameters follow it are tuned to it.
        rate: learning rate.
        seed: of minibatches and compressors.
        dtype: number type of the parameters, by name.
        every: steps between two notes, and between two checkpoints.
        folder: of this training's checkpoints alone; None: none are written.

    Raises:
        ValueError: steps or every < 1, a rate that is not positive, or an unknown dtype.
    """

    row: str
    steps: int
    rate: float
    seed: int = 0
    dtype: str = "float32"
    every: int = 50
    folder: Path | None = None

    def __post_init__(self) -> None:
        if self.steps < 1 or self.every < 1:
            raise ValueError(
                f"steps and every must be at least 1, got steps={self.steps}, every={self.every}"
            )
        if not 0 < self.rate < math.inf:
            raise ValueError(f"rate must be positive and finite, got rate={self.rate}")
        if self.dtype not in DTYPES:
            raise ValueError(f"dtype must be {' or '.join(DTYPES)}, got dtype={self.dtype!r}")
