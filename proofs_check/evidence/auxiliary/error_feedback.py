"""Error feedback: closed forms, virtual iterates, and a study of the residual against delta."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Draws
from algorithms.memories.base import Memory
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems import entries
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.closed_forms import ClosedForms, at_most, same
from proofs_check.instruments.erratum import Shown, demonstrates
from proofs_check.instruments.evidence import ALPHA, identity
from proofs_check.instruments.paths import models, path
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import StudyResult, fitted, study
from proofs_check.instruments.under_bound import curve_under_bound
from proofs_check.methods.faulty.methods import ForgetfulFeedback
from proofs_check.verdict import Outcome, Verdict
from theory import bits
from theory.arrays import Floats
from theory.claims import Claim, Contraction, Source
from theory.stepsizes import ConstantStep, InverseTimeStep

# The worst delta-contraction for error feedback with a constant gradient.


@final
@dataclass(frozen=True)
class Shrink(Compressor):
    r"""C(x) = (1 - \sqrt{1 - \delta}) x: ||C(x) - x||^2 = (1 - delta) ||x||^2 for every x.

    Nobody would send it; it attains the supremum of the residual over all delta-contractions.

    Raises:
        ValueError: delta outside (0, 1].
    """

    delta: float

    def __post_init__(self) -> None:
        if not 0 < self.delta <= 1:
            raise ValueError(f"delta must lie in (0, 1], got delta={self.delta}")

    @property
    def name(self) -> str:
        return f"shrink(delta={self.delta:g})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return (Contraction(self.delta, "delta", Source("definition", 0), tight=True),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("values", d, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return ((1 - math.sqrt(1 - self.delta)) * x,)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0]

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.dense(d, float_bits)


# What error feedback keeps.
#
# The virtual iterate x_t - mean_i e_i obeys x~_{t+1} = x~_t - gamma_t mean_i g_i exactly, for any
# compressor: sum of what was sent + residual = sum of steps. The residual over contractions of
# quality delta with ||g|| = G constant is at most (1 - delta) / (1 - sqrt(1 - delta))^2 gamma^2
# G^2, attained by scaling, and at most 4 (1 - delta) / delta^2 gamma^2 G^2 (Karimireddy et al.
# 2019, arXiv:1901.09847, Lemma 3).


def constant_gradient(g: Tensor) -> Quadratic:
    """f(x) = <g, x> for one worker, from x_0 = 0; it has no minimiser."""
    flat, origin = torch.zeros((1, len(g)), dtype=torch.float64), torch.zeros_like(g)
    return Quadratic(name="linear", a=flat, c=-g[None], x_star=origin, x0=origin)


def sent_and_kept(memory: Memory[Tensor], compressor: Compressor, g: Tensor, steps: int) -> Tensor:
    """Sums of messages, and residuals, ``[steps + 1, 2, d]``, for gamma = 1 and gradient g."""
    method = BSP(ConstantStep(1.0), compressor, memory)
    moments = path(method, constant_gradient(g), steps)
    pairs = [torch.stack((-m.state.x[0, 0], m.state.memory[0, 0])) for m in moments]
    return torch.stack(pairs)


_ERROR_FEEDBACK_FORMS = ClosedForms("error-feedback", "linear")


@_ERROR_FEEDBACK_FORMS.case("closed form")
def nothing_is_lost(memory: Memory[Tensor] | None = None) -> Verdict:
    """Top-1 with the constant gradient (1, 0.4) for 70 steps: sent + e = (70, 28)."""
    g = torch.tensor([1.0, 0.4], dtype=torch.float64)
    history = sent_and_kept(memory or ErrorFeedback(), TopK(1), g, 70)
    return same(
        "sum sent + residual = sum of gradients = (70, 28), top-1 of (1, 0.4), 70 steps",
        history[-1].sum(0), [70.0, 28.0],
        words=f"sent {_pair(history[-1, 0])}, kept {_pair(history[-1, 1])}",
    )  # fmt: skip


@_ERROR_FEEDBACK_FORMS.case("closed form", "Karimireddy et al. 2019, Lemma 3; deterministic")
def residual_of_top_1() -> Verdict:
    """max_t ||e_t||_inf^2 = 1 and ||e_t||^2 <= 9.28 on the same run."""
    g = torch.tensor([1.0, 0.4], dtype=torch.float64)
    history = sent_and_kept(ErrorFeedback(), TopK(1), g, 70)[:, 1]
    measured = float(history.square().sum(-1).max())
    bound = 4 * (1 - 0.5) / 0.5**2 * 1.16
    return at_most(
        "||e_t||^2 <= 4 (1-delta)/delta^2 gamma^2 G^2 for top-1 of d = 2", measured, bound,
        f"largest ||e_t||^2 {measured:.6g} over 70 steps, bound {bound:.6g}",
        tightness=measured / bound, resolution=0.0,
    )  # fmt: skip


@_ERROR_FEEDBACK_FORMS.case("closed form")
def worst_residual() -> Iterator[Verdict]:
    """Worst residual: scaling attains (1-delta)/(1-sqrt(1-delta))^2; below 4 (1-delta)/delta^2."""
    for delta, steps, stated in ((0.5, 200, 5.8284271), (0.1, 1000, 341.76299)):
        g = torch.tensor([0.6, 0.8], dtype=torch.float64)
        kept = sent_and_kept(ErrorFeedback(), Shrink(delta), g, steps)[-1, 1]
        worst = (1 - delta) / (1 - (1 - delta) ** 0.5) ** 2
        yield same(
            f"worst residual over delta-contractions, constant gradient, delta={delta:g}",
            float(kept.square().sum()), worst,
            words=f"{steps} steps; reference value {stated}; lemma's bound "
            f"{4 * (1 - delta) / delta**2:g}",
        )  # fmt: skip


def virtual_iterate(row: str, memory: Memory[Tensor], compressor: Compressor) -> Verdict:
    """x_t - mean e_t along a noisy run of four workers with a stepsize that falls."""
    problem = Quadratic.strongly_convex(4, 8, L=2.0, mu=0.5, sigma2=4.0, zeta2=1.0, R2=3.0)
    rule, seed = InverseTimeStep(2.0, 10.0), 21
    method = BSP(rule, compressor, memory)
    shadow, gaps = None, []
    for t, state, context in path(method, problem, 100, seed=seed, replicas=3):
        virtual = state.x - state.memory.mean(-2, keepdim=True)
        shadow = virtual if shadow is None else shadow
        gaps.append((virtual - shadow).abs().max())
        shadow = shadow - rule(t) * context.gradient(state.x, t).mean(-2, keepdim=True)
    return identity(
        row,
        f"x_t - mean e_t = x_0 - sum gamma_s mean g_s at every step, {compressor.name}",
        torch.stack(gaps),
        0.0,
        check="virtual iterate",
        problem=problem.name,
        provenance=f"seed {seed}, 3 replicas, 100 steps, 4 workers, gamma_t = {rule}",
    )


@_ERROR_FEEDBACK_FORMS.case("limit delta = 1", "seed 22, 2 replicas, 50 steps")
def uncompressed_is_bsp() -> Verdict:
    """Error feedback around a lossless operator changes nothing."""
    problem = Quadratic.strongly_convex(4, 8, sigma2=1.0)
    step = ConstantStep(0.2)
    return same(
        "with top-d error feedback is plain BSP, path by path",
        models(BSP(step, TopK(8), ErrorFeedback()), problem, 50, seed=22, replicas=2),
        models(BSP(step), problem, 50, seed=22, replicas=2), on=problem,
    )  # fmt: skip


def _pair(x: Tensor) -> str:
    return "(" + ", ".join(f"{float(v):.6g}" for v in x) + ")"


@demonstrates(
    "E7", "error-feedback", "the residual adds up: what was sent and what is kept make (100, 40)"
)
def e7() -> Shown:
    """The box's residual forgets: 100 steps of (1, 0.4) deliver (100, 0)."""
    g = torch.tensor([1.0, 0.4], dtype=torch.float64)
    right = sent_and_kept(ErrorFeedback(), TopK(1), g, 100)[-1]
    wrong = sent_and_kept(ForgetfulFeedback(), TopK(1), g, 100)[-1]
    return (
        (float(right.sum(0)[1]), 40.0),
        (float(wrong.sum(0)[1]), 40.0),
        f"sent {right[0].tolist()} against {wrong[0].tolist()} as printed",
    )


