"""DCS: gradients between rounds of messages, without the bias of local steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_dual.communication_sliding import CommunicationSliding
from algorithms.methods.parts.sliding_rules import ConvexSliding
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from theory.stepsizes import ConstantStep

_N, _ROUNDS = 8, 128
_BEST, _ALONE, _PLAIN = ConstantStep(16.0), ConvexSliding(4.0), ConstantStep(0.5)


def measure(side: Arm) -> Measurement:
    """The mean model's error after equally many rounds, condition number 1000."""
    problem = Quadratic.strongly_convex(_N, 20, mu=1e-3, sigma2=0.0, zeta2=1e-3, R2=4.0)
    outer = _ROUNDS // 2  # two rounds of messages each
    right = row("dcs").tune(problem, outer, _BEST).method
    assert isinstance(right, CommunicationSliding)
    method: Method[Any] = right
    steps = outer * right.period
    if side is Arm.BASELINE:
        method, steps = DPSGD(_PLAIN, Ring(_N)), _ROUNDS
    elif side is Arm.FAULT:
        method, steps = replace(right, period=1, rule=_ALONE), outer
    return at_end(run(method, problem, steps=steps), x="sent_bits")


SIGNATURE = EffectCheck(
    row="dcs",
    problem="quadratic-sc, kappa = 1000, no noise",
    effect="gradients between rounds of messages save rounds",
    quantity=f"f(x_T) - f* of the mean model after {_ROUNDS} rounds [f]",
    method="communication sliding, 16 gradients between",
    baseline="D-PSGD at the best stepsize",
    fault="one gradient between exchanges, at its best scale",
    at_most=0.5,
    measure=measure,
    x_label="bits sent by a worker",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Lan, Lee, Zhou 2017, arXiv:1701.03961, Theorem 3 and Table 1",
    told=f"n = {_N}, ring, zeta2 = 0.001; scales the best powers of 2 from 1 to 32, D-PSGD's step "
    "of 1/4, 1/2 and 3/4, the last of which lets workers diverge; nothing is drawn",
)
