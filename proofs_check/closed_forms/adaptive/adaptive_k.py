"""Adaptive k: the virtual iterate."""

from __future__ import annotations

from itertools import pairwise

from algorithms.methods.adaptive.adaptive_k import AdaptiveK
from proofs_check.closed_forms.auxiliary.virtual_iterates import (
    mean_row,
    noisy,
    nothing_moves_it_else,
)
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.seconds.costs import ETHERNET_1G
from theory.stepsizes import ConstantStep

_GAMMA = 0.05


def adaptive_k_keeps() -> Verdict:
    """x - mean residual moves by the mean step: what the server did not move stays with workers."""
    method = AdaptiveK(ConstantStep(_GAMMA), ETHERNET_1G)
    gaps = []
    for before, after in pairwise(path(method, noisy(), 30)):
        g = mean_row(before.context.gradient(before.state.x, before.t))
        was, now = (s.x - mean_row(s.residual) for s in (before.state, after.state))
        gaps.append(now - was + _GAMMA * g)
    claim = "x - mean residual moves by -gamma mean g alone"
    return nothing_moves_it_else("adaptive-k", claim, gaps, "from k = 6 of 12, 30 steps")


def adaptive_k() -> tuple[Verdict, ...]:
    """What is not sent stays."""
    return (adaptive_k_keeps(),)


CLOSED_FORMS = (adaptive_k,)