def error_feedback() -> tuple[Verdict, ...]:
    """Residual and its size, and the limit of no compression."""
    single = (nothing_is_lost(), residual_of_top_1(), uncompressed_is_bsp())
    return (*single, *worst_residual())


# The virtual iterate of sparsifiers that keep what they do not send: a problem and a claim.


def noisy() -> Quadratic:
    """Four workers with different minimisers, and noise."""
    return Quadratic.strongly_convex(4, 12, sigma2=1.0, zeta2=1.0)


def mean_row(rows: Tensor) -> Tensor:
    """Mean over workers ``[..., 1, d]`` of rows ``[..., n, d]``."""
    return rows.mean(-2, keepdim=True)


def nothing_moves_it_else(row: str, claim: str, gaps: list[Tensor], provenance: str) -> Verdict:
    """Are the virtual iterate's moves, less those of the ``claim``, zero at every step?"""
    return identity(
        row, claim, torch.stack(gaps), 0.0, check="virtual iterate", problem="quadratic",
        provenance=provenance,
    )  # fmt: skip


CLOSED_FORMS = (error_feedback,)


# The residual of error feedback against delta: E||e_t||^2 <= 4 (1-delta)/delta^2 gamma^2 G^2.
#
# (Karimireddy et al. 2019, arXiv:1901.09847, Lemma 3.) Top-k on the non-convex logistic
# regression, whose gradients are bounded by G everywhere; the exponent of 1/delta is at most 2.

