"""CoCoD-SGD: a period's messages take no time of their own, because local steps go on meanwhile."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.cooperative.cocod import CoCoD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.synchronisation.stopwatch import STANDARD, Timing
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.mutants.cooperative import ForgottenProgress
from proofs_check.signatures.local_updates.setting import D, N, uneven
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep

_STEPS, _TARGET, _STEP = 400, 0.05, ConstantStep(0.02)
_REPLICAS, _SEED = 16, 29
_SLOW = Timing(STANDARD.times, AlphaBeta(4e-3, 1e-9))


def measure(side: Arm) -> Measurement:
    """Modelled seconds to an accuracy, on links as slow as a period's gradients."""
    problem = uneven(sigma2=1.0)
    method = row("cocod-sgd").tune(problem, _STEPS, _STEP).method
    assert isinstance(method, CoCoD)
    sides: dict[Arm, Method[Any]] = {
        Arm.METHOD: method,
        Arm.BASELINE: LocalSGD(_STEP, method.period),
        Arm.FAULT: ForgottenProgress(method),
    }
    wanted = sides[side]
    trace = run(
        wanted, problem, steps=_STEPS, replicas=_REPLICAS, seed=_SEED, points=_STEPS + 1,
        timing=_SLOW,
    )  # fmt: skip
    return to_reach(trace, _TARGET, "seconds")


SIGNATURE = EffectCheck(
    row="cocod-sgd",
    problem=f"quadratic-unequal with curvatures from 1/4 to 1, d = {D}, sigma2 = 1",
    effect="messages take no time of their own, because local steps go on meanwhile",
    quantity=f"modelled time to f(x) - f* = {_TARGET:g} [s]",
    method="CoCoD-SGD, H = 8",
    baseline="local SGD, H = 8, which waits for the average, at the same stepsize",
    fault="what was done while the average came is dropped",
    at_most=0.8,
    measure=measure,
    x_label="modelled time [s]",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Shen et al. 2019, arXiv:1906.12043, Section 3: computation and communication decoupled",
    told=f"n = {N}, gamma = 0.02, a message of 4 ms and a gradient of 1 ms, {_REPLICAS} replicas, "
    f"seed {_SEED}",
    scales=("linear", "log"),
)
