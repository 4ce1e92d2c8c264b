"""DGC, momentum, GMC, local clipping, momentum correction: closed forms, and printed boxes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.memories.base import Memory, Round
from algorithms.memories.decaying_feedback import DecayingFeedback
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.momentum import Momentum
from algorithms.problems.quadratic import Quadratic
from algorithms.transforms.norm_clipping import ClipNorm
from proofs_check.evidence.auxiliary.error_feedback import (
    constant_gradient,
    mean_row,
    noisy,
    nothing_moves_it_else,
)
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.erratum import Shown, demonstrates
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.methods.faulty.memories import PrintedCorrection
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep

# DGC's factor masking with everything sent.


_DGC_GAMMA = 0.05


dgc = ClosedForms("dgc")
"""Closed forms of dgc."""


@dgc.case("factor masking", f"40 steps, gamma {_DGC_GAMMA}, m 0.6", on="quadratic")
def masked_is_plain(masking: bool = True) -> Verdict:
    """Factor masking with everything sent clears every velocity: DGC is SGD without momentum."""
    step = ConstantStep(_DGC_GAMMA)
    ours = models(BSP(step, Identity(), MomentumCorrection(0.6, masking)), noisy(), 40)
    return same(
        "factor masking with everything sent leaves no momentum: plain SGD", ours,
        models(BSP(step), noisy(), 40),
    )  # fmt: skip


# Laws of momentum that several memories share: heavy ball, effective rate, settling.


GAMMA, M = 0.05, 0.6


def uneven() -> Quadratic:
    """Four workers with different minimisers, no noise."""
    return Quadratic.strongly_convex(4, 12, zeta2=1.0)


def heavy_ball(memory: Memory[Any], row: str) -> Verdict:
    """With nothing held back the memory is heavy-ball SGD, step by step."""
    step = ConstantStep(GAMMA)
    ours = models(BSP(step, Identity(), memory), uneven(), 40)
    plain = models(BSP(step, optimizer=Momentum(M)), uneven(), 40)
    return identity(
        row, "uncompressed it is heavy-ball SGD", ours, plain, check="closed form",
        problem="quadratic", provenance=f"40 steps, gamma {GAMMA}, m {M}", tolerance=1e-11,
    )  # fmt: skip


def one_dimensional(memory: Memory[Any], gamma: float, steps: int) -> float:
    """|x_T| on f = x^2/2 from x_0 = 1, uncompressed, one worker."""
    one = torch.ones((1, 1), dtype=torch.float64)
    problem = Quadratic(name="parabola", a=one, c=0 * one, x_star=0 * one[0], x0=one[0])
    end = models(BSP(ConstantStep(gamma), Identity(), memory), problem, steps)[-1]
    return float(end.abs().max())


def converges(memory: Memory[Any], row: str, gamma: float, steps: int, limit: float) -> Verdict:
    """f = x^2/2, m = 0.9: |x_T| ends below the limit."""
    end = one_dimensional(memory, gamma, steps)
    return Verdict(
        subject=row, problem="x^2/2", check="momentum box",
        claim=f"|x_{steps}| <= {limit:g} from x_0 = 1, m = 0.9, gamma = {gamma:g}, uncompressed",
        outcome=Outcome.SUPPORTED if end <= limit else Outcome.REFUTED, statistic=end, bound=limit,
        resolution=0.0,
        evidence=f"|x_{steps}| = {end:.4g}", provenance="deterministic",
    )  # fmt: skip


def effective_rate(memory: Memory[Any], row: str) -> Verdict:
    """Under a constant gradient momentum m moves by gamma/(1-m) times it a step in the end."""
    problem = constant_gradient(torch.tensor([1.0, 0.4], dtype=torch.float64))
    x = models(BSP(ConstantStep(0.1), Identity(), memory), problem, 400)
    return identity(
        row, "m = 0.9, gamma = 0.1: the effective rate is gamma/(1-m) = 1",
        x[-2, 0] - x[-1, 0], [1.0, 0.4], check="closed form", problem="linear",
        provenance="400 steps, where m^400 < 1e-18",
    )  # fmt: skip


# Global momentum: heavy ball without compression; the virtual iterate with it.
#
# The survey's box divides by no stepsize and has a momentum of gamma m (erratum E31).


_GMC_GAMMA = 0.05


def global_momentum_is_kept(m: float = 0.6) -> Verdict:
    """x - mean e moves by the mean step and m times the model's last move: nothing else is lost."""
    method = BSP(ConstantStep(_GMC_GAMMA), TopK(2), GlobalMomentum(m))
    gaps, last = [], torch.zeros(())
    for before, after in pairwise(path(method, noisy(), 30)):
        g = mean_row(before.context.gradient(before.state.x, before.t))
        was, now = (s.x - mean_row(s.memory.residual) for s in (before.state, after.state))
        gaps.append(now - was + _GMC_GAMMA * g - 0.6 * last)
        last = after.state.x - before.state.x
    claim = "x - mean e moves by -gamma mean g + m (x_t - x_{t-1}) alone"
    return nothing_moves_it_else("gmc", claim, gaps, "top-2 of 12, m 0.6, 30 steps")


