"""Faults planted in LoCo's memory, each refuted by a closed form of its row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.memories.base import Memory, Round
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.moving_average_feedback import MovingAverageFeedback
from proofs_check.evidence.compressed_optimizers.closed_forms_loco import (
    loco_average,
    loco_is_feedback,
    loco_path,
)
from proofs_check.mutants.method_mutant import MethodMutant, fault


@final
@dataclass(frozen=True)
class AveragedInputs(Memory[Tensor]):
    """Average of what was to be sent, not of what was left out of it.

    Attributes:
        b: weight of the newest input.
    """

    b: float

    after_reads: ClassVar[frozenset[str]] = frozenset({"wanted", "sent"})

    @property
    def name(self) -> str:
        return "moving average of inputs"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
        return torch.zeros(shape, dtype=dtype, device=device)

    def before(self, state: Tensor, x: Tensor) -> Tensor:
        return state + x

    def after(self, state: Tensor, round_: Round) -> Tensor:
        return (1 - self.b) * state + self.b * round_.wanted


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "LoCo that never resets", "the average is not forgotten at intervals", loco_path,
        MovingAverageFeedback(0.25),
    ),
    fault(
        "LoCo of the newest error", "e is the last error whole, not an average", loco_path,
        MovingAverageFeedback(1.0, 7),
    ),
    fault(
        "LoCo that forgets", "e is always 0", loco_is_feedback, MovingAverageFeedback(0.0),
    ),
    fault("LoCo of inputs", "e averages inputs, not errors", loco_path, AveragedInputs(0.25)),
    fault(
        "error feedback as LoCo", "errors add up, where their average stays", loco_average,
        ErrorFeedback(),
    ),
)  # fmt: skip
