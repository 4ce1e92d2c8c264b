r"""Monte-Carlo verdicts with a stated family-wise error.

A mean of nonnegative values is held against an upper bound by a lower end that asks for no largest
value (:mod:`proofs_check.instruments.limits`): its error is as stated for every operator. A mean
that is to be x has two sides; its intervals are of the same kind along three directions, and for
single coordinates empirical Bernstein bounds (Maurer and Pontil 2009, arXiv:0907.3740, Theorem 4):
with probability at least 1 - alpha,

$$|\bar y - E y| \le \sqrt{2 V \ln(4/\alpha) / S} + 7 R \ln(4/\alpha) / (3 (S - 1)),$$

V the sample variance of S independent values and R their range. The range of an operator given
as code is not known, and an outcome too rare to be seen would be missed. So R is taken as the
largest of the observed range, the size ||x|| (a coordinate may go as far as the whole vector, as
quantisers do) and gain |x_j| (a coordinate may be blown up, as sparsifiers do), the gain being the
largest seen at the flat vector. For operators that stay within, the error is as stated; for others,
such as one that sends x / p with probability p = 10^-4, a deviation is a suspicion only, which
:mod:`proofs_check.compressors.longer` looks at again with a width that holds for all of a
claimed variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from proofs_check.instruments.betting import ends_within, lower_end

ROUNDOFF = 1e-12
_ROUNDED = 2.0**-50  # of the largest outcome: probabilities are multiples of 2^-53

FAMILY_WISE_ERROR = 1e-6
"""Probability that a whole run of the survey calls something true refuted."""

MOST_TESTS = 10_000
"""Statistical tests that a run may hold; the suite's test counts them."""

TEST_ERROR = FAMILY_WISE_ERROR / MOST_TESTS
"""Error of one statistical test."""


@final
@dataclass(frozen=True)
class ErrorBudget:
    """A family-wise error ``total``, split evenly over ``tests``.

    With the default each test has :data:`TEST_ERROR`.

    Raises:
        ValueError: total outside (0, 1) or tests < 1.
    """

    total: float = FAMILY_WISE_ERROR
    tests: int = MOST_TESTS

    def __post_init__(self) -> None:
        if not 0 < self.total < 1:
            raise ValueError(f"total must lie in (0, 1), got total={self.total}")
        if self.tests < 1:
            raise ValueError(f"tests must be at least 1, got tests={self.tests}")

    @property
    def alpha(self) -> float:
        """Largest probability that one test errs."""
        return self.total / self.tests

    def split(self, parts: int) -> ErrorBudget:
        """One test's share as a budget of its own, for ``parts`` tests."""
        return ErrorBudget(self.alpha, parts)


class MeanTest(NamedTuple):
    """Largest deviation of a mean vector, in units of the input's size (see :func:`mean_test`).

    Attributes:
        refuted: whether the deviation is beyond the stated error.
        half_width: how far chance may move the mean.
        resolution: a bias of this size is refuted with probability at least 1 - alpha.
        where: the coordinate or direction of the largest deviation.
        towards: the unit vector ``[d]`` along which it is.
    """

    refuted: bool
    deviation: float
    half_width: float
    resolution: float
    where: str
    towards: Tensor


class BoundTest(NamedTuple):
    """A mean held against an upper bound (see :func:`bound_test`).

    Attributes:
        refuted: whether the bound is exceeded beyond the stated error.
        half_width: how far chance may move the mean.
        resolution: an excess of this size is refuted with probability at least 1 - alpha.
    """

    refuted: bool
    mean: float
    half_width: float
    resolution: float


def sample(compressor: Compressor, x: Tensor, samples: int, key: Key) -> Tensor:
    """``[S, d]`` independent outcomes at one vector x ``[d]``; samples are replicas."""
    draws = key.draws(torch.arange(samples), torch.zeros(1, dtype=torch.int64))
    return compressor.compress(x.expand(samples, 1, -1), draws)[:, 0]


def half_width(values: Tensor, spread: Tensor | float, alpha: float) -> Tensor:
    """Two-sided half-widths ``[...]`` of means of ``values`` ``[S, ...]`` of range ``spread``.

    Raises:
        ValueError: fewer than two samples.
    """
    samples = values.shape[0]
    if samples < 2:
        raise ValueError(f"samples must be at least 2, got samples={samples}")
    log = math.log(4 / alpha)
    variance: Tensor = values.var(0)
    noise = (2 * variance * log / samples).sqrt()
    rare = 7 * log * spread / (3 * (samples - 1))
    return noise + rare


