"""Momentum under compression: what is kept, what the survey's boxes do.

Virtual iterates of memories; the survey's momentum boxes as printed (errata E30, E31) beside the
right ones; gTop-k's accounts.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.compressors.top_k import TopK
from algorithms.memories.base import Memory, NoMemory
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.methods.adaptive.gtop_k import GTopK
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.momentum import Momentum
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep

_GAMMA, _M = 0.05, 0.6


def _problem() -> Quadratic:
    return Quadratic.strongly_convex(4, 12, zeta2=1.0)


def heavy_ball(memory: Memory[Any], row: str) -> Verdict:
    """With nothing held back the memory is heavy-ball SGD, step by step."""
    step = ConstantStep(_GAMMA)
    ours = models(BSP(step, Identity(), memory), _problem(), 40)
    plain = models(BSP(step, optimizer=Momentum(_M)), _problem(), 40)
    return identity(
        row, "uncompressed it is heavy-ball SGD", ours, plain, check="closed form C16",
        problem="quadratic", provenance=f"40 steps, gamma {_GAMMA}, m {_M}", tolerance=1e-11,
    )  # fmt: skip


def velocities_are_kept(memory: MomentumCorrection, row: str) -> Verdict:
    """sum of messages + v = sum of velocities: x_t - mean v moves by the mean velocity alone."""
    method = BSP(ConstantStep(_GAMMA), TopK(2), memory)
    moments = list(path(method, _problem(), 30))
    gaps = []
    for before, after in pairwise(moments):
        g = _GAMMA * before.world.gradient(before.state.x, before.t)
        u = memory.m * before.state.memory.u + g
        was, now = (s.x - s.memory.v.mean(-2, keepdim=True) for s in (before.state, after.state))
        gaps.append(now - was + u.mean(-2, keepdim=True))
    return identity(
        row, "x - mean v moves by the mean velocity alone", torch.stack(gaps), 0.0,
        check="virtual iterate", problem="quadratic", provenance="top-2 of 12, 30 steps",
    )  # fmt: skip


def one_dimensional(memory: Memory[Any], gamma: float, steps: int) -> float:
    """|x_T| on f = x^2/2 from x_0 = 1, uncompressed, one worker."""
    one = torch.ones((1, 1), dtype=torch.float64)
    problem = Quadratic(name="parabola", a=one, c=0 * one, x_star=0 * one[0], x0=one[0])
    end = models(BSP(ConstantStep(gamma), Identity(), memory), problem, steps)[-1]
    return float(end.abs().max())


def settles(memory: Memory[Any], row: str, gamma: float, steps: int, limit: float) -> Verdict:
    """f = x^2/2, m = 0.9: |x_T| ends below the limit."""
    end = one_dimensional(memory, gamma, steps)
    return Verdict(
        subject=row, problem="x^2/2", check="momentum box",
        claim=f"|x_{steps}| <= {limit:g} from x_0 = 1, m = 0.9, gamma = {gamma:g}, uncompressed",
        outcome=Outcome.PROVED if end <= limit else Outcome.REFUTED, statistic=end, bound=limit,
        evidence=f"|x_{steps}| = {end:.4g}", provenance="deterministic",
    )  # fmt: skip


def tree_of_two(make: Callable[..., Any] = GTopK) -> Verdict:
    """Reference vector: k = 1, g = (5,4,0,0) and (0,4,5,0): gTop-1 is (5,0,0,0), not 8 at 2."""
    g = torch.tensor([[5.0, 4, 0, 0], [0, 4, 5, 0]], dtype=torch.float64)
    zero = torch.zeros(4, dtype=torch.float64)
    problem = Quadratic(name="linear", a=torch.zeros_like(g), c=-g, x_star=zero, x0=zero)
    end = models(make(ConstantStep(1.0), 1), problem, 1)[-1, 0]
    return identity(
        "gtop-k", "gTop-1 of (5,4,0,0) and (0,4,5,0) is (5,0,0,0)", -2 * end, [5.0, 0, 0, 0],
        check="reference vector", provenance="x moves by -1/2 of it",
    )  # fmt: skip


def accounts_of_two(make: Callable[..., Any] = GTopK) -> Verdict:
    """Two workers: one merge, and nothing is lost."""
    problem = Quadratic.strongly_convex(2, 12, zeta2=1.0)
    return identity(
        "gtop-k", "two workers: x - mean residual moves by the mean gradient step alone",
        _lost(make(ConstantStep(_GAMMA), 3), problem), 0.0, check="virtual iterate",
        problem="quadratic", provenance="top-3 of 12, 30 steps",
    )  # fmt: skip


def _lost(method: Any, problem: Quadratic) -> Tensor:
    """What neither the model nor the residuals account for, step by step."""
    gaps = []
    for before, after in pairwise(path(method, problem, 30)):
        g = before.world.gradient(before.state.x, before.t).mean(-2, keepdim=True)
        was, now = (s.x - s.residual.mean(-2, keepdim=True) for s in (before.state, after.state))
        gaps.append(now - was + _GAMMA * g)
    return torch.stack(gaps)


def tree_loses() -> Verdict:
    """Eight workers: a merge drops what another branch brings back, and no residual keeps it."""
    problem = Quadratic.strongly_convex(8, 12, zeta2=1.0)
    lost = float(_lost(GTopK(ConstantStep(_GAMMA), 3), problem).abs().max())
    return Verdict(
        subject="gtop-k", problem="quadratic", check="virtual iterate",
        claim="from three workers on the paper's residual rule loses mass in merges",
        outcome=Outcome.PROVED if lost > 1e-6 else Outcome.REFUTED, statistic=lost, bound=0.0,
        evidence=f"up to {lost:.3g} a step in one coordinate is in no residual",
        provenance="Shi et al. 2019, Algorithm 4; n = 8, top-3 of 12, 30 steps; found here",
    )  # fmt: skip


def momentum() -> tuple[Verdict, ...]:
    """All of it."""
    return (
        heavy_ball(MomentumCorrection(_M), "momentum-correction"),
        heavy_ball(GlobalMomentum(_M), "gmc"),
        velocities_are_kept(MomentumCorrection(_M), "momentum-correction"),
        settles(MomentumCorrection(0.9), "momentum-correction", 0.01, 400, 1e-3),
        settles(GlobalMomentum(0.9), "gmc", 0.01, 200, 1e-2),
        settles(NoMemory(), "bsp-sgd", 0.01, 1000, 1e-3),
        tree_of_two(),
        accounts_of_two(),
        tree_loses(),
    )


CLOSED_FORMS = (momentum,)
