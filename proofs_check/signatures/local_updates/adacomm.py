"""AdaComm: synchronous SGD's accuracy in less time, because early meetings are left out."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.local_updates.adacomm import AdaComm
from algorithms.problems.quadratic_data import unequal
from algorithms.synchronisation.stopwatch import STANDARD
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep

_N, _D, _TARGET, _REPLICAS, _SEED = 8, 10, 1e-3, 16, 23
_STEPS, _SHOWN, _STEP = 2000, 300, ConstantStep(0.1)
_TIMING = replace(STANDARD, link=AlphaBeta(4e-3, 1e-9))


def measure(side: Arm) -> Measurement:
    """Modelled seconds to an error below the floor of the first period."""
    problem = unequal(_N, _D, sigma2=0.01)
    tuned = row("adacomm").tune(problem, _STEPS, _STEP).method
    assert isinstance(tuned, AdaComm)
    method = replace(tuned, timing=_TIMING)
    wanted = {
        Arm.METHOD: method,
        Arm.BASELINE: replace(method, first=1),
        Arm.FAULT: replace(method, decay=None),
    }[side]
    trace = run(
        wanted, problem, steps=_SHOWN, replicas=_REPLICAS, seed=_SEED, points=_SHOWN + 1
    )  # fmt: skip
    return to_reach(trace, _TARGET, "seconds")


SIGNATURE = EffectCheck(
    row="adacomm",
    problem="quadratic-unequal, d = 10, sigma2 = 0.01",
    effect="synchronous SGD's accuracy in less time, because early meetings are left out",
    quantity=f"modelled time to f(x) - f* = {_TARGET:g} [s]",
    method="AdaComm",
    baseline="fully synchronous SGD (H = 1) at the same stepsize",
    fault="AdaComm without the forced decay, whose period stays where the loss does",
    at_most=0.5,
    measure=measure,
    x_label="modelled time [s]",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Wang, Joshi 2018, arXiv:1810.08313, abstract (3.3 times less time) and Section 4.2",
    told=f"n = {_N}, H_0 = 8, T_0 = 0.2 s, gamma = 0.1, a message of 4 ms and a gradient of 1 ms, "
    f"{_REPLICAS} replicas, seed {_SEED}",
    scales=("linear", "log"),
)