def gmc() -> tuple[Verdict, ...]:
    """Heavy ball, the parabola, the virtual iterate, the effective rate."""
    row = "gmc"
    return (
        heavy_ball(GlobalMomentum(M), row),
        converges(GlobalMomentum(0.9), row, 0.01, 200, 1e-2),
        global_momentum_is_kept(),
        effective_rate(GlobalMomentum(0.9), row),
    )


# Where local clipping bites: thresholds T n^-1/2 for noise and for equal gradients (E33).


local_clipping = ClosedForms("local-clipping")
"""Closed forms of local-clipping."""


@local_clipping.case("clipping")
def clipping_of_noise() -> Verdict:
    """E33, noise: local thresholds T n^-1/2 leave the sum what one threshold T on it leaves.

    The norm's relative standard deviation is (2 d)^-1/2 = 0.011; the tolerance is six of them.
    """
    n, d, threshold = 64, 4000, 5.0
    draws = Key.seed(0).fold("clip").draws(torch.tensor(0), torch.arange(n))
    left = ClipNorm(threshold).apply(draws.normal(d, torch.float64), n).sum(0).norm()
    return same(
        "independent noise: clipped at T n^-1/2 the sum has norm T, within 7 %",
        float(left) / threshold, 1.0, tolerance=0.07,
        words=f"n={n}, d={d}, T={threshold:g}; each row has norm about {d**0.5:.3g}",
    )  # fmt: skip


@local_clipping.case("clipping", "norm 30 each, T = 5")
def clipping_of_sums() -> Verdict:
    """E33, aligned gradients: the same thresholds leave the sum n^1/2 T."""
    n, threshold = 64, 5.0
    g = torch.full((n, 9), 10.0, dtype=torch.float64)
    return same(
        "n = 64 equal gradients: clipped at T n^-1/2 their sum has norm 8 T",
        float(ClipNorm(threshold).apply(g, n).sum(0).norm()) / threshold, 8.0,
    )  # fmt: skip


@local_clipping.case("clipping")
def clipping_spares_the_mean(power: float = 0.0) -> Verdict:
    """Four equal gradients at the threshold for their mean: global clipping leaves the mean."""
    g = torch.tensor([[3.0, 4.0]], dtype=torch.float64).expand(4, 2)
    return same(
        "four equal gradients of norm T, threshold T: their mean stays",
        ClipNorm(5.0, power).apply(g, 4).mean(0), [3.0, 4.0],
        words=f"T = 5, local threshold T n^-{power:g}",
    )  # fmt: skip


# Momentum correction: heavy ball without compression, and velocities that are kept with it.
#
# The survey's box as printed never reduces the residual (erratum E30); the right one settles.


_MOMENTUM_CORRECTION_M = 0.6


def velocities_are_kept(memory: MomentumCorrection, row: str) -> Verdict:
    """sum of messages + v = sum of velocities: x_t - mean v moves by the mean velocity alone."""
    method = BSP(ConstantStep(GAMMA), TopK(2), memory)
    moments = list(path(method, uneven(), 30))
    gaps = []
    for before, after in pairwise(moments):
        g = GAMMA * before.context.gradient(before.state.x, before.t)
        u = memory.m * before.state.memory.u + g
        was, now = (s.x - s.memory.v.mean(-2, keepdim=True) for s in (before.state, after.state))
        gaps.append(now - was + u.mean(-2, keepdim=True))
    return identity(
        row, "x - mean v moves by the mean velocity alone", torch.stack(gaps), 0.0,
        check="virtual iterate", problem="quadratic", provenance="top-2 of 12, 30 steps",
    )  # fmt: skip


def momentum_correction() -> tuple[Verdict, ...]:
    """Heavy ball, kept velocities, the parabola, the effective rate."""
    row = "momentum-correction"
    return (
        heavy_ball(MomentumCorrection(_MOMENTUM_CORRECTION_M), row),
        velocities_are_kept(MomentumCorrection(_MOMENTUM_CORRECTION_M), row),
        converges(MomentumCorrection(0.9), row, 0.01, 400, 1e-3),
        effective_rate(MomentumCorrection(0.9), row),
    )


