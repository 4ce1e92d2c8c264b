"""What the method sends, to whom, and how it steps."""

from __future__ import annotations

import numpy as np


def top_half(x):
    """Half of the entries of x, the largest."""
    kept = np.zeros_like(x)
    places = np.argsort(-np.abs(x), kind="stable")[: (len(x) + 1) // 2]
    kept[places] = x[places]
    return kept


def lazy_ring(n):
    """W of a ring: half to oneself, a quarter to each neighbour."""
    eye = np.eye(n)
    return eye / 2 + (np.roll(eye, 1, 0) + np.roll(eye, -1, 0)) / 4


def tracking_start(x0, gradients):
    """All at x0, each with its own gradient."""
    x = np.tile(x0, (gradients.instance.n, 1))
    return {"x": x, "y": gradients(x), "g": gradients(x)}


def tracking(state, gradients, W, eta):
    """Gradient tracking: y follows the mean gradient."""
    x = W @ state["x"] - eta * state["y"]
    g = gradients(x)
    return {"x": x, "y": W @ state["y"] + g - state["g"], "g": g}
