"""meProp: half of the rows of every layer's gradient learn with far less than all of them."""

from __future__ import annotations

from functools import cache

from algorithms.catalogue import problem, row
from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.rand_k import RandK
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from theory.stepsizes import ConstantStep

_N, _STEPS, _STEP, _TARGET, _REPLICAS = 2, 52, ConstantStep(0.3), 1.25, 16


@cache
def _network() -> Problem:
    return problem("mlp-digits", _N)


def measure(side: Arm) -> Measurement:
    """Bits of a worker, in proportion to the rows computed, until the loss is the target."""
    stage = _network()
    half = LayerWise(RandK(0.5, scaled=False)).for_shapes(stage.shapes)
    method: Method[object] = {
        Arm.METHOD: row("meprop").tune(stage, _STEPS, _STEP).method,
        Arm.BASELINE: BSP(_STEP),
        Arm.FAULT: BSP(_STEP, half),
    }[side]
    trace = run(method, stage, steps=_STEPS, replicas=_REPLICAS, points=_STEPS // 2)
    return to_reach(trace, _TARGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="meprop",
    problem="mlp-digits",
    effect="the half of each layer's rows that has the largest gradients learns nearly as much a "
    "step as all rows, so a loss takes fewer rows",
    quantity=f"bits of rows a worker computes and sends until the loss is {_TARGET:g} [bit]",
    method="meProp, half of the rows",
    baseline="BSP with full gradients at the same stepsize",
    fault="a random half of the entries in place of the largest rows",
    at_most=0.8,
    measure=measure,
    x_label="bits of rows a worker sends",
    y_label="loss",
    source="Sun, Ren, Ma, Wang 2017, arXiv:1706.06197, Section 2 and Table 1",
    told=f"n = {_N}, gamma = {_STEP.gamma:g}, {_REPLICAS} replicas of seed 0",
)
