r"""Block coordinate descent: independent blocks, blocks by turns, and two errata.

IBCD (Mishchenko, Hanzely, Richtarik 2019, arXiv:1901.09437): each of n workers takes tau of m
blocks, omega = m/tau - 1. On a ||x||^2 / 2 a step scales E||x||^2 by (1 - ga)^2 + omega (ga)^2 / n;
at tau = m/n, omega/n = (n - 1)/n: n times fewer bits for a step at most half as large. BCD by turns
on separable functions: m steps are one step of gradient descent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.compressors.blocks import BlockInTurn, BlockSampling
from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.norm_ternary import NormTernary
from algorithms.compressors.qsgd import QSGD
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.diana import Diana
from algorithms.problems.quadratic import Quadratic
from algorithms.run import run
from proofs_check.closed_forms.errata.errata import erratum
from proofs_check.closed_forms.variance_reduced.shifts import played
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.instruments.paths import models
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Stepsize], Method[Any]]

_N, _BLOCKS, _D = 4, 16, 32
_REPLICAS = 20_000


def _independent(taken: int) -> Build:
    return lambda step: BSP(step, BlockSampling(_BLOCKS, taken))


def one_step(gamma: float, taken: int = _BLOCKS // _N, build: Build | None = None) -> Verdict:
    """E||x_1||^2 / ||x_0||^2 for f_i = ||x||^2 / 2, tau = ``taken`` of 16 blocks, 4 workers."""
    a = torch.ones((_N, _D), dtype=torch.float64)
    x0 = torch.linspace(-1.0, 3.0, _D, dtype=torch.float64)
    problem = Quadratic.from_arrays(a, torch.zeros_like(a), x0=x0)
    make = build or _independent(taken)
    trace = run(
        make(ConstantStep(gamma)), problem, steps=1, seed=taken, replicas=_REPLICAS, points=2
    )
    omega = _BLOCKS / taken - 1
    return mean_value(
        "ibcd",
        f"E||x||^2 factor = (1-ga)^2 + omega (ga)^2/n at ga={gamma:g}, {taken} of {_BLOCKS} blocks",
        trace.model.square().sum(-1).numpy() / float(x0.square().sum()),
        (1 - gamma) ** 2 + omega * gamma**2 / _N,
        check="closed form IBCD",
        problem=problem.name,
        provenance=f"seed {taken}, {_REPLICAS} replicas, n={_N}",
        note=f"omega/n = {omega / _N:g}",
    )


def turns() -> Verdict:
    """After m K steps by turns the model is that of gradient descent after K steps."""
    problem = Quadratic.strongly_convex(_N, _D, sigma2=0.0, zeta2=1.0)
    step, cycles = ConstantStep(1.0), 12
    blocks = models(BSP(step, BlockInTurn(8)), problem, 8 * cycles)[::8]
    return identity(
        "bcd",
        "m K steps by turns = K steps of gradient descent on a separable function",
        blocks.numpy(),
        models(BSP(step), problem, cycles).numpy(),
        check="closed form BCD",
        problem=problem.name,
        provenance=f"Beck, Tetruashvili 2013 (cyclic, linear rate); {cycles} cycles of 8 blocks",
    )


def e24() -> Verdict:
    """A worker's bits: at m/n of m blocks 1/n of gradient descent's, at m blocks all of them."""
    bits = [BlockSampling(400, taken).bits(4000, torch.float64) / (64 * 4000) for taken in (4, 400)]
    return erratum(
        "E24", "ibcd", "m/n blocks of m a worker send 1/n of the bits (m = 400, n = 100)",
        (bits[0], 1 / 100), (bits[1], 1 / 100),
        "omega/n = 0.99 there, so the largest step is more than half of that of gradient descent",
    )  # fmt: skip


def e26() -> Verdict:
    """Without noise, shifts without blocks converge, blocks without shifts do not."""
    gamma, steps = 0.1, 4000
    ends = []
    split = Buckets(NormTernary(), 5)
    for make in (lambda s: Diana(s, QSGD(4)), lambda s: BSP(s, split)):
        distance = played(make, gamma, steps).squared_distance
        ends.append(float(np.max(distance[:, -1]) / distance[0, 0]))
    shifted, blocked = ends
    seen = shifted <= 1e-10 and blocked >= 1e-4
    return Verdict(
        subject="diana", claim="DIANA's gain comes from differences to shifts, not from blocks",
        check="erratum E26", outcome=Outcome.PROVED if seen else Outcome.REFUTED,
        statistic=shifted, bound=1e-10,
        evidence=f"||x_T - x*||^2/||x_0 - x*||^2: shifts on the whole vector {shifted:.3g}, blocks "
        f"of 5 without shifts {blocked:.3g}",
        provenance=f"survey erratum E26; gamma {gamma}, {steps} steps, seed 0",
    )  # fmt: skip


def blocks() -> tuple[Verdict, ...]:
    """All of it; independent blocks at tau = m/n below, at and above the largest stable step."""
    edge = 2 / (1 + (_N - 1) / _N)
    steps = (0.5, 1.0, edge, 1.1 * edge)
    return (*(one_step(gamma) for gamma in steps), one_step(1.0, 1), turns(), e24(), e26())


CLOSED_FORMS = (blocks,)
