"""Warm-up: a network that starts with denser messages is ahead, and takes larger steps."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from algorithms.catalogue import problem, row
from algorithms.compressors.warm_up import WarmUp
from algorithms.engine.run import run
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.mlp import MLP
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from theory.stepsizes import ConstantStep

_N, _SAMPLES, _STEPS, _LAST = 4, 32, 100, 10
_MINE, _THEIRS = 10.0, (3.0, 6.0)


@cache
def stage() -> MLP:
    """The MLP on the digits, full gradients of 32 images a worker."""
    whole = problem("mlp-digits", _N)
    assert isinstance(whole, MLP)
    features, labels = whole.features[:, :_SAMPLES], whole.labels[:, :_SAMPLES]
    return replace(whole, features=features, labels=labels, batch=0)


def measure(side: Arm) -> Measurement:
    """The loss after equally many steps; the fault ramps its stepsize, but starts as sparse."""
    if side is Arm.BASELINE:
        return min((_end(side, g) for g in _THEIRS), key=lambda one: float(one.values.mean()))
    return _end(side, _MINE)


def _end(side: Arm, gamma: float) -> Measurement:
    step = ConstantStep(gamma)
    method = row("warm-up").tune(stage(), _STEPS, step).method
    assert isinstance(method, BSP) and isinstance(method.compressor, WarmUp)
    if side is not Arm.METHOD:
        method = replace(method, compressor=method.compressor.last)
    if side is Arm.BASELINE:
        method = replace(method, step_rule=step)
    trace = run(method, stage(), steps=_STEPS, points=_STEPS + 1)
    return at_end(trace, last=_LAST)


SIGNATURE = EffectCheck(
    row="warm-up",
    problem=f"the MLP on the digits, full gradients of {_SAMPLES} images a worker",
    effect="few gradients are late while the network changes fast, which leaves it ahead after the "
    "warm-up",
    quantity=f"mean training loss over the last {_LAST} of {_STEPS} steps [f]",
    method="top-k at 25 to 0.1 %, stepsize ramped up",
    baseline="top-k at 0.1 % and the full stepsize from the start, at the best of 2 stepsizes",
    fault="the stepsize ramps up, but 0.1 % are sent from the start",
    at_most=0.4,
    measure=measure,
    x_label="steps",
    y_label="training loss [f]",
    source="Lin, Han, Mao, Wang, Dally 2018, arXiv:1712.01887, Section 3.3; Goyal et al. 2017, "
    "arXiv:1706.02677, Section 2.2",
    told=f"n = {_N}, gamma = {_MINE:g}, without warm-up of {_THEIRS}; equal steps: the warm-up's "
    "messages are longer; nothing is drawn",
    scales=("linear", "log"),
)
