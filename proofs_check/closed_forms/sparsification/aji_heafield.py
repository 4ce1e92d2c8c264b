"""The threshold of a sample of s keeps r (d + 1)/(s + 1) on average."""

from __future__ import annotations

import torch

from algorithms.compressors.absolute_threshold import AbsoluteThreshold
from proofs_check.closed_forms.sparsification.drawn import SEED, draws_of
from proofs_check.instruments.evidence import mean_value
from proofs_check.verdict import Verdict

_REPLICAS = 4000


def sampled_threshold() -> Verdict:
    """E N = r (d + 1) / (s + 1) of a sampled threshold, at a Gaussian row."""
    d, operator = 200, AbsoluteThreshold(0.1, sample=40)
    x = draws_of(1, "row").normal(d, torch.float64).expand(_REPLICAS, 1, d)
    kept = (operator.compress(x, draws_of(_REPLICAS, "sample")) != 0).sum(-1).double()
    return mean_value(
        "aji-heafield", "a threshold found in s of d keeps r (d + 1)/(s + 1) on average",
        kept.numpy(), 4 * (d + 1) / 41, check="closed form",
        provenance=f"seed {SEED}, {_REPLICAS} draws, d = 200, s = 40, r = 4",
    )  # fmt: skip


def aji_heafield() -> tuple[Verdict, ...]:
    """How many coordinates a sampled threshold keeps, on drawn rows."""
    return (sampled_threshold(),)


CLOSED_FORMS = (aji_heafield,)
