"""Requirements of instruments on curves over replicas and on an error probability."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory.arrays import Floats


def replica_curves(one: ArrayLike, many: ArrayLike, name: str, names: str) -> tuple[Floats, Floats]:
    """``one`` ``[K]`` and ``many`` ``[R, K]`` in double precision; in errors they are ``name`` and
    ``names``.

    Raises:
        ValueError: other shapes, or fewer than 2 replicas.
    """
    single, rows = np.asarray(one, dtype=np.float64), np.asarray(many, dtype=np.float64)
    if single.ndim != 1 or rows.ndim != 2 or rows.shape[1] != single.size or not single.size:
        raise ValueError(
            f"{name} must be [K] and {names} [R, K], got shapes {single.shape} and {rows.shape}"
        )
    if rows.shape[0] < 2:
        raise ValueError(
            f"{names} must hold at least 2 replicas to know its error, got {len(rows)}"
        )
    return single, rows


def need_alpha(alpha: float) -> None:
    """Refuse an error probability that is none.

    Raises:
        ValueError: alpha outside (0, 1).
    """
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must lie in (0, 1), got alpha={alpha}")
