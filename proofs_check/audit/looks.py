"""Test vectors: those at which operators differ, again where chance decides too little."""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from torch import Tensor

from algorithms.core.key import Key
from proofs_check.audit.calls import nearly_square
from proofs_check.audit.moments import (
    ALPHA,
    DIRECTIONS,
    Sample,
    SampledOperator,
    all_finite,
    directions,
    ends_of,
    look,
    outcomes,
    ratio_ends,
)
from proofs_check.instruments.vectors import check_vectors

SMALL, LARGE = 2.0**-30, 2.0**20
MOST_SAMPLES = 60_000
_AT_ONCE = 5_000


def vectors(d: int, key: Key) -> dict[str, Tensor]:
    """The vectors ``[d]`` at which moments are taken, none of them zero."""
    seen = {name: x for name, x in check_vectors(d, key.fold("vectors")).items() if x.any()}
    place = torch.arange(d)
    ties = torch.where(place % 2 == 0, 1.0, -1.0) * (1 + (place // 2) % 2)
    return {
        **seen,
        **orthogonal(d, key),
        "ties": ties.to(torch.float64),
        "mirrored": -seen["gaussian"],
        "small": seen["gaussian"] * SMALL,
        "large": seen["gaussian"] * LARGE,
    }


def orthogonal(d: int, key: Key) -> dict[str, Tensor]:
    """The most nearly square matrix of d entries with all singular values equal, row by row.

    An approximation of rank k can lose no more of any matrix; a matrix of one row is left out.
    """
    rows, columns = nearly_square(d)
    if rows == 1:
        return {}
    draws = key.fold("orthogonal").draws(torch.zeros(1, dtype=torch.int64), torch.zeros(1).long())
    normal = draws.normal(d, torch.float64).reshape(columns, rows)
    factor: Tensor = torch.linalg.qr(normal).Q
    return {"orthogonal": factor.T.reshape(-1) * columns**0.5}


def supported(d: int, size: int) -> Tensor:
    """A vector ``[d]`` of ``size`` entries 1 and -1, else zero."""
    place = torch.arange(d)
    signs = torch.where(place % 2 == 0, 1.0, -1.0)
    return torch.where(place < size, signs, 0.0).to(torch.float64)


def kept(y: Tensor) -> int:
    """The most entries that are not zero in any of outcomes ``[S, d]``."""
    return int((y != 0).sum(-1).max())


def looks(setting: SampledOperator) -> list[Sample]:
    """Samples at each of the vectors, and at one with as many entries as are kept."""
    points = {
        name: x.to(torch.float32).to(torch.float64)
        for name, x in vectors(setting.d, setting.key).items()
    }

    def drawn(name: str) -> Tensor:
        return outcomes(setting, points[name], setting.key.fold("look", name))

    found = {name: drawn(name) for name in points}
    size = kept(found["gaussian"])
    if 0 < size < setting.d:
        points["support"] = supported(setting.d, size)
        found["support"] = drawn("support")
    gain = gain_of(found["flat"], points["flat"])
    seen = [look(setting, name, points[name], y, gain) for name, y in found.items()]
    return [second_look(setting, one, gain) for one in seen]


def gain_of(y: Tensor, flat: Tensor) -> float:
    """Gain of a coordinate of a flat vector ``[d]`` in outcomes ``[S, d]``."""
    return float((y / flat).abs().max()) if all_finite(y) else 1.0


def second_look(setting: SampledOperator, seen: Sample, gain: float) -> Sample:
    """Fresh and more draws where the mean lies far out of what chance explains, yet within it.

    Decided by fresh draws alone, so that the error stays as stated.
    """
    most = setting.share * MOST_SAMPLES
    samples = math.ceil(seen.needed) if seen.needed < most else 0
    if samples <= setting.samples:
        return seen
    along, ratio = more_draws(setting, seen.x, samples)
    unit = float(seen.x.norm())
    towards = directions(seen.x)
    wanted = towards @ seen.x / unit
    reach = gain * (seen.x * towards).abs().amax(-1) / unit
    spread = (along.amax(0) - along.amin(0)).clamp_min(1.0).maximum(reach)
    low, high = ends_of(setting, along, spread, ALPHA)
    low, high = low - setting.slack, high + setting.slack
    off = (along.mean(0) - wanted).abs()
    width = torch.maximum(along.mean(0) - low, high - along.mean(0))
    worst = int((off / width).argmax())
    if not bool(((wanted < low) | (wanted > high)).any()):
        return seen
    lower, upper = ratio_ends(setting, ratio)
    return replace(
        seen,
        bias=float(off[worst]),
        bias_width=float(width[worst]),
        where=DIRECTIONS[worst],
        biased=True,
        needed=0.0,
        ratio=float(ratio.mean()),
        ratio_low=lower,
        ratio_high=upper,
        ratio_error=float(ratio.std()) / math.sqrt(samples),
    )


def more_draws(setting: SampledOperator, x: Tensor, samples: int) -> tuple[Tensor, Tensor]:
    """Parts ``[S, 3]`` of fresh outcomes along the directions, over ||x||, and ratios ``[S]``."""
    along, ratios = [], []
    towards, unit = directions(x), float(x.norm())
    for start in range(0, samples, _AT_ONCE):
        count = min(_AT_ONCE, samples - start)
        y = outcomes(replace(setting, samples=count), x, setting.key.fold("again", start))
        along.append(y @ towards.T / unit)
        ratios.append((y - x).square().sum(-1) / unit**2)
    return torch.cat(along), torch.cat(ratios)
