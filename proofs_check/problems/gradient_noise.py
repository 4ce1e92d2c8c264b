"""Are stochastic gradients unbiased, with the variance their problem states at that point?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.problems.base import Problem
from proofs_check.instruments.evidence import ALPHA, identity
from proofs_check.instruments.statistics import half_width
from proofs_check.verdict import Outcome, Verdict

_NUMBERS = 4_000_000  # sampled gradients are held to that many numbers
_ROUNDING, _SINGLE = 1e-9, 1e-4  # relative: of float64 sums, of float32 gradients


def single(problem: Problem, wide: Problem, points: Tensor, seed: int) -> Iterator[Verdict]:
    """Stochastic float32 gradients against those of the same samples in float64."""
    x = points[:5]
    draws = Key.seed(seed).draws(torch.arange(len(x)), torch.arange(problem.n))
    got = problem.gradient(x[:, None].to(problem.dtype), draws).double()
    expected = wide.gradient(x[:, None], draws)
    yield identity(
        problem.name, "float32 gradients are the float64 ones, rounded", got.numpy(),
        expected.numpy(), check="gradient", problem=problem.name, tolerance=_SINGLE,
        provenance=f"seed {seed}",
    )  # fmt: skip


@final
@dataclass(frozen=True)
class _Place:
    """One point x ``[d]`` of a problem, called ``label`` in the evidence."""

    problem: Problem
    x: Tensor
    label: str
    seed: int


def gradient_noise(problem: Problem, points: Tensor, seed: int) -> Iterator[Verdict]:
    """Stochastic gradients at the start and one drawn point: mean, and variance = noise(x)."""
    samples = max(100, min(20_000, _NUMBERS // (problem.n * problem.d)))
    workers, replicas = torch.arange(problem.n), torch.arange(samples)
    for label, x in (("the start", points[0]), ("a drawn point", points[len(points) // 2])):
        place = _Place(problem, x, label, seed)
        draws = Key.seed(seed).fold("noise", label).draws(replicas, workers)
        full = problem.full_gradient(x[None], workers)
        off = problem.gradient(x[None], draws) - full
        yield _unbiased(place, off, _ROUNDING * max(float(full.abs().max()), 1e-12))
        stated = problem.noise(x)
        if bool(stated.isfinite().all()):  # a heavy tail states no variance: nothing to check
            yield _variance(place, off.square().sum(-1), stated)


def _unbiased(place: _Place, off: Tensor, floor: float) -> Verdict:
    """Every worker's deviation ``[S, n, d]`` along ones, a drawn direction and grad f."""
    x, d = place.x, off.shape[-1]
    draws = Key.seed(place.seed).fold("direction", place.label)
    drawn = draws.draws(torch.tensor(0), torch.arange(1)).normal(d, x.dtype)[0]
    rows = torch.stack((torch.ones_like(x), drawn, place.problem.mean_gradient(x)))
    unit = rows / rows.norm(dim=-1, keepdim=True).clamp_min(1e-300)
    return _held(place, "stochastic gradients are unbiased", (off @ unit.T).flatten(1), floor)


def _variance(place: _Place, square: Tensor, stated: Tensor) -> Verdict:
    """||g_i - grad f_i||^2 ``[S, n]`` of every worker against its noise(x) ``[n]``."""
    claim = "noise(x) is the variance of the stochastic gradient, for every worker"
    floor = _ROUNDING * max(float(stated.max()), 1e-12)
    return _held(place, claim, square - stated, floor)


def _held(place: _Place, claim: str, off: Tensor, floor: float) -> Verdict:
    """Are the means over samples of ``off`` ``[S, tests]`` 0? Bonferroni over the tests.

    Half-widths are empirical Bernstein bounds (Maurer and Pontil 2009, arXiv:0907.3740) with the
    range taken as twice the largest modulus seen.
    """
    width = half_width(off, 2 * off.abs().amax(0), ALPHA / off.shape[1]) + floor
    ratio = off.mean(0).abs() / width
    worst = int(ratio.argmax())
    return Verdict(
        subject=place.problem.name, problem=place.problem.name, check="gradient noise", claim=claim,
        outcome=Outcome.SUPPORTED if bool((ratio <= 1).all()) else Outcome.REFUTED,
        statistic=float(off.mean(0)[worst]), bound=0.0, uncertainty=float(width[worst]),
        resolution=2 * float(width.max()),
        evidence=f"largest deviation {float(ratio[worst]):.2g} of what chance allows, at "
        f"{place.label}, {len(off)} samples of {off.shape[1]} means, error {ALPHA:g}",
        provenance=f"seed {place.seed}",
    )  # fmt: skip
