"""Sparse binary compression's code: b* + 1/(1 - (1 - p)^(2^b*)) bits a position (Golomb)."""

from __future__ import annotations

import math

import torch

from algorithms.codes.lists import Column, Lists, Records
from proofs_check.closed_forms.sparsification.drawn import SEED, draws_of
from proofs_check.instruments.evidence import mean_value
from proofs_check.verdict import Verdict
from theory import bits


def golomb_length(p: float) -> Verdict:
    """Mean bits of coded gaps that are geometric with parameter p, by the code, a position."""
    rows, count = 400, 200
    u = 1 - draws_of(rows, "golomb").uniform(count, torch.float64)
    distances = 1 + (u.log() / math.log1p(-p)).floor().to(torch.int64)
    code = Lists((), (Records((Column("gaps", bits.golomb_width(p), golomb=True),), count),))
    held = torch.full((rows, 1, 1), count)
    lengths = code.lengths((held, distances)).double() / count
    stated = bits.golomb_position(p)
    return mean_value(
        "sbc", f"Golomb's code takes {stated:.6g} bits a position at p = {p:g}",
        lengths.numpy(), stated, check="expected length",
        provenance=f"seed {SEED}, {rows} rows of {count} gaps",
    )  # fmt: skip


def sbc() -> tuple[Verdict, ...]:
    """For one position in ten and one in a hundred."""
    return tuple(golomb_length(p) for p in (0.1, 0.01))


CLOSED_FORMS = (sbc,)
