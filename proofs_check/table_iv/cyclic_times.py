"""Compute times that come again, so that an asynchronous schedule has a period."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Draws
from algorithms.synchronisation.base import ComputeTimes

_APART = 0.37  # seconds between the first arrivals of workers, so that no two ever coincide


@final
@dataclass(frozen=True)
class CyclicTimes(ComputeTimes):
    """Shifted exponential times, drawn once for ``count`` gradients of each worker; then the same
    again. Every worker's sum to ``count`` seconds: nobody's gradients come more often.

    Attributes:
        count: gradients after which a worker's times come again.
        seed: of the draws.
    """

    count: int
    seed: int = 0

    @property
    def name(self) -> str:
        return f"shifted exponential(0.5 + 0.5 s), the same after {self.count} gradients"

    def seconds(self, draws: Draws, count: int, first: int = 0) -> Tensor:
        workers = draws.workers.reshape(-1).tolist()
        number = np.arange(first, first + count)
        rows = [self._of(worker)[number % self.count] for worker in workers]
        ahead = np.outer(np.array(workers) + 1, number == 0) * _APART / (1 + max(workers))
        found = torch.from_numpy(np.stack(rows) + ahead)
        return found.reshape(*draws.workers.shape, count)

    def _of(self, worker: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        drawn = 0.5 + 0.5 * np.random.default_rng((self.seed, worker)).exponential(size=self.count)
        return np.asarray(drawn * self.count / drawn.sum())
