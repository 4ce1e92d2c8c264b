"""MSDA: accelerated duals reach the optimum in fewer rounds."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue import row
from algorithms.methods.base import Method
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.methods.gossip_dual.msda import MSDA
from algorithms.problems.relay import Relay
from algorithms.run import run
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
from proofs_check.instruments.signature import Seen, Side, Signature, to_reach
from proofs_check.mutants.gossip_dual import WithoutMomentum
from theory.stepsizes import ConstantStep

_N, _D, _KAPPA, _STEPS, _LONG, _TARGET = 8, 12, 400.0, 500, 2500, 1e-6
_BEST = ConstantStep(2 / _KAPPA)


def measure(side: Side) -> Seen:
    """Bits until all workers are at the optimum of the lower bound's own instance."""
    problem, steps = Relay(_N, _D, 1.0, _KAPPA), _STEPS
    right = row("ssda-msda").build(problem, _STEPS)
    assert isinstance(right, MSDA)
    method: Method[Any] = right
    if side is Side.BASELINE:
        method, steps = D2(_BEST, Lazy(Ring(_N))), _LONG
    elif side is Side.FAULT:
        method = WithoutMomentum(right)
    trace = run(method, problem, steps=steps, points=steps + 1)
    return to_reach(trace, _TARGET, "sent_bits", "distance_of_workers")


SIGNATURE = Signature(
    row="ssda-msda",
    problem="relay, kappa = 400, d = 12",
    effect="accelerated duals reach the optimum in fewer rounds",
    quantity=f"bits sent by a worker until (1/n) sum ||x_i - x*||^2 is {_TARGET:g} [bit]",
    method="MSDA",
    baseline="D-squared at the best stepsize",
    fault="no momentum on the dual",
    at_most=0.4,
    measure=measure,
    x_label="bits sent by a worker",
    y_label="(1/n) sum ||x_i - x*||^2 [x^2]",
    source="Scaman, Bach, Bubeck, Lee, Massoulie 2017, arXiv:1702.08704, Theorems 2 and 4",
    told=f"n = {_N}, ring; D-squared's stepsize the best of 0.5, 1, 1.5, 2, 3 and 4 over beta, the "
    "last two of which diverge; nothing is drawn",
    scales=("linear", "log"),
)
