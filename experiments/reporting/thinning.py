"""Thinned curves: the points that a picture cannot do without.

A point is left out where the straight line between its kept neighbours passes within a curve's
width of it, along every curve that shares the points (Ramer 1972; Douglas and Peucker 1973).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from theory.arrays import Floats, Ints

PIXELS = 540
"""Pixels across a picture."""

WIDTH = 1.5
"""Width of a curve, in pixels."""


def thinned(across: Sequence[Floats], upwards: Sequence[Floats], logs: tuple[bool, bool]) -> Ints:
    """Indices of the points ``[K]`` to keep of curves with common places.

    ``across`` are all choices of x, ``upwards`` the curves, ``logs`` whether axes are logarithmic.
    Where a value has no place on its axis, it and its neighbours are kept.
    """
    rows = [_places(x, logs[0]) for x in across] + [_places(y, logs[1]) for y in upwards]
    points = np.vstack(rows)
    count = points.shape[1]
    keep = np.zeros(count, dtype=bool)
    keep[[0, -1]] = True
    lost = ~np.isfinite(points).all(axis=0)
    for shift in (-1, 0, 1):
        keep |= np.roll(lost, shift)
    stops = np.flatnonzero(keep)
    waiting = list(zip(stops[:-1].tolist(), stops[1:].tolist(), strict=True))
    while waiting:
        first, last = waiting.pop()
        if last - first < 2:
            continue
        off = _distances(points[:, first : last + 1])
        far = int(np.argmax(off))
        if off[far] > WIDTH / PIXELS:
            keep[first + far] = True
            waiting += [(first, first + far), (first + far, last)]
    return np.flatnonzero(keep)


def _places(values: Floats, log: bool) -> Floats:
    """Places on an axis of length 1; NaN for what has none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        at = np.log10(np.where(values > 0, values, np.nan)) if log else values.astype(np.float64)
    at = np.where(np.isfinite(at), at, np.nan)
    if np.isnan(at).all():
        return at
    span = float(np.nanmax(at) - np.nanmin(at))
    return at / span if span > 0 else at - at


def _distances(points: Floats) -> Floats:
    """How far each point ``[K]`` lies from the line between the ends, at the place of the first
    axis; the largest over all others."""
    x = points[0]
    width = x[-1] - x[0]
    share = (x - x[0]) / width if width > 0 else np.linspace(0.0, 1.0, len(x))
    line = points[:, :1] + (points[:, -1:] - points[:, :1]) * share
    found: Floats = np.abs(points - line).max(axis=0)
    return found
