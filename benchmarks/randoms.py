"""Random numbers of workers' streams, against one generator of torch that fills the same tensor.

Each number of ours is a function of key, replica, worker and place (Philox); torch draws all of
one stream. Both on one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from algorithms.core.key import Key
from benchmarks.alternating import Rounds
from benchmarks.machine import timed

SHAPES = ((8, 50), (64, 1000), (256, 10_000))
DTYPES = (torch.float32, torch.float64)


def line(n: int, d: int, dtype: torch.dtype, turn: float, rounds: int) -> dict[str, Any]:
    """Time over torch's of uniforms and normals ``[n, d]``; a fresh key for each tensor."""
    key, workers, one = Key.seed(0), torch.arange(n), torch.zeros((), dtype=torch.int64)
    own = key.draws(one, workers)
    kinds: dict[str, Callable[[], Tensor]] = {
        "uniform": lambda: own.fold("noise", 1).uniform(d, dtype),
        "normal": lambda: own.fold("noise", 1).normal(d, dtype),
        "torch.rand": lambda: torch.rand((n, d), dtype=dtype),
        "torch.randn": lambda: torch.randn((n, d), dtype=dtype),
    }
    found = Rounds({name: partial(timed, draw) for name, draw in kinds.items()}, turn, rounds)
    return {
        "n": n,
        "d": d,
        "dtype": str(dtype).removeprefix("torch."),
        "speed": found.speed("uniform", n * d),
        "uniform": found.ratio("uniform", "torch.rand"),
        "normal": found.ratio("normal", "torch.randn"),
    }


def measured(
    turn: float, rounds: int, shapes: tuple[tuple[int, int], ...] = SHAPES
) -> dict[str, Any]:
    """A line for each shape and type."""
    return {"lines": [line(n, d, dtype, turn / 4, rounds) for dtype in DTYPES for n, d in shapes]}
