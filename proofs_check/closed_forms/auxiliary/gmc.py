"""Global momentum: heavy ball without compression; the virtual iterate with it.

The survey's box divides by no stepsize and has a momentum of gamma m (erratum E31).
"""

from __future__ import annotations

from itertools import pairwise

import torch

from algorithms.compressors.top_k import TopK
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.closed_forms.auxiliary.momentum import M, effective_rate, heavy_ball, settles
from proofs_check.closed_forms.auxiliary.virtual_iterates import (
    mean_row,
    noisy,
    nothing_moves_it_else,
)
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

_GAMMA = 0.05


def global_momentum_is_kept(m: float = 0.6) -> Verdict:
    """x - mean e moves by the mean step and m times the model's last move: nothing else is lost."""
    method = BSP(ConstantStep(_GAMMA), TopK(2), GlobalMomentum(m))
    gaps, last = [], torch.zeros(())
    for before, after in pairwise(path(method, noisy(), 30)):
        g = mean_row(before.context.gradient(before.state.x, before.t))
        was, now = (s.x - mean_row(s.memory.residual) for s in (before.state, after.state))
        gaps.append(now - was + _GAMMA * g - 0.6 * last)
        last = after.state.x - before.state.x
    claim = "x - mean e moves by -gamma mean g + m (x_t - x_{t-1}) alone"
    return nothing_moves_it_else("gmc", claim, gaps, "top-2 of 12, m 0.6, 30 steps")


def gmc() -> tuple[Verdict, ...]:
    """Heavy ball, the parabola, the virtual iterate, the effective rate."""
    row = "gmc"
    return (
        heavy_ball(GlobalMomentum(M), row),
        settles(GlobalMomentum(0.9), row, 0.01, 200, 1e-2),
        global_momentum_is_kept(),
        effective_rate(GlobalMomentum(0.9), row),
    )


CLOSED_FORMS = (gmc,)
