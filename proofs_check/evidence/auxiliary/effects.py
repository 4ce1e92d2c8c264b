"""Effects of memories, momentum, clipping and warm-up, and faults planted in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np
from torch import Tensor

from algorithms.catalogue import problem
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.engine.trace import Trace
from algorithms.memories.base import Memory, NoMemory, Round
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import Corrected, MomentumCorrection
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.momentum import Momentum
from algorithms.problems.heavy_tailed import NAME
from algorithms.problems.mlp import MLP
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from algorithms.transforms.base import Transform
from algorithms.transforms.norm_clipping import ClipNorm
from proofs_check.evidence.auxiliary.closed_forms import (
    clipping_spares_the_mean,
    converges,
    effective_rate,
    heavy_ball,
    masked_is_plain,
)
from proofs_check.evidence.auxiliary.error_feedback import nothing_is_lost
from proofs_check.instruments.bits_setting import UNEQUAL
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.instruments.variants import Fixed
from proofs_check.methods.faulty.memories import PrintedCorrection, WrongCorrection
from proofs_check.methods.faulty.methods import ForgetfulFeedback
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.verdict import Verdict

# Faults planted in memories with momentum, in clipping, and in sparsifiers' accounts.


@final
@dataclass(frozen=True)
class AccumulatedMomentum(WrongCorrection):
    """Momentum applied to what has accumulated, not before it accumulates."""

    title = "momentum after accumulation"

    def before(self, state: Corrected, x: Tensor) -> Tensor:
        return state.v + x + self.m * state.v

    def after(self, state: Corrected, round_: Round) -> Corrected:
        return Corrected(state.u, round_.wanted - round_.sent)


def _parabola(memory: Memory[Any], row: str, limit: float = 1e-3) -> Callable[[], Verdict]:
    return lambda: converges(memory, row, 0.01, 200, limit)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    MethodMutant(
        "momentum correction as printed", "v is never reduced by what was sent (E30)",
        _parabola(PrintedCorrection(0.9), "momentum-correction"),
        _parabola(MomentumCorrection(0.9), "momentum-correction"),
    ),
    MethodMutant(
        "GMC as printed", "m (x_t - x_{t-1}) without 1/gamma: a momentum of gamma m (E31)",
        _parabola(GlobalMomentum(0.01 * 0.9), "gmc"), _parabola(GlobalMomentum(0.9), "gmc"),
    ),
    MethodMutant(
        "momentum after accumulation", "momentum of the residual, not of the gradient",
        lambda: heavy_ball(AccumulatedMomentum(0.6), "momentum-correction"),
        lambda: heavy_ball(MomentumCorrection(0.6), "momentum-correction"),
    ),
    MethodMutant(
        "GMC as printed, effective rate", "the same by its effective rate: gamma/(1 - gamma m)",
        lambda: effective_rate(GlobalMomentum(0.1 * 0.9), "gmc"),
        lambda: effective_rate(GlobalMomentum(0.9), "gmc"),
    ),
    fault(
        "DGC without factor masking", "the velocity of what was sent lives on",
        masked_is_plain, False,
    ),
    fault(
        "local clipping claimed harmless", "threshold T n^-1/2 for gradients that align (E33)",
        clipping_spares_the_mean, 0.5,
    ),
    fault(
        "EF without its old residual", "v_t = g_t - C(v_{t-1} + g_t), as the survey prints it",
        nothing_is_lost, ForgetfulFeedback(),
    ),
)  # fmt: skip


# Effects of memories, momentum, clipping and warm-up: what each row is for.

_SCALES = ("linear", "log")
_M = 0.9


def _one_minimiser(n: int, d: int) -> Quadratic:
    """Workers with Hessians of their own that share one minimiser, and much noise."""
    free = unequal(n, d, sigma2=30.0, ratio=30.0)
    return replace(free, c=free.a * free.x_star, f_star=0.0)


DGC = contrast(
    "dgc",
    "as accurate as momentum SGD for a small share of its bits",
    Setting(
        "quadratic-unequal with d = 64 and one minimiser, sigma2 = 30", _one_minimiser, 4, 800,
        (0.003, 0.004, 0.006), replicas=32, points=200, d=64, note="m = 0.9, k = 16, 8, 4, 2, 1",
    ),
    Reading("sent_bits", target=0.03, share=True),
    method="DGC",
    baseline=arm(
        "momentum SGD, full gradients", lambda it: BSP(it.step, optimizer=Momentum(_M))
    ),
    without=arm(
        "without a memory: what is not sent is lost",
        lambda it: replace(it.own, memory=NoMemory()),
    ),
    at_most=0.2,
    source="Lin, Han, Mao, Wang, Dally 2018, arXiv:1712.01887, Tables 2 to 4: 270 to 600 times "
    "fewer bits after warm-up, with d up to 6e7",
)  # fmt: skip

ERROR_FEEDBACK = contrast(
    "error-feedback",
    "a random quarter of the coordinates with a memory of the others leaves a small part of the "
    "error that the same quarter leaves unbiased and without memory, for the same bits",
    replace(
        UNEQUAL, steps=300, step=(0.02, 0.05, 0.1, 0.2), replicas=24
    ),
    Reading(last=50),
    method="random quarter with error feedback",
    baseline=arm(
        "random quarter, scaled up, without memory", lambda it: BSP(it.step, RandK(0.25))
    ),
    without=arm(
        "what was not sent is forgotten", lambda it: replace(it.own, memory=NoMemory())
    ),
    at_most=0.5,
    source="Stich, Cordonnier, Jaggi 2018, arXiv:1809.07599, Theorem 2.4: k-contractions with "
    "memory have SGD's rate",
    scales=_SCALES,
)  # fmt: skip

_MU = 0.003

GMC = contrast(
    "gmc",
    "momentum of the shared model leaves about half of the error that momenta of the workers' own "
    "leave, at the same sparsity",
    Setting(
        f"quadratic of workers that differ, d = 64, condition number {1 / _MU:.0f}, no noise",
        partial(Quadratic.strongly_convex, mu=_MU, sigma2=0.0, zeta2=1.0), 8, 300,
        (0.01, 0.02, 0.05), d=64, note="k = d/10",
    ),
    Reading(last=20),
    method="top-k with global momentum, m = 0.9",
    baseline=arm(
        "top-k with momentum of each worker (momentum correction)",
        lambda it: replace(it.own, memory=MomentumCorrection(_M)),
    ),
    without=arm(
        "momentum without 1/gamma, as the survey prints it (E31)",
        lambda it: replace(it.own, memory=GlobalMomentum(it.step.gamma * _M)),
    ),
    at_most=0.6, source="Zhao, Xie, Gao, Li 2019, arXiv:1905.12948, Algorithm 1 and Section 4",
    scales=_SCALES,
)  # fmt: skip


def _capped(trace: Trace) -> Trace:
    """The noise has no variance, so that E f of an unclipped model is infinite: what a run loses is
    counted up to where it started."""
    capped = np.minimum(trace.suboptimality, trace.suboptimality[:, :1])
    return replace(trace, suboptimality=capped)


@final
@dataclass(frozen=True)
class StretchNorm(Transform):
    """Gradients shorter than a clipping's threshold are stretched to it; longer ones stay."""

    right: ClipNorm

    @property
    def name(self) -> str:
        return f"stretched, not {self.right.name}"

    def apply(self, g: Tensor, n: int) -> Tensor:
        limit = self.right.threshold * float(n) ** -self.right.power
        share: Tensor = (limit / g.norm(dim=-1, keepdim=True)).clamp(min=1.0)
        return g * share