_KEPT = (15, 8, 3, 2, 1)
_N, _REPLICAS, _STEPS, _SEED, _GAMMA = 2, 48, 300, 81, 0.1


def residuals(memory: Memory[Tensor], problem: Problem, k: int) -> Floats:
    """max over t and workers of the replica's ||e_t||^2, ``[R]``."""
    method = BSP(ConstantStep(_GAMMA), TopK(k), memory)
    moments = path(method, problem, _STEPS, seed=_SEED + k, replicas=_REPLICAS)
    largest = np.zeros(_REPLICAS)
    for moment in moments:
        norms = moment.state.memory.square().sum(-1).amax(-1)
        largest = np.maximum(largest, norms.numpy())
    return largest


@study(
    "error-feedback",
    "nonconvex-breast-cancer",
    "delta^-2 in the residual",
    "1 / delta = d/k",
    "max_t E||e_t||^2 [x^2]",
    name="ef_residual",
)
def measure(memory: Memory[Tensor] | None = None) -> StudyResult:
    """Residuals under the lemma's bound for every delta, and their exponent of 1/delta."""
    memory = memory or ErrorFeedback()
    problem = entries.problem("nonconvex-breast-cancer", _N)
    G2 = problem.constants().need("G2")
    delta = np.array(_KEPT) / problem.d
    y = np.stack([residuals(memory, problem, k) for k in _KEPT], axis=1)
    bound = 4 * (1 - delta) / delta**2 * _GAMMA**2 * G2
    description = f"seeds {_SEED} + k, {_REPLICAS} replicas, {_STEPS} steps, n={_N}, gamma {_GAMMA}"
    source = f"Karimireddy et al. 2019, Lemma 3; {description}, error {ALPHA:g}"
    under = curve_under_bound(
        y, bound, ALPHA, claim="E max_t ||e_t||^2 <= 4 (1-delta)/delta^2 gamma^2 G^2, top-k",
        provenance=source, subject="error-feedback", problem=problem.name,
    )  # fmt: skip
    if under.outcome is Outcome.REFUTED:
        return StudyResult((under,))
    fit = fit_power(1 / delta, y, ALPHA)
    rate = rate_verdict(
        fit, 2.0, False, variable="1/delta", claim="the residual grows no faster than delta^-2",
        provenance=source, subject="error-feedback", problem=problem.name,
    )  # fmt: skip
    return StudyResult((under, rate), (fitted(1 / delta, y, fit, bound),))
