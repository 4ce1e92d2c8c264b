"""The function on which signs alone stay on a line that the minimum is not on."""

from __future__ import annotations

import torch

from algorithms.problems.absolute import Absolute

EPS = 0.5


def counterexample(start: tuple[float, float] = (0.0, 0.0)) -> Absolute:
    """f = eps |x_0 + x_1| + |x_0 - x_1|, the mean of two absolute errors of one worker.

    Coordinates are counted from ``start``, so that runs begin there. (Karimireddy, Rebjock, Stich,
    Jaggi 2019, arXiv:1901.09847, Counterexample 2.)
    """
    features = torch.tensor([[[2 * EPS, 2 * EPS], [2.0, -2.0]]], dtype=torch.float64)
    targets = -(features @ torch.tensor(start, dtype=torch.float64))
    return Absolute("second counterexample", features, targets)
