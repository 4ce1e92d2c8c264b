"""Effects of sparsifiers that adapt: what each row is for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, final

import numpy as np
import torch
from torch import Tensor

from algorithms.catalogue import row
from algorithms.compressors.layerwise_adaptive_top_k import LayerwiseAdaptiveTopK
from algorithms.compressors.top_k import TopK
from algorithms.engine.trace import Trace
from algorithms.memories.base import NoMemory
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.adaptive.gtop_k import GTopKState
from algorithms.methods.adaptive.variance_based import VarianceBased, VarianceState
from algorithms.methods.base import Method, RunContext
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.sparse_linear import SparseLinear
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stopwatch import Timing
from algorithms.topologies.base import Neighbours
from proofs_check.evidence.adaptive.closed_forms import ForgetfulTree
from proofs_check.instruments.bits_setting import UNEQUAL, noisy
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.effect_check import StepsizeChoice
from proofs_check.instruments.mean_estimation_setting import normal_rows
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting, around
from proofs_check.instruments.variants import Fixed
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from theory.constants import Constants
from theory.seconds.costs import AlphaBeta
from theory.seconds.sparse_times import finished, ready_times
from theory.stepsizes import ConstantStep, Stepsize

ADACOMP = contrast(
    "adacomp",
    "bins that choose their rate from residual and latest gradient take a small part of the bits "
    "of full gradients, without a rate to set, where gradients have noise",
    replace(noisy(10.0), steps=600), Reading("sent_bits", target=0.05),
    method="AdaComp, bins of 10",
    baseline=arm("BSP with full gradients", lambda it: BSP(it.step)),
    without=arm(
        "residuals are forgotten: a bin knows its latest gradient alone",
        lambda it: replace(it.own, memory=NoMemory()),
    ),
    at_most=0.25,
    source="Chen, Choi, Brand, Agrawal, Zhang, Gopalakrishnan 2018, arXiv:1712.02679, Algorithm 2",
)  # fmt: skip


def _falling(n: int, d: int, size: int) -> Quadratic:
    """||x - b_i||^2 / 2 with entries of b_i that fall as 1/j in every layer of ``size``, nine
    tenths of them common."""
    rows = normal_rows(1, d, "common") + 0.1 * normal_rows(n, d, "own")
    falling = rows / (1 + torch.arange(d) % size)
    return Quadratic.from_arrays(torch.ones_like(falling), falling)


def _curved(n: int, d: int) -> Quadratic:
    """The same in one layer, with curvatures from 0.1 to 1 in another order."""
    rows = _falling(n, d, d).c
    curvature = 0.1 ** ((1021 * torch.arange(d)) % d / d)
    return Quadratic.from_arrays(curvature.to(rows.dtype).expand(n, d), rows)


_WIDE = 4096
_LINK = AlphaBeta(5e-5, 1e-8)  # 100 Mbit/s: a message of all entries takes 31 gradients


def _timed_by(it: ArmContext, **changes: Any) -> Any:
    return replace(it.own, **{"cost": _LINK, **changes})


ADAPTIVE_K = contrast(
    "adaptive-k",
    "a number of entries that follows the time they cost saves a third of the time of the number "
    "it starts from",
    Setting(
        f"4 rows whose entries fall as 1/j, curvatures from 0.1 to 1, d = {_WIDE}, without noise",
        _curved, 4, 120, (0.25, 0.5, 1.0, 1.8), d=_WIDE,
        timing=Timing(Constant(1e-4), _LINK),
        note="a gradient takes 0.1 ms, links of 100 Mbit/s",
    ),
    Reading("seconds", target=0.01, share=True),
    method=arm("adaptive k, from d/2", _timed_by),
    baseline=arm(
        "k = d/2 throughout", lambda it: _timed_by(it, width=1e-9)
    ),
    without=arm(
        "bits are taken for free: k follows the steps, not the time",
        lambda it: _timed_by(it, cost=AlphaBeta(_LINK.alpha, 0.0)),
    ),
    at_most=0.75, source="Han, Wang, Leung 2020, arXiv:2001.04756, Algorithm 3 and Section V",
    scales=("linear", "log"),
)  # fmt: skip


@final
@dataclass(frozen=True)
class GatheredTopK(Method[GTopKState]):
    """Top-k with memory in which every worker hears every other's list, and adds them itself.

    Attributes:
        step_rule: the stepsizes gamma_t [x^2 / f] by step t.
        operator: top-k of one row.
    """

    step_rule: Stepsize
    operator: TopK

    shared_model: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return f"all-gather of {self.operator.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def init(self, x0: Tensor, context: RunContext) -> GTopKState:
        rows = context.rows(x0, len(context.network.workers))
        return GTopKState(context.rows(x0, 1), torch.zeros_like(rows))

    def step(self, state: GTopKState, t: int, context: RunContext) -> GTopKState:
        n = context.network.n
        wanted = state.residual + self.step_rule(t) * context.gradient(state.x, t)
        packet = context.pack(self.operator, wanted, t)
        incoming = context.network.mix(packet, Neighbours(np.ones((n, n)))).result
        sent = packet.own(context.network.workers)
        return GTopKState(state.x - incoming[..., :1, :] / n, wanted - sent)

    def models(self, state: GTopKState) -> Tensor:
        return state.x


GTOP_K = contrast(
    "gtop-k",
    "merging in a tree brings each of sixteen workers the global k in six tenths of the bits, at "
    "most, that everybody's k would take",
    replace(UNEQUAL, n=16, steps=60), Reading("received_bits", target=0.3),
    method="gTop-k, k = d/4",
    baseline=arm(
        "top-k with memory, gathered by all",
        lambda it: GatheredTopK(it.step, it.own.operator),
    ),
    without=arm(
        "what was sent and dropped by the merge is lost", lambda it: ForgetfulTree(it.own)
    ),
    at_most=0.6,
    source="Shi, Wang, Zhao, Tang, Wang, Chu 2019, arXiv:1901.04359, Table 1: 4 k log n against "
    "2 (n - 1) k; Algorithm 4",
)  # fmt: skip

_LAYERS, _SIZE = 4, 8192


@cache
def _layered() -> LayerwiseAdaptiveTopK:
    """The operator of LAGS, bound to the layers."""
    own = row("lags").compressor
    assert isinstance(own, LayerwiseAdaptiveTopK)
    return replace(own, shapes=((_SIZE,),) * _LAYERS)


def _layer_bits() -> list[float]:
    """Of the messages of a step, in the order of the backward pass."""
    return [(32 + 13.0) * k for k in reversed(_layered().counts(_LAYERS * _SIZE))]


def _hidden() -> float:
    """A step [s] in which layers are sent while others are computed."""
    ready = ready_times((_SIZE,) * _LAYERS, _layered().compute)
    return finished(ready, _layer_bits(), (1,) * _LAYERS, _layered().link)


def _one_after_another(messages: int) -> float:
    """A step [s] in which so many messages go out after the backward pass."""
    return _layered().compute + _layered().link.seconds(sum(_layer_bits()), messages)


def _at_seconds(trace: Trace, step: float) -> Trace:
    """The trace of steps that take ``step`` [s]."""
    return replace(trace, seconds=np.asarray(trace.steps[None] * step, dtype=np.float64))


def _by_layer(it: ArmContext) -> BSP:
    return BSP(it.step, _layered(), ErrorFeedback())


LAGS = contrast(
    "lags",
    "layers that send as much as the next layer's computation hides end a step well before as many "
    "entries of the whole gradient, sent when it is there",
    Setting(
        f"mean of 2 rows in {_LAYERS} layers of {_SIZE}, entries fall as 1/j in each",
        lambda n: _falling(n, _LAYERS * _SIZE, _SIZE), 2, 25, around(0.3), d=Fixed.LAYERS,
        note="a backward pass of 1 ms, links of 1 Gbit/s",
    ),
    Reading("seconds", target=0.01, share=True),
    method=arm(
        "top-k by layer, hidden behind the backward pass", _by_layer,
        view=lambda trace: _at_seconds(trace, _hidden()),
    ),
    baseline=arm(
        "as many entries of the whole gradient after the backward pass",
        lambda it: BSP(it.step, TopK(sum(_layered().counts(it.problem.d))), ErrorFeedback()),
        view=lambda trace: _at_seconds(trace, _one_after_another(1)),
    ),
    without=arm(
        "the same layers one after another, after the backward pass", _by_layer,
        view=lambda trace: _at_seconds(trace, _one_after_another(_LAYERS)),
    ),
    at_most=0.8, source="Shi, Tang, Wang, Zhao, Chu 2019, arXiv:1911.08727, Algorithm 1 and Eq. 18",
    scales=("linear", "log"),
)  # fmt: skip


@final
@dataclass(frozen=True)
class ForgetfulVariance(FaultyMethod):
    """Loss of ambiguous entries: sums and squares start again at every step."""

    right: VarianceBased

    def step(self, state: VarianceState, t: int, context: RunContext) -> VarianceState:
        zero = torch.zeros_like(state.r)
        return self.right.step(state._replace(r=zero, v=zero), t, context)


VARIANCE_BASED = contrast(
    "variance-based",
    "elements that wait until their sum is clear against its noise save bits of elements that are "
    "sent at once in the same code at the same small stepsize; at the best of each hardly any",
    Setting(
        "least squares whose 256 samples touch 4 of 64 coordinates each",
        lambda n, d: SparseLinear.overlapping(n, 256, d, 4), 4, 200, ConstantStep(1.0), replicas=48,
        d=64, note="4 samples a step",
    ),
    Reading("sent_bits", target=0.05),
    method="unambiguous elements only, alpha = 1",
    baseline=arm(
        "all nonzero elements at once, in the same 4-bit code",
        lambda it: replace(it.own, alpha=0.0),
    ),
    without=arm(
        "what is ambiguous is forgotten, not kept until it is clear",
        lambda it: ForgetfulVariance(it.own),
    ),
    at_most=0.85, source="Tsuzuku, Imachi, Akiba 2018, arXiv:1802.06058, Section 4.1, Algorithm 1",
    tuning=StepsizeChoice.ALIKE,
)  # fmt: skip
