"""Measured messages as the points of a link: times that grow, and throughputs that do not fall.

Between its points a link is affine with a start-up of at least 0, so time must grow with size and
throughput with it too. What is measured does neither everywhere: caches fill, other processes run.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from theory.seconds.protocols import Point

_FLATTEST, _STEEPEST = 1e-3, 1 - 1e-9  # slopes of log seconds by log bits


def link_points(bits: Sequence[float], seconds: Sequence[float]) -> tuple[tuple[Point, ...], float]:
    """The nearest points that a link can have, by least squares of logarithms; and how far the
    farthest was off, as a factor.

    Raises:
        ValueError: fewer than two messages, sizes that do not grow, or a time that is not positive.
    """
    sizes, times = (np.array(column, dtype=np.float64) for column in (bits, seconds))
    if sizes.size != times.size or sizes.size < 2:
        raise ValueError(
            f"messages must be at least two, got {sizes.size} sizes, {times.size} times"
        )
    if not ((np.diff(sizes) > 0).all() and sizes[0] > 0 and (times > 0).all()):
        raise ValueError("sizes must grow from above 0 and times be positive, got "
                         f"bits={list(bits)}, seconds={list(seconds)}")  # fmt: skip
    if not np.isfinite(times).all():
        raise ValueError(f"times must be finite, got seconds={list(seconds)}")
    steps = np.diff(np.log(sizes))
    design = np.concatenate(
        [np.ones((sizes.size, 1)), np.tri(sizes.size, steps.size, -1) * steps], axis=1
    )
    low = np.append(-np.inf, np.full(steps.size, _FLATTEST))
    high = np.append(np.inf, np.full(steps.size, _STEEPEST))
    fitted = design @ scipy.optimize.lsq_linear(design, np.log(times), (low, high)).x
    off = float(np.exp(np.abs(fitted - np.log(times)).max()))
    return tuple(zip(sizes.tolist(), np.exp(fitted).tolist(), strict=True)), off
