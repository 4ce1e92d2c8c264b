"""LAGS: layers send what the next layer's computation hides, so that a step ends soon after it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import torch

from algorithms.catalogue import row
from algorithms.compressors.layerwise_adaptive_top_k import LayerwiseAdaptiveTopK
from algorithms.compressors.top_k import TopK
from algorithms.engine.run import run
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.instruments.mean_estimation_setting import normal_rows
from theory.seconds.sparse_times import finished, ready_times
from theory.stepsizes import ConstantStep

_N, _LAYERS, _SIZE, _STEPS, _STEP, _SHARE = 2, 4, 8192, 25, ConstantStep(0.3), 1e-2
_D, _ENTRY_BITS = _LAYERS * _SIZE, 32 + 13


@cache
def _problem() -> Quadratic:
    """||x - b_i||^2 / 2 with entries of b_i that fall as 1/j in every layer, mostly common."""
    rows = normal_rows(1, _D, "common") + 0.1 * normal_rows(_N, _D, "own")
    falling = rows / (1 + torch.arange(_D) % _SIZE)
    return Quadratic.from_arrays(torch.ones_like(falling), falling)


@cache
def _operator() -> LayerwiseAdaptiveTopK:
    """The row's operator, bound to the layers."""
    own = row("lags").compressor
    assert isinstance(own, LayerwiseAdaptiveTopK)
    return replace(own, shapes=((_SIZE,),) * _LAYERS)


def _step_seconds(side: Arm) -> float:
    """Of one step: backward pass, and what of the messages it does not hide [s].

    Layer by layer while others compute; all in one message after it; or layer by layer after it.
    """
    operator = _operator()
    bits = [float(_ENTRY_BITS * k) for k in reversed(operator.counts(_D))]
    if side is Arm.BASELINE:
        return operator.compute + operator.link.seconds(sum(bits), 1)
    if side is Arm.FAULT:
        return operator.compute + operator.link.seconds(sum(bits), _LAYERS)
    ready = ready_times((_SIZE,) * _LAYERS, operator.compute)
    return finished(ready, bits, (1,) * _LAYERS, operator.link)


def measure(side: Arm) -> Measurement:
    """Modelled seconds until f - f* is at most a share of its start."""
    operator = _operator()
    sends = TopK(sum(operator.counts(_D))) if side is Arm.BASELINE else operator
    method = BSP(_STEP, sends, ErrorFeedback())
    trace = run(method, _problem(), steps=_STEPS, points=_STEPS + 1)
    seconds = np.asarray(trace.steps[None] * _step_seconds(side), dtype=np.float64)
    timed = replace(trace, seconds=seconds)
    return to_reach(timed, _SHARE * float(trace.suboptimality[0, 0]), "seconds")


SIGNATURE = EffectCheck(
    row="lags",
    problem=f"mean of {_N} rows in {_LAYERS} layers of {_SIZE}, entries fall as 1/j in each",
    effect="layers that send as much as the next layer's computation hides end a step well before "
    "as many entries of the whole gradient, sent when it is there",
    quantity=f"modelled seconds until f - f* <= {_SHARE:g} f_0 [s]",
    method="top-k by layer, hidden behind the backward pass",
    baseline="as many entries of the whole gradient after the backward pass, at the same stepsize",
    fault="the same layers one after another, after the backward pass",
    at_most=0.8,
    measure=measure,
    x_label="modelled seconds",
    y_label="f(x_t) - f* [f]",
    source="Shi, Tang, Wang, Zhao, Chu 2019, arXiv:1911.08727, Algorithm 1 and Eq. 18",
    told=f"gamma = {_STEP.gamma:g}, a backward pass of 1 ms, links of 1 Gbit/s; nothing is drawn",
    scales=("linear", "log"),
)
