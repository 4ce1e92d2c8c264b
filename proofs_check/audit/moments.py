r"""Bias and distortion at given vectors, with intervals that hold at a stated error.

For a vector x and independent outcomes C_1(x), ..., C_S(x): the mean against x, in every
coordinate and along three directions; the ratio E||C(x)-x||^2 / ||x||^2; and
a = E<C(x), x> / ||x||^2, b = E||C(x)||^2 / ||x||^2, from which the ratio of any multiple c C
follows as c^2 b - 2 c a + 1. Half-widths of means as in
:mod:`proofs_check.instruments.statistics`, ends of ratios as in
:mod:`proofs_check.instruments.limits`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from proofs_check.instruments.betting import ends_within, interval
from proofs_check.instruments.statistics import half_width, sample

ALPHA = 1e-9
ROUNDING = 16
EXACT = 1e-4
DIRECTIONS = ("along x", "along its signs", "along ones")
_AT_ONCE = 200_000
_CANDIDATES, _WORTH = 3, 0.25
_FAR, _TOLL = 3.0, 35.0
"""Standard errors beyond which a deviation is looked at again."""


@final
@dataclass(frozen=True)
class SampledOperator:
    """An operator in R^d as it is to be sampled; ``eps`` is the unit of its outcomes.

    Attributes:
        key: the randomness of the samples.
        samples: outcomes drawn at each vector.
        random: whether outcomes are random; if not, one is taken.
        share: of the usual further draws, less than 1 where calls are slow.
    """

    operator: Compressor
    d: int
    key: Key
    samples: int
    random: bool
    eps: float
    share: float = 1.0

    @property
    def slack(self) -> float:
        """Relative rounding that is nobody's fault."""
        return ROUNDING * self.eps


@final
@dataclass(frozen=True)
class Sample:
    """Statistics at one vector; sizes in units of ||x|| (of 1 where x = 0).

    ``bias`` is the largest deviation of the mean, ``where`` it is, ``biased`` whether it exceeds
    its half-width; ``ratio`` the distortion; ``a`` (with half-width ``c_width``) and ``b`` as
    above; ``skewed`` whether the mean is off from a x as well.

    Attributes:
        name: what the vector is.
        bias_width: half-width of the deviation of the mean.
        resolution: smallest bias that the sample could have seen.
        ratio_low: lower end of the interval of ``ratio``.
        ratio_high: its upper end.
        ratio_error: standard error of ``ratio``.
        needed: samples that would settle a deviation along a direction that is far beyond its
            standard error but within its half-width; infinite where there is none, 0 where they
            were drawn.
    """

    name: str
    x: Tensor
    mean: Tensor
    bias: float
    bias_width: float
    resolution: float
    where: str
    biased: bool
    ratio: float
    ratio_low: float
    ratio_high: float
    ratio_error: float
    a: float
    b: float
    c_width: float
    skewed: bool
    needed: float

    @property
    def ratio_width(self) -> float:
        """Half-width of the ratio's interval, on its longer side."""
        if not self.finite:
            return 0.0
        return max(self.ratio - self.ratio_low, self.ratio_high - self.ratio)

    @property
    def excess(self) -> float:
        """The bias in units of its half-width."""
        return self.bias / self.bias_width if self.bias_width else self.bias

    @property
    def finite(self) -> bool:
        """Whether all outcomes were finite."""
        return math.isfinite(self.ratio)

    @property
    def undrawn(self) -> bool:
        """Whether nothing came of x in any of many draws, as where its entries are never drawn."""
        return self.b == 0 and self.ratio_low < 1 - EXACT

    @property
    def expands(self) -> bool:
        """Whether no less is lost for certain than by sending nothing."""
        return bool(self.x.any()) and not self.ratio_low < 1 - EXACT


def outcomes(setting: SampledOperator, x: Tensor, key: Key) -> Tensor:
    """Outcomes ``[S, d]`` at x ``[d]``, one where nothing is drawn."""
    return sample(setting.operator, x, setting.samples if setting.random else 1, key)


