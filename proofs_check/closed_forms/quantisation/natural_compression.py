"""Natural compression: the probability of rounding down (erratum E9)."""

from __future__ import annotations

import math

import torch

from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.core.key import Key
from proofs_check.instruments.evidence import mean_value
from proofs_check.verdict import Verdict


def rounding_down() -> tuple[Verdict, ...]:
    """p(t) of natural compression, measured at t = 2.5: down with probability 3/4."""
    count, seed = 1_000_000, 51
    x = torch.full((1, count), 2.5, dtype=torch.float64)
    draws = Key.seed(seed).fold("e9").draws(torch.tensor(0), torch.arange(1))
    sent = NaturalCompression().compress(x, draws)
    printed = 2.0 ** -math.floor(math.log2(2.5)), 2.0 ** -math.floor(math.log2(0.3))
    return (
        mean_value(
            "natural-compression",
            "P(round 2.5 down to 2) = (4 - 2.5)/2 = 3/4, so E C(2.5) = 2.5",
            (sent[0] == 2.0).double().numpy(),
            0.75,
            check="probability of rounding down",
            provenance=f"seed {seed}",
            note=f"as printed p = {printed[0]:g}, so E = {4 - 2 * printed[0]:g}; "
            f"at t = 0.3 printed p = {printed[1]:g} > 1",
        ),
    )


CLOSED_FORMS = (rounding_down,)
