"""MSPD: subgradients between rounds of messages, for functions that are not smooth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_dual.mspd import MSPD
from algorithms.problems.absolute_data import diabetes
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_budget
from theory.stepsizes import ConstantStep, InverseRootStep

_N, _STEPS, _BITS = 8, 512, 163840.0
_BEST, _ALONE, _PLAIN = ConstantStep(1.0), ConstantStep(0.25), InverseRootStep(0.125)


def measure(side: Arm) -> Measurement:
    """Least absolute deviations of the mean model, shards sorted by target."""
    problem, steps = diabetes(_N), _STEPS
    right = row("mspd").tune(problem, _STEPS, _BEST).method
    assert isinstance(right, MSPD)
    method: Method[Any] = right
    if side is Arm.BASELINE:
        method, steps = DPSGD(_PLAIN, Ring(_N)), 130
    elif side is Arm.FAULT:
        method, steps = replace(right, period=1, step_rule=_ALONE), 70
    return at_budget(run(method, problem, steps=steps, points=600), _BITS, "sent_bits")


SIGNATURE = EffectCheck(
    row="mspd",
    problem="lad-diabetes-sorted",
    effect="several subgradients and one fast average save messages where f is not smooth",
    quantity=f"f(x_t) - f* of the mean model for {_BITS:g} bits sent by a worker [f]",
    method="MSPD, eight subgradients between exchanges",
    baseline="decentralised subgradients at the best stepsize",
    fault="one subgradient between exchanges, at its best scale",
    at_most=0.5,
    measure=measure,
    x_label="bits sent by a worker",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Scaman, Bach, Bubeck, Lee, Massoulie 2018, arXiv:1806.00291, Theorem 3",
    told=f"n = {_N}, ring; scales and stepsizes the best powers of 2 from 1/16 to 16 times R/L = "
    "0.49, constant or falling as 1/sqrt(t + 1); nothing is drawn",
)
