"""Laws of momentum that several memories share: heavy ball, effective rate, settling."""

from __future__ import annotations

from typing import Any

import torch

from algorithms.compressors.identity import Identity
from algorithms.memories.base import Memory
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.momentum import Momentum
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.auxiliary.error_feedback import constant_gradient
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep

GAMMA, M = 0.05, 0.6


def uneven() -> Quadratic:
    """Four workers with different minimisers, no noise."""
    return Quadratic.strongly_convex(4, 12, zeta2=1.0)


def heavy_ball(memory: Memory[Any], row: str) -> Verdict:
    """With nothing held back the memory is heavy-ball SGD, step by step."""
    step = ConstantStep(GAMMA)
    ours = models(BSP(step, Identity(), memory), uneven(), 40)
    plain = models(BSP(step, optimizer=Momentum(M)), uneven(), 40)
    return identity(
        row, "uncompressed it is heavy-ball SGD", ours, plain, check="closed form",
        problem="quadratic", provenance=f"40 steps, gamma {GAMMA}, m {M}", tolerance=1e-11,
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
        outcome=Outcome.SUPPORTED if end <= limit else Outcome.REFUTED, statistic=end, bound=limit,
        resolution=0.0,
        evidence=f"|x_{steps}| = {end:.4g}", provenance="deterministic",
    )  # fmt: skip


def effective_rate(memory: Memory[Any], row: str) -> Verdict:
    """Under a constant gradient momentum m moves by gamma/(1-m) times it a step in the end."""
    problem = constant_gradient(torch.tensor([1.0, 0.4], dtype=torch.float64))
    x = models(BSP(ConstantStep(0.1), Identity(), memory), problem, 400)
    return identity(
        row, "m = 0.9, gamma = 0.1: the effective rate is gamma/(1-m) = 1",
        x[-2, 0] - x[-1, 0], [1.0, 0.4], check="closed form", problem="linear",
        provenance="400 steps, where m^400 < 1e-18",
    )  # fmt: skip
