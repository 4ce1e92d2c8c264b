"""Strom's threshold: an entry is sent once it has grown, so bits follow the way, not the steps."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from algorithms.catalogue import problem, row
from algorithms.engine.run import run
from algorithms.memories.base import NoMemory
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from theory.stepsizes import ConstantStep

_N, _STEPS, _TARGET, _REPLICAS = 8, 150, 0.002, 16
_GRID = (0.25, 0.5, 1.0)


@cache
def _logistic() -> Problem:
    return problem("logreg-breast-cancer", _N)


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target, each side at its best stepsize."""
    best = min(_GRID, key=lambda share: float(_seen(side, share, 1, 2).values.mean()))
    return _seen(side, best, 0, _REPLICAS)


def _seen(side: Arm, share: float, seed: int, replicas: int) -> Measurement:
    """A run of stepsize share / L."""
    step = ConstantStep(share / _logistic().constants().need("L"))
    own = row("strom-threshold").tune(_logistic(), _STEPS, step).method
    assert isinstance(own, BSP)
    method = {
        Arm.METHOD: own,
        Arm.BASELINE: BSP(step),
        Arm.FAULT: replace(own, memory=NoMemory()),
    }[side]
    trace = run(method, _logistic(), steps=_STEPS, seed=seed, replicas=replicas, points=_STEPS // 2)
    return to_reach(trace, _TARGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="strom-threshold",
    problem="logreg-breast-cancer",
    effect="entries that are sent once they exceed a threshold, and kept until then, take a small "
    "part of the bits at any stepsize",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="Strom's threshold",
    baseline="BSP with full gradients",
    fault="what is not sent is forgotten",
    at_most=0.25,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Strom 2015 (Interspeech), Section 3",
    told=f"n = {_N}, tau = 0.05, each at the best of the stepsizes {_GRID} / L on seed 1; "
    f"{_REPLICAS} replicas of seed 0",
)
