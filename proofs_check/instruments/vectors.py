"""The vectors at which operators are looked at: exact ones, and families for sampling."""

from __future__ import annotations

import torch
from torch import Tensor

from algorithms.core.key import Key

SMALL_VECTORS: tuple[tuple[int, ...], ...] = (
    (3, -4, 0, 12),
    (1, 1, 1, 1),
    (0, -5, 0, 0),
    (0, 0, 0, 0),
    (-1, -1, -3, -5),
    (2, 4, -5, 6),
    (1, -7, 7, 1),
    (3, 1, 1, 1),
    (4, 4, -4, 4),
    (1, -2, 2),
    (4, 4, 4),
    (3, -4),
    (-7,),
)


def check_vectors(d: int, key: Key) -> dict[str, Tensor]:
    """The vectors ``[d]`` (float64) that Monte Carlo looks at."""
    draws = key.draws(torch.arange(3), torch.zeros(1, dtype=torch.int64))
    normal = draws.normal(d, torch.float64)[:, 0]
    place = torch.arange(d)
    return {
        "gaussian": normal[0],
        "one-hot": torch.where(place == d // 2, -2.5, 0.0).to(torch.float64),
        "flat": torch.full((d,), 0.75, dtype=torch.float64),
        "heavy-tailed": normal[1] / normal[2].abs().clamp_min(1e-6),
        "zero": torch.zeros(d, dtype=torch.float64),
        "negative-only": -normal[1].abs() - 1e-3,
    }