LOCAL_CLIPPING = contrast(
    "local-clipping",
    "clipping bounds what one gradient does where noise has no variance",
    Setting(
        NAME, lambda n: problem(NAME, n), 8, 300, (0.01, 0.03, 0.1, 0.3), replicas=768
    ),
    Reading(last=150, of=" (at most f(x_0) - f*)"),
    method=arm(
        "gradients clipped at the norm that one in ten exceeds at x_0", lambda it: it.own, _capped
    ),
    baseline=arm("BSP-SGD", lambda it: BSP(it.step), _capped),
    without=arm(
        "the wrong way round: short gradients are stretched to the threshold",
        lambda it: replace(it.own, transform=StretchNorm(it.own.transform)), _capped,
    ),
    at_most=0.15,
    source="Lin, Han, Mao, Wang, Dally 2018, arXiv:1712.01887, Section 3.3; Zhang et al. 2020, "
    "arXiv:1912.03194, Remark 1: without clipping SGD may not converge",
    scales=_SCALES,
)  # fmt: skip

MOMENTUM_CORRECTION = contrast(
    "momentum-correction",
    "accumulating velocities, not gradients, gives sparse messages the speed of momentum where the "
    "problem is ill-conditioned",
    Setting(
        f"one quadratic for all workers, d = 64, condition number {1 / _MU:.0f}, no noise",
        partial(Quadratic.strongly_convex, mu=_MU, sigma2=0.0), 4, 300,
        (0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 1.3), d=64, note="k = d/10",
    ),
    Reading(last=20),
    method="top-k with momentum correction, m = 0.9",
    baseline=arm(
        "top-k with error feedback, without momentum",
        lambda it: BSP(it.step, TopK(0.1), ErrorFeedback()),
    ),
    without=arm(
        "momentum of what has accumulated, not of the gradient",
        lambda it: replace(it.own, memory=AccumulatedMomentum(_M)),
    ),
    at_most=0.4, source="Lin, Han, Mao, Wang, Dally 2018, arXiv:1712.01887, Section 3.2, Eq. 5",
    scales=_SCALES,
)  # fmt: skip

_IMAGES = 32


def _few_digits(n: int) -> MLP:
    """The MLP on the digits, full gradients of so many images a worker."""
    whole = problem("mlp-digits", n)
    assert isinstance(whole, MLP)
    features, labels = whole.features[:, :_IMAGES], whole.labels[:, :_IMAGES]
    return replace(whole, features=features, labels=labels, batch=0)


WARM_UP = contrast(
    "warm-up",
    "few gradients are late while the network changes fast, which leaves it ahead after the "
    "warm-up",
    Setting(
        f"the MLP on the digits, full gradients of {_IMAGES} images a worker", _few_digits, 4, 100,
        (3.0, 4.0, 6.0, 10.0, 15.0), d=Fixed.DATA,
        note="equal steps, though the warm-up's messages are longer",
    ),
    Reading(last=10),
    method="top-k at 25 to 0.1 %, stepsize ramped up",
    baseline=arm(
        "top-k at 0.1 % and the full stepsize from the start",
        lambda it: replace(it.own, compressor=it.own.compressor.last, step_rule=it.step),
    ),
    without=arm(
        "the stepsize ramps up, but 0.1 % are sent from the start",
        lambda it: replace(it.own, compressor=it.own.compressor.last),
    ),
    at_most=0.4,
    source="Lin, Han, Mao, Wang, Dally 2018, arXiv:1712.01887, Section 3.3; Goyal et al. 2017, "
    "arXiv:1706.02677, Section 2.2",
    scales=_SCALES,
)  # fmt: skip
