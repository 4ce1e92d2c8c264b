"""The stage of accelerated duals: the lower bound's own instance, against D-squared at its best."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.problems.nesterov_chain import NesterovChain
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from theory.stepsizes import ConstantStep

_N, _D, _KAPPA, _STEPS, _LONG, _TARGET = 8, 12, 400.0, 500, 2500, 1e-6
_BEST = ConstantStep(2 / _KAPPA)


def fewer_rounds(
    key: str, effect: str, method: str, source: str, slow: Callable[[Any], Method[Any]]
) -> EffectCheck:
    """That the row reaches the optimum for fewer bits than D-squared; ``slow`` takes its momentum.

    Bits are those of a worker until all workers are at the optimum of the relay.
    """

    def measure(side: Arm) -> Measurement:
        problem, steps = NesterovChain(_N, _D, 1.0, _KAPPA), _STEPS
        right = row(key).build(problem, _STEPS)
        wanted: Method[Any] = right
        if side is Arm.BASELINE:
            wanted, steps = D2(_BEST, Lazy(Ring(_N))), _LONG
        elif side is Arm.FAULT:
            wanted = slow(right)
        trace = run(wanted, problem, steps=steps, points=steps + 1)
        return to_reach(trace, _TARGET, "sent_bits", "distance_of_workers")

    return EffectCheck(
        row=key,
        problem="relay, kappa = 400, d = 12",
        effect=effect,
        quantity=f"bits sent by a worker until (1/n) sum ||x_i - x*||^2 is {_TARGET:g} [bit]",
        method=method,
        baseline="D-squared at the best stepsize",
        fault="no momentum on the dual",
        at_most=0.4,
        measure=measure,
        x_label="bits sent by a worker",
        y_label="(1/n) sum ||x_i - x*||^2 [x^2]",
        source=source,
        told=f"n = {_N}, ring; D-squared's stepsize the best of 0.5, 1, 1.5, 2, 3 and 4 over beta, "
        "the last two of which diverge; nothing is drawn",
        scales=("linear", "log"),
    )
