r"""Sparsifiers where arithmetic says what they must do, and the survey's misprints E28 and E29.

A random mask at stepsize gamma is subsampling at q gamma. Golomb's code takes
b* + 1/(1 - (1 - p)^(2^b*)) bits a position. The threshold of a sample of s keeps r (d + 1)/(s + 1)
on average. Wangni's probabilities keep (1 + rho) s of a (rho, s)-approximately sparse vector.
Top-k errs at most (1 - k/d)^2 where sorted magnitudes are convex (compared, not asserted of all x).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from algorithms.codes.lists import Column, Lists, Records
from algorithms.compressors.absolute_threshold import AbsoluteThreshold
from algorithms.compressors.gaussian_k import GaussianK
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.strom import Strom
from algorithms.compressors.top_k import TopK
from algorithms.compressors.wangni import Wangni
from algorithms.key import Draws, Key
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.truncation import TruncatedGradient, truncate
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.errata.errata import erratum
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Outcome, Verdict
from theory import bits
from theory.stepsizes import ConstantStep

_SEED = 61
_REPLICAS = 4000


def _draws(replicas: int, word: str) -> Draws:
    key = Key.seed(_SEED).fold(word)
    return key.draws(torch.arange(replicas), torch.zeros(1, dtype=torch.int64))


def mask_is_slow_subsampling() -> Verdict:
    """Unscaled at gamma = 0.4, q = 1/4, and scaled at gamma = 0.1: path by path."""
    problem = Quadratic.strongly_convex(4, 8, sigma2=1.0, zeta2=1.0)
    plain, scaled = (
        models(BSP(ConstantStep(gamma), mask), problem, 50, seed=_SEED, replicas=2)
        for gamma, mask in ((0.4, RandomMask(0.25)), (0.1, RandomMask(0.25, scaled=True)))
    )
    return identity(
        "random-mask", "a random mask at stepsize gamma is subsampling at q gamma",
        plain, scaled, check="closed form", problem=problem.name,
        provenance=f"seed {_SEED}, 2 replicas, 50 steps",
    )  # fmt: skip


def golomb_length(p: float) -> Verdict:
    """Mean bits of coded gaps that are geometric with parameter p, by the code, a position."""
    rows, count = 400, 200
    u = 1 - _draws(rows, "golomb").uniform(count, torch.float64)
    distances = 1 + (u.log() / math.log1p(-p)).floor().to(torch.int64)
    code = Lists((), (Records((Column("gaps", bits.golomb_width(p), golomb=True),), count),))
    held = torch.full((rows, 1, 1), count)
    lengths = code.lengths((held, distances)).double() / count
    stated = bits.golomb_position(p)
    return mean_value(
        "sbc", f"Golomb's code takes {stated:.6g} bits a position at p = {p:g}",
        lengths.numpy(), stated, check="expected length",
        provenance=f"seed {_SEED}, {rows} rows of {count} gaps",
    )  # fmt: skip


def sampled_threshold() -> Verdict:
    """E N = r (d + 1) / (s + 1) of a sampled threshold, at a Gaussian row."""
    d, operator = 200, AbsoluteThreshold(0.1, sample=40)
    x = _draws(1, "row").normal(d, torch.float64).expand(_REPLICAS, 1, d)
    kept = (operator.compress(x, _draws(_REPLICAS, "sample")) != 0).sum(-1).double()
    return mean_value(
        "aji-heafield", "a threshold found in s of d keeps r (d + 1)/(s + 1) on average",
        kept.numpy(), 4 * (d + 1) / 41, check="closed form",
        provenance=f"seed {_SEED}, {_REPLICAS} draws, d = 200, s = 40, r = 4",
    )  # fmt: skip


def approximately_sparse(rho: float = 0.5, s: int = 10) -> Verdict:
    """E nnz = sum p_j <= (1 + rho) s where all but s coordinates have rho times their l1 norm."""
    noise = _draws(64, "sparse").normal(200, torch.float64)
    head, tail = noise[..., :s], noise[..., s:].abs().clamp_max(0.05)
    tail = tail * (rho * head.abs().sum(-1, keepdim=True) / tail.sum(-1, keepdim=True))
    most = float(Wangni(rho).probabilities(torch.cat([head, tail], -1)).sum(-1).max())
    return Verdict(
        subject="wangni", claim="E nnz <= (1 + rho) s for (rho, s)-approximately sparse vectors",
        check="closed form",
        outcome=Outcome.PROVED if most <= (1 + rho) * s * (1 + 1e-12) else Outcome.REFUTED,
        statistic=most, bound=(1 + rho) * s, tightness=most / ((1 + rho) * s),
        evidence=f"largest sum p_j {most:.6g} of 64 vectors with rho = {rho:g}, s = {s}, d = 200",
        provenance=f"Wangni et al. 2018, arXiv:1710.09854, Lemma 3; seed {_SEED}",
    )  # fmt: skip


def bell_shape() -> tuple[Verdict, ...]:
    """||x - top-k(x)||^2 / ||x||^2 against (1 - k/d)^2: Gaussian rows, and flat ones."""
    d = 1000
    shapes = {
        "Gaussian": _draws(16, "bell").normal(d, torch.float64),
        "flat": torch.ones(1, 1, d, dtype=torch.float64),
    }
    return tuple(_conditional(name, x) for name, x in shapes.items())


def _conditional(name: str, x: Tensor) -> Verdict:
    d = x.shape[-1]
    excess = []
    for k in (1, 10, 100, 500, 900):
        left = x - TopK(k).compress(x, _draws(x.shape[0], "none"))
        ratio = left.square().sum(-1) / x.square().sum(-1)
        excess.append(float(ratio.max()) / (1 - k / d) ** 2)
    holds = max(excess) <= 1
    return Verdict(
        subject="top-k", claim="||x - top-k(x)||^2 <= (1 - k/d)^2 ||x||^2 under a bell shape",
        check="conditional bound", outcome=Outcome.COMPARED, statistic=max(excess), bound=1.0,
        evidence=f"{name} rows: largest ratio to the bound {max(excess):.4g} over k = 1 to 900 of "
        f"{d}; the assumption {'and the bound hold' if holds else 'fails, and the bound with it'}",
        provenance=f"Shi et al. 2019, arXiv:1911.08772, Theorem 1; seed {_SEED}",
    )  # fmt: skip


def gaussian_count() -> Verdict:
    """How many of k = 100 Gaussian-k sends of Gaussian rows, d = 10 000 (no claim: compared)."""
    d, k = 10_000, 100
    x = _draws(64, "count").normal(d, torch.float64)
    sent = (GaussianK(k).compress(x, _draws(64, "none")) != 0).sum(-1).double()
    low, high = float(sent.min()), float(sent.max())
    return Verdict(
        subject="gaussian-k", claim="a Gaussian row sends 2k/3 to 4k/3 coordinates",
        check="conditional bound", outcome=Outcome.COMPARED, statistic=float(sent.mean()),
        bound=float(k), evidence=f"{low:.0f} to {high:.0f} of {d} sent, 64 rows, k = {k}",
        provenance=f"Shi et al. 2019, arXiv:1911.08772, Algorithm 1; seed {_SEED}",
    )  # fmt: skip


def e28() -> Verdict:
    """Strom at tau = 5: (-8) must send -5; "less than T becomes 0" sends nothing."""
    x = torch.tensor([[-8.0, 3.0, 8.0]], dtype=torch.float64)
    right = Strom(5.0).compress(x, _draws(1, "none"))[0]
    printed = torch.where(x < 5.0, 0.0, 5.0)[0]
    return erratum(
        "E28", "strom", "-tau is sent of what lies below -tau; printed, it becomes 0",
        (float(right[0]), -5.0), (float(printed[0]), -5.0),
    )  # fmt: skip


class GradientTruncation(NamedTuple):
    """T1 as the survey has it: of the gradient, on its way to the model (erratum E29).

    Attributes:
        alpha: how far values are pulled towards 0.
        theta: values beyond it are left alone.
    """

    alpha: float
    theta: float

    def descend(self, step: float, b: Tensor, steps: int) -> Tensor:
        """Descent on ||x - b||^2 / 2 from 0."""
        x = torch.zeros_like(b)
        for _ in range(steps):
            x = x - step * truncate(x - b, self.alpha, self.theta)
        return x


PULLED = torch.tensor([2.0, 0.3, 0.05], dtype=torch.float64)


def pulled() -> Tensor:
    """Where 2000 steps on ||x - b||^2 / 2, b = (2, 0.3, 0.05), end with g0 = 0.1, theta = 1."""
    problem = Quadratic.from_arrays(torch.ones_like(PULLED)[None], PULLED[None])
    method = BSP(ConstantStep(0.1), proximal=TruncatedGradient(0.1, 1.0))
    *_, last = path(method, problem, 2000)
    end: Tensor = last.state.x[0, 0]
    return end


def pulled_as_printed() -> Tensor:
    """The same with the gradient truncated in place of the weights."""
    return GradientTruncation(0.1, 1.0).descend(0.1, PULLED, 2000)


def weights_are_truncated(run: Callable[[], Tensor] = pulled) -> Verdict:
    """Weights beyond theta = 1 are left alone, others obey x = T1(x - gamma (x - b), gamma g0).

    So x = b - g0 where b > g0 = 0.1, else 0.
    """
    return identity(
        "truncated-gradient", "ends at (2, 0.2, 0): weights are truncated, those beyond theta not",
        run(), [2.0, 0.2, 0.0], check="closed form", problem="quadratic",
        provenance="2000 steps on ||x - b||^2 / 2, b = (2, 0.3, 0.05), gamma 0.1, g0 0.1, theta 1",
    )  # fmt: skip


def e29() -> Verdict:
    """Truncated weights are sparse and large ones unbiased; truncated gradients stop at 1.9."""
    printed = pulled_as_printed()
    return erratum(
        "E29", "truncated-gradient", "weights are truncated: the weight beyond theta ends at b = 2",
        (float(pulled()[0]), 2.0), (float(printed[0]), 2.0),
        f"truncating gradients ends at {[round(v, 4) for v in printed.tolist()]}: large weights "
        "are biased too",
    )  # fmt: skip


def regret(steps: int = 2000, build: type[TruncatedGradient] = TruncatedGradient) -> Verdict:
    r"""Langford, Li, Zhang 2009, Theorem 3.1, on a stream of squared losses (A = 4, B = 0).

    $\frac{1 - A\eta/2}{T}\sum_t [L_t(w_t) + \frac{g}{1 - A\eta/2}\|w_{t+1}\|_1] \le
    \frac{\|w\|^2}{2\eta T} + \frac1T\sum_t [L_t(w) + g\|w\|_1]$ for every w
    (theta infinite, K = 1): at the least squares of the stream and at the truth, ||a_t|| = 1.
    """
    eta, g, d = 0.05, 0.02, 20
    noise = _draws(1, "stream").normal(steps * (d + 1), torch.float64)[0, 0]
    a = noise[: steps * d].reshape(steps, d)
    a = a / a.norm(dim=-1, keepdim=True)
    truth = torch.where(torch.arange(d) < 3, 2.0, 0.0).to(torch.float64)
    y = a @ truth + 0.1 * noise[steps * d :]
    best = torch.from_numpy(np.linalg.lstsq(a.numpy(), y.numpy(), rcond=None)[0])
    factor, rule = 1 - 2 * eta, build(g, float("inf"))
    w, total = torch.zeros(d, dtype=torch.float64), 0.0
    for t in range(steps):
        miss = a[t] @ w - y[t]
        w = rule.apply(w - eta * 2 * miss * a[t], eta, t)
        total += float(factor * miss * miss + g * w.abs().sum())
    bounds = [
        float(w_.square().sum()) / (2 * eta * steps)
        + float((a @ w_ - y).square().mean() + g * w_.abs().sum())
        for w_ in (best, truth)
    ]
    left, right = total / steps, min(bounds)
    return Verdict(
        subject="truncated-gradient", claim="regret with the l1 pull, Theorem 3.1",
        check="regret", outcome=Outcome.SUPPORTED if left <= right else Outcome.REFUTED,
        statistic=left, bound=right, tightness=left / right,
        evidence=f"left side {left:.6g}, right side {right:.6g} after {steps} steps; "
        f"{int((w == 0).sum())} of {d} weights are zero, 17 in the truth",
        provenance=f"Langford, Li, Zhang 2009, JMLR 10, Theorem 3.1; seed {_SEED}, eta {eta:g}",
    )  # fmt: skip


def sparsifiers() -> tuple[Verdict, ...]:
    """Masks, codes, thresholds, probabilities, the bell shape, E28, E29, regret."""
    lengths = tuple(golomb_length(p) for p in (0.1, 0.01))
    single = (mask_is_slow_subsampling(), sampled_threshold(), approximately_sparse())
    truncated = (weights_are_truncated(), e29(), regret())
    return (*single, *lengths, *bell_shape(), gaussian_count(), e28(), *truncated)


CLOSED_FORMS = (sparsifiers,)