def _directions(x: Tensor) -> Tensor:
    """Unit vectors ``[3, d]`` along which a bias adds up: x, its signs, and all ones."""
    signs = torch.where(x < 0, -1.0, 1.0).to(x.dtype)
    rows: Tensor = torch.stack((x, signs, torch.ones_like(x)))
    unit: Tensor = rows / rows.norm(dim=-1, keepdim=True).clamp_min(torch.finfo(x.dtype).tiny)
    return unit


def _reach(values: Tensor, spread: Tensor, alpha: float) -> Tensor:
    """Half-widths of intervals for the means of ``values`` ``[S, m]``, on the longer side."""
    if not bool(torch.isfinite(values).all()):
        return torch.zeros_like(spread)
    low, high = ends_within(values, spread, alpha)
    mean: Tensor = values.mean(0)
    return torch.maximum(mean - low, high - mean)


def mean_test(
    outcomes: Tensor, x: Tensor, alpha: float, gain: float = 1.0, random: bool = True
) -> MeanTest:
    """Whether outcomes ``[S, d]`` have mean x ``[d]``: every coordinate and three directions.

    Half of alpha for the coordinates, half for the directions; outcomes that are not finite are
    refuted. The resolution is twice the half-width along x: a bias of that size, relative to
    ||x||, is refuted with probability at least 1 - alpha. Outcomes that are not ``random`` have no
    sampling error.
    """
    size = float(x.norm())
    towards = _directions(x)
    probes = torch.cat((outcomes - x, (outcomes - x) @ towards.T), dim=1)
    blown_up = gain * torch.cat((x.abs(), (x * towards).abs().amax(-1)))
    spread = torch.maximum((probes.amax(0) - probes.amin(0)).clamp_min(size), blown_up)
    widths = _ROUNDED * spread
    if random:
        d, share = len(x), alpha / 2
        along = _reach(probes[:, d:], spread[d:], share)
        widths = torch.cat((half_width(probes[:, :d], spread[:d], share / d), along))
    widths = widths + ROUNDOFF * size
    deviations = probes.mean(0).abs()
    worst = int((deviations / widths.clamp_min(torch.finfo(x.dtype).tiny)).argmax())
    unit = size or 1.0
    d = x.shape[0]
    where = ("along x", "along its signs", "along ones")[worst - d] if worst >= d else f"x[{worst}]"
    return MeanTest(
        not bool((deviations <= widths).all() and torch.isfinite(outcomes).all()),
        float(deviations[worst]) / unit,
        float(widths[worst]) / unit,
        2 * float(widths[d]) / unit,
        where,
        torch.cat((torch.eye(d, dtype=x.dtype), towards))[worst],
    )


def along_test(along: Tensor, x: Tensor, alpha: float, gain: float) -> MeanTest:
    """Apply :func:`mean_test` to one direction: ``along`` ``[S]`` is <C(x) - x, x> / ||x||."""
    size = float(x.norm())
    blown_up = gain * float(x.square().max()) / size
    spread = torch.tensor([max(float(along.max() - along.min()), size, blown_up)], dtype=x.dtype)
    width = float(_reach(along[:, None], spread, alpha)) + ROUNDOFF * size
    off = abs(float(along.mean()))
    return MeanTest(
        not off <= width, off / size, width / size, 2 * width / size, "along x", x / size
    )


def bound_test(
    values: Tensor, bound: float, alpha: float, size: float = 0.0, random: bool = True
) -> BoundTest:
    """Whether nonnegative ``values`` ``[S]`` have a mean of at most ``bound``.

    Refuted where a lower end of the mean exceeds the bound, with error alpha for any law, or the
    mean is not finite. The resolution is the excess over the bound that is refuted with
    probability at least 1 - alpha for values that spread as these. Values that are not ``random``
    have no sampling error; rounding is relative to the bound and ``size``.
    """
    mean = float(values.mean())
    width = 0.0
    if random and math.isfinite(mean):
        width = mean - lower_end(values, alpha)
    slack = ROUNDOFF * max(bound, size)
    return BoundTest(not mean - width <= bound + slack, mean, width, 2 * width)  # NaN is refuted