# The survey's boxes of momentum and clipping, as printed and as they must be: E30 to E33, S2.


_BOX_M, _BOX_GAMMA = 0.9, 0.01


def _end(method: BSP, steps: int, n: int = 1) -> float:
    """|x_T| of n equal workers on x^2/2 from 1."""
    ones = torch.ones((n, 1), dtype=torch.float64)
    problem = Quadratic.from_arrays(ones, 0 * ones, x0=torch.ones(1, dtype=torch.float64))
    return float(models(method, problem, steps)[-1].abs().max())


@demonstrates(
    "E30",
    "momentum-correction",
    "|x_400| on x^2/2 from 1, all sent: that of heavy ball",
    covers=("error-feedback", "gmc", "local-clipping", "momentum-correction"),
)
def e30() -> Shown:
    """Values sent stay in v and are sent again: 10^12 after 400 steps, where 0 is near."""
    plain = _end(BSP(ConstantStep(_BOX_GAMMA), optimizer=Momentum(_BOX_M)), 400)
    return (
        (one_dimensional(MomentumCorrection(_BOX_M), _BOX_GAMMA, 400), plain),
        (one_dimensional(PrintedCorrection(_BOX_M), _BOX_GAMMA, 400), plain),
    )


@demonstrates(
    "E31",
    "gmc",
    "|x_200| on x^2/2 from 1, all sent: that of heavy ball",
    covers=("error-feedback", "gmc", "local-clipping", "momentum-correction"),
)
def e31() -> Shown:
    """m in place of m/gamma: a momentum of gamma m, which is none."""
    heavy = _end(BSP(ConstantStep(_BOX_GAMMA), optimizer=Momentum(_BOX_M)), 200)
    plain = _end(BSP(ConstantStep(_BOX_GAMMA)), 200)
    return (
        (one_dimensional(GlobalMomentum(_BOX_M), _BOX_GAMMA, 200), heavy),
        (one_dimensional(GlobalMomentum(_BOX_GAMMA * _BOX_M), _BOX_GAMMA, 200), heavy),
        f"without momentum {plain:.4g}",
    )


@demonstrates(
    "E32",
    "momentum-correction",
    "four equal workers move as one does",
    covers=("error-feedback", "gmc", "local-clipping", "momentum-correction"),
)
def e32() -> Shown:
    """The sum of n equal workers takes n steps in one: gamma n instead of gamma."""
    n, steps = 4, 20

    def corrected(gamma: float) -> BSP:
        return BSP(ConstantStep(gamma), Identity(), MomentumCorrection(_BOX_M))

    alone = _end(corrected(_BOX_GAMMA), steps)
    return (
        (_end(corrected(_BOX_GAMMA), steps, n), alone),
        (_end(corrected(n * _BOX_GAMMA), steps, n), alone),
        "the sum over workers is the mean at n times the stepsize",
    )


@demonstrates(
    "E33",
    "local-clipping",
    "four equal gradients at the threshold keep their mean",
    covers=("error-feedback", "gmc", "local-clipping", "momentum-correction"),
)
def e33() -> Shown:
    """Thresholds T n^-1/2 halve the mean of four equal gradients of norm T."""
    g = torch.tensor([[3.0, 4.0]], dtype=torch.float64).expand(4, 2)
    norms = [float(ClipNorm(5.0, power).apply(g, 4).mean(0).norm()) for power in (0.0, 0.5)]
    return (norms[0], 5.0), (norms[1], 5.0), "noise is another matter: its sum has norm T"


@demonstrates(
    "S2",
    "error-feedback",
    "50 gradients of 1: messages and residual add up to 50",
    covers=("error-feedback", "gmc", "local-clipping", "momentum-correction"),
)
def s2() -> Shown:
    """Every fifth step sends all there is: with a decay of 0.9 a share is in nobody's hands."""
    kept = [_sent_and_kept(DecayingFeedback(decay, decay)) for decay in (1.0, 0.9)]
    return (kept[0], 50.0), (kept[1], 50.0)


def _sent_and_kept(memory: DecayingFeedback) -> float:
    one = torch.ones(1, 1, dtype=torch.float64)
    state: Tensor = memory.init(one.shape, one.dtype, one.device)
    sent = 0.0
    for t in range(50):
        wanted = memory.before(state, one)
        message = wanted if t % 5 == 4 else torch.zeros_like(one)
        sent += float(message)
        state = memory.after(state, Round(one, wanted, message, message))
    return sent + float(state)


CLOSED_FORMS = (gmc, momentum_correction)
