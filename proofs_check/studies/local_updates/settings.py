"""What studies of averaging once and of local SGD's speedup share: a skewed logistic problem."""

from __future__ import annotations

import torch

from algorithms.problems.logistic import Logistic
from algorithms.problems.regularisers import L2

SAMPLES = 48
PLACE = "skewed logistic"


def skewed(n: int) -> Logistic:
    """n workers with the same 48 samples in R^3, every eighth label negative."""
    generator = torch.Generator().manual_seed(5)
    spread = torch.randn(SAMPLES, 2, generator=generator, dtype=torch.float64) / 2
    features = torch.cat((torch.ones(SAMPLES, 1, dtype=torch.float64), spread), dim=1)
    labels = torch.where(torch.arange(SAMPLES) % 8 == 0, -1.0, 1.0).double()
    return Logistic.of(
        features.expand(n, SAMPLES, 3), labels.expand(n, SAMPLES), L2(0.02), batch=1,
        name=PLACE,
    )  # fmt: skip
