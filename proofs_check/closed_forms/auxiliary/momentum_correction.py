"""Momentum correction: heavy ball without compression, and velocities that are kept with it.

The survey's box as printed never reduces the residual (erratum E30); the right one settles.
"""

from __future__ import annotations

from itertools import pairwise

import torch

from algorithms.compressors.top_k import TopK
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.closed_forms.auxiliary.momentum import (
    GAMMA,
    effective_rate,
    heavy_ball,
    settles,
    uneven,
)
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

_M = 0.6


def velocities_are_kept(memory: MomentumCorrection, row: str) -> Verdict:
    """sum of messages + v = sum of velocities: x_t - mean v moves by the mean velocity alone."""
    method = BSP(ConstantStep(GAMMA), TopK(2), memory)
    moments = list(path(method, uneven(), 30))
    gaps = []
    for before, after in pairwise(moments):
        g = GAMMA * before.context.gradient(before.state.x, before.t)
        u = memory.m * before.state.memory.u + g
        was, now = (s.x - s.memory.v.mean(-2, keepdim=True) for s in (before.state, after.state))
        gaps.append(now - was + u.mean(-2, keepdim=True))
    return identity(
        row, "x - mean v moves by the mean velocity alone", torch.stack(gaps), 0.0,
        check="virtual iterate", problem="quadratic", provenance="top-2 of 12, 30 steps",
    )  # fmt: skip


def momentum_correction() -> tuple[Verdict, ...]:
    """Heavy ball, kept velocities, the parabola, the effective rate."""
    row = "momentum-correction"
    return (
        heavy_ball(MomentumCorrection(_M), row),
        velocities_are_kept(MomentumCorrection(_M), row),
        settles(MomentumCorrection(0.9), row, 0.01, 400, 1e-3),
        effective_rate(MomentumCorrection(0.9), row),
    )


CLOSED_FORMS = (momentum_correction,)
