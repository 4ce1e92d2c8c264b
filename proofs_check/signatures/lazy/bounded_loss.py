"""Bounded loss: gradients that lost packets are good enough, and nothing is sent again."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import row
from algorithms.compressors.identity import Identity
from algorithms.compressors.packet_loss import PacketLoss
from algorithms.engine.run import run
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from theory.stepsizes import ConstantStep

_N, _STEPS, _REPLICAS, _TARGET = 8, 60, 48, 1e-3
_STEP = ConstantStep(1 / 2)
_PACKETS, _LOST = 5, 1  # of a gradient of 20 coordinates; bounded, so one of five


def measure(side: Arm) -> Measurement:
    """Bits a worker sends until the model is good; reliable transport sends a lost packet again."""
    stage = Quadratic.strongly_convex(_N, 20, sigma2=0.0, zeta2=0.0)
    method = row("bounded-loss").tune(stage, _STEPS, _STEP).method
    assert isinstance(method, BSP)
    loss = method.compressor
    assert isinstance(loss, PacketLoss)
    again = 1.0
    match side:
        case Arm.BASELINE:
            method, again = BSP(_STEP, Identity()), _PACKETS / (_PACKETS - _LOST)
        case Arm.FAULT:
            method = replace(method, compressor=replace(loss, scaled=False))
    trace = run(method, stage, steps=_STEPS, replicas=_REPLICAS, points=_STEPS + 1)
    seen = to_reach(trace, _TARGET, "sent_bits")
    return seen._replace(values=seen.values * again, x=seen.x * again)


SIGNATURE = EffectCheck(
    row="bounded-loss",
    problem="strongly convex quadratic, kappa = 10, no noise, one minimiser",
    effect="what is lost is not missed, if the rest is scaled up",
    quantity=f"bits a worker sends until f - f* = {_TARGET:g}, with what is sent again [bits]",
    method="a fifth of the packets lost",
    baseline="gradient descent that sends lost packets again",
    fault="what arrived is not scaled up",
    at_most=0.9,
    measure=measure,
    x_label="bits sent per worker",
    y_label="f(x_t) - f* [f]",
    source="Xia et al. 2019, APNet: training over a transport of bounded loss",
    told=f"n = {_N}, gamma = 1/2, 4 coordinates a packet, {_REPLICAS} replicas",
    scales=("linear", "log"),
)
