"""The vectors that break compressors: zero, ties, one sign, one entry, huge and tiny values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from proofs_check.audit.traits import ordinary

HUGE, TINY = 1e30, 1e-40


@final
@dataclass(frozen=True)
class Family:
    """``name`` says what ``vector(d)`` ``[d]`` is; ``scale`` is its size, 1 for ordinary ones.

    Attributes:
        name: what the vectors are.
        vector: d -> a vector ``[d]``.
    """

    name: str
    vector: Callable[[int], Tensor]
    scale: float = 1.0


def _heavy(d: int) -> Tensor:
    return ordinary(d, 2) / ordinary(d, 3).abs().clamp_min(1e-3)


def _ties(d: int) -> Tensor:
    signs = torch.where(torch.arange(d) % 2 == 0, 3.0, -3.0)
    return signs.to(torch.float64)


FAMILIES = (
    Family("zero", lambda d: torch.zeros(d, dtype=torch.float64)),
    Family("ties", _ties),
    Family("constant", lambda d: torch.ones(d, dtype=torch.float64)),
    Family("negative-only", lambda d: -torch.arange(1.0, d + 1, dtype=torch.float64)),
    Family("one-hot", lambda d: torch.where(torch.arange(d) == d // 2, -2.0, 0.0).double()),
    Family("heavy-tailed", _heavy),
    Family("huge", ordinary, HUGE),
    Family("tiny", ordinary, TINY),
)