def look(setting: SampledOperator, name: str, x: Tensor, y: Tensor, gain: float = 1.0) -> Sample:
    """Statistics of outcomes ``[S, d]`` of the operator at x ``[d]``.

    ``gain`` is how far a coordinate is known to be blown up, as in :func:`statistics.mean_test`.
    """
    if not all_finite(y):
        return _not_finite(name, x, y)
    d, unit = len(x), float(x.norm()) or 1.0
    towards = directions(x)
    along = y @ towards.T
    centre = y.mean(0)
    mean, reached = torch.cat((centre, along.mean(0))) / unit, _range(y, along) / unit
    wanted = torch.cat((x, x @ towards.T)) / unit
    spread = torch.maximum(reached.clamp_min(1.0), gain * _reach(x, towards) / unit)
    off = (mean - wanted).abs()
    widths = _coordinate_widths(setting, y, spread[:d] * unit, off[:d] * unit) / unit
    ends = ends_of(setting, along / unit, spread[d:], ALPHA / 2)
    sides = torch.where(wanted[d:] < mean[d:], mean[d:] - ends[0], ends[1] - mean[d:])
    widths = torch.cat((widths, sides)) + setting.slack
    c_width = float(torch.maximum(mean[d] - ends[0][0], ends[1][0] - mean[d])) + setting.slack
    worst = int((off / widths).argmax())
    biased = bool((off > widths).any())
    ratio = square_errors(y, x) / unit**2
    low, high = ratio_ends(setting, ratio)
    a = float(mean[d]) if bool(x.any()) else math.nan
    return Sample(
        name,
        x,
        centre,
        float(off[worst]),
        float(widths[worst]),
        2 * c_width,
        DIRECTIONS[worst - d] if worst >= d else f"x[{worst}]",
        biased,
        float(ratio.mean()),
        low,
        high,
        float(ratio.std() / math.sqrt(len(y))) if len(y) > 1 else 0.0,
        a,
        float(torch.linalg.vector_norm(y)) ** 2 / len(y) / unit**2,
        c_width,
        bool(((mean - a * wanted).abs() > 2 * widths).any()) if bool(x.any()) else False,
        math.inf if biased else _needed(along / unit, off[d:], spread[d:]),
    )


def all_finite(y: Tensor) -> bool:
    """Whether all of y is finite: its sum tells, unless that overflows."""
    return bool(y.sum().isfinite()) or bool(y.isfinite().all())


def square_errors(y: Tensor, x: Tensor) -> Tensor:
    """||C(x) - x||^2 ``[S]`` of outcomes ``[S, d]``, a part of them at a time: they are large."""
    rows = max(1, _AT_ONCE // len(x))
    return torch.cat([(part - x).square().sum(-1) for part in torch.split(y, rows)])


def _range(y: Tensor, along: Tensor) -> Tensor:
    return torch.cat([values.amax(0) - values.amin(0) for values in (y, along)])


def _coordinate_widths(setting: SampledOperator, y: Tensor, spread: Tensor, off: Tensor) -> Tensor:
    """Half-widths ``[d]`` of the means of ``y`` ``[S, d]``: empirical Bernstein bounds.

    Of the coordinates that are farthest off for them, betting intervals where those are shorter;
    each kind has half of what the directions leave of the error, over all d coordinates.
    """
    if not setting.random:
        return torch.zeros(len(off), dtype=torch.float64)
    alpha = ALPHA / 4 / len(off)
    widths = half_width(y, spread, alpha)
    far = (off / widths).topk(min(_CANDIDATES, len(off)))
    for place in far.indices[far.values > _WORTH].tolist():
        low, high = ends_of(setting, y[:, place, None], spread[place, None], alpha)
        mean = y[:, place].mean()
        widths[place] = min(widths[place], torch.maximum(mean - low, high - mean)[0])
    return widths


def ends_of(
    setting: SampledOperator, values: Tensor, spread: Tensor, alpha: float
) -> tuple[Tensor, Tensor]:
    """Ends ``[m]`` of betting intervals for the means of ``values`` ``[S, m]``, error alpha in all.

    No value is taken to lie farther than ``spread`` ``[m]`` from another.
    """
    if not setting.random:
        return values[0], values[0]
    return ends_within(values, spread, alpha)


def ratio_ends(setting: SampledOperator, ratio: Tensor) -> tuple[float, float]:
    """The interval of the mean of ratios ``[S]``; none is taken to exceed all seen and 1."""
    mean, most = float(ratio.mean()), max(float(ratio.max()), 1.0)
    low, high = interval(ratio, most, ALPHA) if setting.random else (mean, mean)
    slack = setting.slack * max(mean, 1.0)
    return low - slack, high + slack


def _needed(probes: Tensor, off: Tensor, spread: Tensor) -> float:
    """Samples that settle the deviations ``[3]`` of means that lie far out; infinite if none."""
    error = probes.std(0) / math.sqrt(len(probes)) if len(probes) > 1 else torch.zeros_like(off)
    far = (off > _FAR * error) & (error > 0)
    if not bool(far.any()):
        return math.inf
    gap, spread = off[far], spread[far]
    variance = len(probes) * error[far].square()
    return float((_TOLL * (2 * variance / gap + spread) / gap).min())


def _not_finite(name: str, x: Tensor, y: Tensor) -> Sample:
    bad, nan = math.inf, math.nan
    seen = y[int((~y.isfinite()).any(-1).double().argmax())]
    return Sample(
        name, x, seen, bad, 0.0, 0.0, "not finite", True,
        bad, bad, bad, 0.0, nan, nan, 0.0, True, bad,
    )  # fmt: skip


def directions(x: Tensor) -> Tensor:
    """Unit vectors ``[3, d]`` along x ``[d]``, its signs and all ones."""
    signs = torch.where(x < 0, -1.0, 1.0).to(x.dtype)
    rows = torch.stack((x, signs, torch.ones_like(x)))
    unit: Tensor = rows / rows.norm(dim=-1, keepdim=True).clamp_min(torch.finfo(x.dtype).tiny)
    return unit


def _reach(x: Tensor, towards: Tensor) -> Tensor:
    return torch.cat((x.abs(), (x * towards).abs().amax(-1)))
