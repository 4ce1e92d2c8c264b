"""CHOCO-SGD: the accuracy of exact gossip for less than half of the bits."""

from __future__ import annotations

from functools import partial
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.choco import ChocoSGD
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.instruments.tuned_arm import at_best
from proofs_check.mutants.gossip import ForgetfulChoco
from theory.stepsizes import ConstantStep

_N, _STEPS, _TARGET = 8, 800, 0.01
_GRID = (0.025, 0.05, 0.1, 0.2, 0.4)


def measure(side: Arm) -> Measurement:
    """Bits until the mean model of workers that differ is accurate."""
    return at_best(partial(_play, side), _GRID)


def _play(side: Arm, gamma: float, *, seed: int, replicas: int) -> Measurement:
    """One side at one stepsize."""
    step = ConstantStep(gamma)
    problem = unequal(_N, sigma2=0.0)
    choco = row("choco-sgd").tune(problem, _STEPS, step).method
    assert isinstance(choco, ChocoSGD)
    methods: dict[Arm, Method[Any]] = {
        Arm.METHOD: choco,
        Arm.BASELINE: DPSGD(step, Ring(_N)),
        Arm.FAULT: ForgetfulChoco(choco),
    }
    trace = run(methods[side], problem, steps=_STEPS, seed=seed, replicas=replicas, points=400)
    return to_reach(trace, _TARGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="choco-sgd",
    problem="quadratic-unequal, no noise",
    effect="compressed differences train for fewer bits",
    quantity=f"bits sent by a worker until f(x_t) - f* of the mean model is {_TARGET:g} [bit]",
    method="CHOCO-SGD, a quarter of the coordinates",
    baseline="D-PSGD",
    fault="no public copies: the models themselves are compressed",
    at_most=0.65,
    measure=measure,
    x_label="bits sent by a worker",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, section 5.3",
    told=f"n = {_N}, ring, d = 20, top 5, each at the best of {_GRID} on seed 1, the row's "
    "consensus stepsize of practice; nothing is drawn",
)
