"""Variance-based sparsification with its rounding kept: the virtual iterate."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor

from algorithms.methods.adaptive.variance_based import VarianceBased
from proofs_check.closed_forms.auxiliary.virtual_iterates import (
    mean_row,
    noisy,
    nothing_moves_it_else,
)
from proofs_check.instruments.paths import Snapshot, path
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

_GAMMA = 0.05


def variance_based_keeps(keep: bool = True) -> Verdict:
    """With its rounding kept, x - gamma mean r moves by the mean gradient of the micro-batches."""
    method = VarianceBased(ConstantStep(_GAMMA), keep=keep)

    def micro(moment: Snapshot) -> Tensor:
        return mean_row(
            sum(method.samples(moment.state.x, moment.t, moment.context), torch.zeros(()))
        )

    gaps = []
    for before, after in pairwise(path(method, noisy(), 30)):
        was, now = (s.x - _GAMMA * mean_row(s.r) for s in (before.state, after.state))
        gaps.append(now - was + _GAMMA * micro(before))
    claim = "rounding kept: x - gamma mean r moves by -gamma mean g alone"
    return nothing_moves_it_else("variance-based", claim, gaps, "B = 4, alpha 1, 30 steps")


def variance_based() -> tuple[Verdict, ...]:
    """What is not sent stays, if rounding is kept."""
    return (variance_based_keeps(),)


CLOSED_FORMS = (variance_based,)
