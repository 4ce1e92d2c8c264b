"""What studies of local SGD over gossip share: workers, the exact boundary, pictures."""

from __future__ import annotations

import numpy as np

from proofs_check.closed_forms.gossip_local.gossip_local_moments import Recursion, boundary
from proofs_check.curves import PanelLine
from theory.arrays import Floats

GAMMA = 0.01
RINGS = (8, 16, 32, 64)


def alternating(n: int) -> Floats:
    """Curvatures 3, -1, 3, -1, ... ``[n]``: mean 1."""
    return np.where(np.arange(n) % 2 == 0, 3.0, -1.0)


def along_slowest(n: int) -> Floats:
    """1 + 2 sqrt(2) cos(2 pi i / n) ``[n]``: mean and variance as those that alternate."""
    return np.asarray(1 + 2 * np.sqrt(2) * np.cos(2 * np.pi * np.arange(n) / n))


def longest(w: Floats, a: Floats, gamma: float = GAMMA) -> float:
    """H* of plain gossip, a real number."""
    return boundary(lambda h: Recursion(w, a, 0 * a, gamma, h).growth(), 1e-6, 1e4)


def pictured(lines: dict[str, tuple[Floats, Floats]]) -> tuple[PanelLine, ...]:
    """Lines by label, as a picture's."""
    return tuple(PanelLine(label, x, y) for label, (x, y) in lines.items())


def workers(n: int) -> tuple[Floats, Floats]:
    """Curvatures and slopes ``[n]``: x* = 0, zeta^2 = 1/2 there, correlated with the curvature."""
    wave = np.cos(2 * np.pi * np.arange(n) / n)
    return 1 + 0.5 * wave, wave
