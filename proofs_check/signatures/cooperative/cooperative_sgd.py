"""Cooperative SGD: gossip now and then costs a fraction of gossip at every step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.catalogue import row
from algorithms.methods.base import Method
from algorithms.methods.cooperative.cooperative import Cooperative
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.signatures.local_updates.setting import (
    ERROR,
    Y_LABEL,
    D,
    N,
    falling,
    played,
    reached,
    told,
)

_STEPS, _TARGET = 700, 0.15
_MESSAGE = 2 * 64 * D  # bits of a meeting: where the curve of those who never meet is drawn


def measure(side: Arm) -> Measurement:
    """Bits sent by a worker until the workers are accurate."""
    problem = Quadratic.strongly_convex(N, D, mu=0.2, sigma2=10.0)
    step = falling(problem)
    method = row("cooperative-sgd").tune(problem, _STEPS, step).method
    assert isinstance(method, Cooperative)
    sides: dict[Arm, Method[Any]] = {
        Arm.METHOD: method,
        Arm.BASELINE: replace(method, period=1),
        Arm.FAULT: replace(method, period=_STEPS + 1),
    }
    wanted = sides[side]
    seen = reached(played(wanted, problem, _STEPS), _TARGET, "sent_bits")
    return seen if side is not Arm.FAULT else seen._replace(x=np.full_like(seen.x, _MESSAGE))


SIGNATURE = EffectCheck(
    row="cooperative-sgd",
    problem="quadratic-sc-iid, mu = 0.2, sigma2 = 10, d = 100",
    effect="gossip now and then is as accurate as gossip at every step, for a fraction of the bits",
    quantity=f"bits sent by a worker until {ERROR} = {_TARGET:g}",
    method="cooperative SGD, ring, tau = 8",
    baseline="D-PSGD, which gossips at every step",
    fault="workers that never gossip",
    at_most=0.35,
    measure=measure,
    x_label="bits sent by a worker",
    y_label=Y_LABEL,
    source="Wang, Joshi 2018, arXiv:1808.07576, Theorem 1: tau and the mixing matrix in one bound",
    told=told(),
    scales=("log", "log"),
)
