"""A descent of workers that differ, and what it costs in bits: the stage of compressed gradients.

Gradients are exact, but at the optimum those of single workers do not vanish: what an operator gets
wrong there keeps the model away, unless it is right on average or made good later.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from algorithms.catalogue import row
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from algorithms.run import Trace, run
from proofs_check.instruments.signature import Seen, to_reach
from theory.stepsizes import ConstantStep, Stepsize

N, D, STEPS = 8, 64, 300
STEP = ConstantStep(0.1)
REPLICAS = 32
"""Of a method that draws numbers; the others run once."""

ABOUT = f"quadratic-unequal with d = {D} and condition number 10 at most, no noise"
TOLD = f"n = {N}, gamma = {STEP.gamma:g}"


@cache
def problem() -> Quadratic:
    """:data:`N` workers with Hessians and minimisers of their own, gradients without noise."""
    return unequal(N, D, sigma2=0.0, ratio=10.0)


def by_row(key: str, step: Stepsize = STEP) -> Method[Any]:
    """The method of the catalogue's row ``key`` on this stage."""
    return row(key).tune(problem(), STEPS, step).method


def uncompressed(step: Stepsize = STEP) -> BSP:
    """BSP with full gradients."""
    return BSP(step)


def descent(
    method: Method[Any], replicas: int = 1, steps: int = STEPS, on: Quadratic | None = None
) -> Trace:
    """A run of seed 0 of which every step is recorded."""
    stage = problem() if on is None else on
    return run(method, stage, steps=steps, replicas=replicas, points=steps + 1)


def bits_to(trace: Trace, target: float) -> Seen:
    """Bits that each worker sends, in the mean, until f - f* is at most ``target``."""
    return to_reach(trace, target, "sent_bits")


def both_ways_to(trace: Trace, target: float) -> Seen:
    """Bits that each worker sends and receives until f - f* is at most ``target``."""
    both = replace(trace, sent_bits=trace.sent_bits + trace.received_bits)
    return bits_to(both, target)
