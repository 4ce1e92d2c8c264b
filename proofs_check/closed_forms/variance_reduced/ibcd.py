"""Independent blocks: what a step scales ||x||^2 by, its bits, its floor.

IBCD (Mishchenko, Hanzely, Richtarik 2019, arXiv:1901.09437): each of n workers takes tau of m
blocks, omega = m/tau - 1. On a ||x||^2 / 2 a step scales E||x||^2 by (1 - ga)^2 + omega (ga)^2 / n;
at tau = m/n, omega/n = (n - 1)/n: n times fewer bits for a step at most half as large (erratum E24
says whose bits these are). With minimisers that differ it stalls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from algorithms.compressors.blocks import BlockSampling
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.erratum import erratum
from proofs_check.closed_forms.variance_reduced.convergence import stalls
from proofs_check.instruments.evidence import mean_value
from proofs_check.verdict import Verdict
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


def e24() -> Verdict:
    """A worker's bits: at m/n of m blocks 1/n of gradient descent's, at m blocks all of them."""
    bits = [BlockSampling(400, taken).bits(4000, torch.float64) / (64 * 4000) for taken in (4, 400)]
    return erratum(
        "E24", "ibcd", "m/n blocks of m a worker send 1/n of the bits (m = 400, n = 100)",
        (bits[0], 1 / 100), (bits[1], 1 / 100),
        "omega/n = 0.99 there, so the largest step is more than half of that of gradient descent",
    )  # fmt: skip


def ibcd() -> tuple[Verdict, ...]:
    """At tau = m/n below, at and above the largest stable step; all blocks; E24; a floor."""
    edge = 2 / (1 + (_N - 1) / _N)
    steps = (0.5, 1.0, edge, 1.1 * edge)
    stopped = stalls(
        "ibcd", lambda s: BSP(s, BlockSampling(4)), 0.2, 4000, "IBCD of other minimisers"
    )
    return (*(one_step(gamma) for gamma in steps), one_step(1.0, 1), e24(), stopped)


CLOSED_FORMS = (ibcd,)
DEMONSTRATIONS = (("E24", ibcd),)
