"""Downpour: gradients are pushed in fours, and hardly less is learnt."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from theory.stepsizes import ConstantStep

_N, _STEPS, _REPLICAS, _TARGET = 8, 500, 16, 2e-2
_STEP = ConstantStep(0.02)


def measure(side: Arm) -> Measurement:
    """Bits a worker sends until the server's model is good enough."""
    stage = Quadratic.strongly_convex(_N, 20, sigma2=0.01, zeta2=1.0)
    method = row("downpour").tune(stage, _STEPS, _STEP).method
    assert isinstance(method, Downpour)
    if side is not Arm.METHOD:  # every gradient is pushed, a model fetched for each
        method = replace(method, n_push=1, n_fetch=1 if side is Arm.BASELINE else method.n_fetch)
    trace = run(method, stage, steps=_STEPS, replicas=_REPLICAS, points=201)
    return to_reach(trace, _TARGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="downpour",
    problem="strongly convex quadratic, kappa = 10, sigma2 = 0.01, zeta2 = 1",
    effect="a push for four gradients does, and a fetch for two",
    quantity=f"bits a worker sends until f - f* = {_TARGET:g} [bits]",
    method="Downpour, push every 4, fetch every 2",
    baseline="asynchronous SGD at the same stepsize",
    fault="a push for every gradient",
    at_most=0.5,
    measure=measure,
    x_label="bits sent per worker",
    y_label="f(x_t) - f* [f]",
    source="Dean et al. 2012, NIPS, Section 4.1: n_push and n_fetch limit communication",
    told=f"n = {_N}, gamma = 0.02, {_REPLICAS} replicas",
    scales=("linear", "log"),
)
