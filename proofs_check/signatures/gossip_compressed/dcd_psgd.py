"""DCD-PSGD: differences of models carry training for a fraction of the bits."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.dcd_psgd import DCDPSGD
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.mutants.gossip_compressed import ModelsDCD
from theory.stepsizes import ConstantStep

_N, _STEPS, _STEP, _TARGET, _REPLICAS = 8, 700, ConstantStep(0.05), 0.005, 8


def measure(side: Arm) -> Measurement:
    """Bits until the mean model of workers that differ is accurate."""
    problem = unequal(_N, sigma2=0.0)
    right = row("dcd-psgd").tune(problem, _STEPS, _STEP).method
    assert isinstance(right, DCDPSGD)
    method: Method[Any] = right
    if side is Arm.BASELINE:
        method = DPSGD(_STEP, Ring(_N))
    elif side is Arm.FAULT:
        method = ModelsDCD(right)
    trace = run(method, problem, steps=_STEPS, replicas=_REPLICAS)
    return to_reach(trace, _TARGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="dcd-psgd",
    problem="quadratic-unequal, no noise",
    effect="differences of models carry training for a fraction of the bits",
    quantity=f"bits sent by a worker until f(x_t) - f* of the mean model is {_TARGET:g} [bit]",
    method="DCD-PSGD, QSGD with 16 levels",
    baseline="D-PSGD at the same stepsize",
    fault="models are compressed, not differences",
    at_most=0.5,
    measure=measure,
    x_label="bits sent by a worker",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Tang, Gan, Zhang, Zhang, Liu 2018, arXiv:1803.06443, Theorem 1 and section 5",
    told=f"n = {_N}, ring, d = 20, gamma = 0.05, {_REPLICAS} replicas of seed 0",
)
