r"""Bias and distortion at given vectors, with intervals that hold at a stated error.

For a vector x and independent outcomes C_1(x), ..., C_S(x): the mean against x, in every
coordinate and along three directions; the ratio E||C(x)-x||^2 / ||x||^2; and
a = E<C(x), x> / ||x||^2, b = E||C(x)||^2 / ||x||^2, from which the ratio of any multiple c C
follows as c^2 b - 2 c a + 1. Half-widths as in :mod:`proofs_check.instruments.statistics`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.key import Key
from proofs_check.instruments.statistics import half_width, sample
from proofs_check.instruments.vectors import check_vectors

ALPHA = 1e-9
ROUNDING = 16
SMALL, LARGE = 2.0**-30, 2.0**20


@final
@dataclass(frozen=True)
class Setting:
    """An operator in R^d as it is to be sampled; ``eps`` is the unit of its outcomes.

    Attributes:
        key: the randomness of the samples.
        samples: outcomes drawn at each vector.
        random: whether outcomes are random; if not, one is taken.
    """

    operator: Compressor
    d: int
    key: Key
    samples: int
    random: bool
    eps: float

    @property
    def slack(self) -> float:
        """Relative rounding that is nobody's fault."""
        return ROUNDING * self.eps


@final
@dataclass(frozen=True)
class Sample:
    """What was seen at one vector; sizes in units of ||x|| (of 1 where x = 0).

    ``bias`` is the largest deviation of the mean, ``where`` it is, ``biased`` whether it exceeds
    its half-width; ``ratio`` the distortion; ``a`` (with half-width ``c_width``) and ``b`` as
    above; ``skewed`` whether the mean is off from a x as well.

    Attributes:
        name: what the vector is.
        bias_width: half-width of the deviation of the mean.
        resolution: smallest bias that the sample could have seen.
        ratio_width: half-width of ``ratio``.
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
    ratio_width: float
    a: float
    b: float
    c_width: float
    skewed: bool

    @property
    def excess(self) -> float:
        """The bias in units of its half-width."""
        return self.bias / self.bias_width if self.bias_width else self.bias

    @property
    def finite(self) -> bool:
        """Whether all outcomes were finite."""
        return math.isfinite(self.ratio)


def vectors(d: int, key: Key) -> dict[str, Tensor]:
    """The vectors ``[d]`` at which moments are taken."""
    seen = check_vectors(d, key.fold("vectors"))
    place = torch.arange(d)
    ties = torch.where(place % 2 == 0, 1.0, -1.0) * (1 + (place // 2) % 2)
    return {
        **seen,
        "ties": ties.to(torch.float64),
        "small": seen["gaussian"] * SMALL,
        "large": seen["gaussian"] * LARGE,
    }


def outcomes(setting: Setting, x: Tensor, key: Key) -> Tensor:
    """Outcomes ``[S, d]`` at x ``[d]``, one where nothing is drawn."""
    return sample(setting.operator, x, setting.samples if setting.random else 1, key)


def looks(setting: Setting) -> list[Sample]:
    """What is seen at each of the vectors."""
    points = {
        name: x.to(torch.float32).to(torch.float64)
        for name, x in vectors(setting.d, setting.key).items()
    }
    found = {n: outcomes(setting, x, setting.key.fold("look", n)) for n, x in points.items()}
    flat = found["flat"] / points["flat"]
    gain = float(flat.abs().max()) if bool(flat.isfinite().all()) else 1.0
    return [look(setting, name, points[name], y, gain) for name, y in found.items()]


def look(setting: Setting, name: str, x: Tensor, y: Tensor, gain: float = 1.0) -> Sample:
    """What outcomes ``[S, d]`` tell of the operator at x ``[d]``.

    ``gain`` is how far a coordinate is known to be blown up, as in :func:`statistics.mean_test`.
    """
    if not bool(y.isfinite().all()):
        return _not_finite(name, x, y)
    unit = float(x.norm()) or 1.0
    probes, towards = _probes(x, y, unit)
    wanted = torch.cat((x, x @ towards.T)) / unit
    spread = torch.maximum(
        (probes.amax(0) - probes.amin(0)).clamp_min(1.0), gain * _reach(x, towards) / unit
    )
    tests = probes.shape[1]
    widths = _widths(setting, probes, spread, ALPHA / tests) + setting.slack
    off = (probes.mean(0) - wanted).abs()
    worst = int((off / widths).argmax())
    ratio, ratio_width = _mean(setting, (y - x).square().sum(-1) / unit**2, 1.0)
    a = float(probes[:, len(x)].mean()) if bool(x.any()) else math.nan
    b = float(y.square().sum(-1).mean()) / unit**2
    return Sample(
        name,
        x,
        y.mean(0),
        float(off[worst]),
        float(widths[worst]),
        2 * float(widths[len(x)]),
        _place(worst, len(x)),
        bool((off > widths).any()),
        ratio,
        ratio_width,
        a,
        b,
        float(widths[len(x)]),
        bool(((probes.mean(0) - a * wanted).abs() > 2 * widths).any()) if bool(x.any()) else False,
    )


def _not_finite(name: str, x: Tensor, y: Tensor) -> Sample:
    bad, nan = math.inf, math.nan
    seen = y[int((~y.isfinite()).any(-1).double().argmax())]
    return Sample(name, x, seen, bad, 0.0, 0.0, "not finite", True, bad, 0.0, nan, nan, 0.0, True)


def _probes(x: Tensor, y: Tensor, unit: float) -> tuple[Tensor, Tensor]:
    """Coordinates of outcomes and their parts along x, its signs and all ones, over ||x||."""
    signs = torch.where(x < 0, -1.0, 1.0).to(x.dtype)
    rows = torch.stack((x, signs, torch.ones_like(x)))
    towards = rows / rows.norm(dim=-1, keepdim=True).clamp_min(torch.finfo(x.dtype).tiny)
    return torch.cat((y, y @ towards.T), 1) / unit, towards


def _reach(x: Tensor, towards: Tensor) -> Tensor:
    return torch.cat((x.abs(), (x * towards).abs().amax(-1)))


def _place(worst: int, d: int) -> str:
    return ("along x", "along its signs", "along ones")[worst - d] if worst >= d else f"x[{worst}]"


def _widths(setting: Setting, values: Tensor, spread: Tensor | float, alpha: float) -> Tensor:
    if not setting.random:
        return torch.zeros(values.shape[1:], dtype=torch.float64)
    return half_width(values, spread, alpha)


def _mean(setting: Setting, values: Tensor, size: float) -> tuple[float, float]:
    """Mean of nonnegative values ``[S]`` and its half-width."""
    width = float(_widths(setting, values, max(float(values.max()), size), ALPHA))
    mean = float(values.mean())
    return mean, width + setting.slack * max(mean, size)
