"""Strom's threshold: an entry is sent once it has grown, so most are silent most of the time."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from algorithms.catalogue import problem, row
from algorithms.memories.base import NoMemory
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.run import run
from proofs_check.instruments.signature import Seen, Side, Signature, to_reach
from theory.stepsizes import ConstantStep

_N, _STEPS, _TARGET, _REPLICAS = 16, 500, 0.005, 16
_STEP = ConstantStep(1 / 16)


@cache
def _problem() -> Problem:
    return problem("quadratic-sc", _N)


def measure(side: Side) -> Seen:
    """Bits of a worker until f - f* is at most the target."""
    own = row("strom-threshold").tune(_problem(), _STEPS, _STEP).method
    assert isinstance(own, BSP)
    method = {
        Side.METHOD: own,
        Side.BASELINE: BSP(_STEP),
        Side.FAULT: replace(own, memory=NoMemory()),
    }[side]
    trace = run(method, _problem(), steps=_STEPS, replicas=_REPLICAS, points=_STEPS // 2)
    return to_reach(trace, _TARGET, "sent_bits")


SIGNATURE = Signature(
    row="strom-threshold",
    problem="quadratic-sc",
    effect="entries that are sent once they exceed a threshold, and kept until then, take a small "
    "part of the bits",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="Strom's threshold",
    baseline="BSP with full gradients",
    fault="what is not sent is forgotten",
    at_most=0.25,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Strom 2015 (Interspeech), Section 3",
    told=f"n = {_N}, gamma = 1/16, tau = 0.05, {_REPLICAS} replicas of seed 0",
)
