"""QuanTimed-DSGD: a deadline instead of a batch, so that stragglers cost gradients, not time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.quantimed import QuanTimed
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.conditions import Repeated
from algorithms.synchronisation.stopwatch import Timing
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from theory.stepsizes import ConstantStep

_N, _STEPS, _STEP, _TARGET, _REPLICAS = 8, 400, ConstantStep(0.5), 0.02, 16
_LATE = 6e-3  # [s], until which nearly all three gradients of all have ended


def measure(side: Arm) -> Measurement:
    """Seconds until the mean model is accurate."""
    problem = Quadratic.strongly_convex(_N, 10, mu=0.2, sigma2=0.5, zeta2=0.5, R2=4.0)
    right = row("quantimed-dsgd").tune(problem, _STEPS, _STEP).method
    assert isinstance(right, QuanTimed)
    method: Method[Any] = right
    timing = Timing(right.times, right.link)
    if side is Arm.BASELINE:
        pace = ConstantStep(_STEP(0) * right.mixing_rule(0))
        method, problem = DPSGD(pace, Ring(_N)), problem.enlarged(right.most)
        timing = Timing(Repeated(right.times, right.most), right.link)
    elif side is Arm.FAULT:
        method = replace(right, deadline=_LATE)
    trace = run(method, problem, steps=_STEPS, replicas=_REPLICAS, timing=timing)
    return to_reach(trace, _TARGET, "seconds")


SIGNATURE = EffectCheck(
    row="quantimed-dsgd",
    problem="quadratic-sc, sigma2 = zeta2 = 1/2",
    effect="a deadline saves the time in which others wait for stragglers",
    quantity=f"seconds until f(x_t) - f* of the mean model is {_TARGET:g} [s]",
    method="QuanTimed-DSGD, deadline 2 ms",
    baseline="D-PSGD that waits for three gradients of each",
    fault="a deadline of 6 ms, by which nearly all gradients have ended",
    at_most=0.75,
    measure=measure,
    x_label="modelled time [s]",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Reisizadeh, Taheri, Mokhtari, Hassani, Pedarsani 2019, arXiv:1907.10595, section 5",
    told=f"n = {_N}, ring, a gradient takes 0.5 ms and an exponential rest of mean 0.5 ms, equal "
    f"steps of the mean model, {_REPLICAS} replicas of seed 0",
    scales=("linear", "log"),
)
