"""Window: gradients that arrive while an exchange is under way fall into its tick."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import torch

from algorithms.kernels import barrier_ticks
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.worker_states import Decision, WorkerStates


@final
@dataclass(frozen=True)
class Window(Barrier):
    """Nobody is waited for, but a tick lasts ``seconds``: whoever arrives by its end is in it.

    A tick opens when the first gradient arrives. Those in it start their next gradient at its end.
    With 0 seconds it is :class:`~algorithms.synchronisation.barriers.Asynchronous`, but for ties.
    Between peers it says whose exchanges overlap in time.

    Raises:
        ValueError: seconds is negative or not finite.
    """

    seconds: float

    tolerant: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.seconds < np.inf:
            raise ValueError(f"seconds must be finite and at least 0, got seconds={self.seconds}")

    @property
    def name(self) -> str:
        return f"window({self.seconds:g} s)"

    def decide(self, now: WorkerStates) -> Decision:
        opened = np.maximum(now.finish.min(axis=1), now.now)
        end = opened + self.seconds
        arrived = (now.finish <= end[:, None]) & np.isfinite(now.finish)
        return Decision(end, arrived, arrived, arrived)

    def row_kernel(self) -> RowPart:
        return RowPart(
            barrier_ticks.window, numbers(torch.float64, reals=(self.seconds,)), draws=False
        )
