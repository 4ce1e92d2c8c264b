r"""A second look at a mean that seems off, whose width holds for outcomes too rare to see.

Along a unit vector u let Y = <u, C(x)> / ||x||. Unbiased with a claimed variance omega means
$E Y^2 \le 1 + \omega$. The first half of N fresh outcomes gives a range [a, b], outside of which Y
lies with probability at most 2 p, p = log(4 / alpha) / (N / 2), on error alpha / 2; Y clipped to it
has a mean known by empirical Bernstein from the second half, on error alpha / 2; and by Cauchy and
Schwarz

$$|E Y - E\,\mathrm{clip}(Y)| \le \sqrt{2 p (1 + \omega)} + 2 p \max(|a|, |b|).$$

So a refutation is of the two claims together, and errs with probability at most alpha for every
operator that keeps them, however rarely it fires.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from proofs_check.instruments.statistics import half_width, sample

MOST_NUMBERS = 100_000_000
"""Numbers that a second look may draw."""

_AT_ONCE = 4_000_000


class SecondLook(NamedTuple):
    """Result of a second look.

    Attributes:
        refuted: whether the mean is off for sure.
        description: what was looked at, in words.
    """

    refuted: bool
    description: str


def second_look(
    compressor: Compressor, x: Tensor, u: Tensor, off: float, omega: float | None, alpha: float,
    key: Key,
) -> SecondLook:  # fmt: skip
    """Is E<u, C(x)> = <u, x> for x, u ``[d]``, a deviation ``off`` ||x|| of which is suspected?"""
    if omega is None or not bool(x.any()):
        return SecondLook(False, "no variance is claimed that would bound what is too rare to see")
    log, moment = math.log(4 / alpha), 1 + omega
    wanted = math.ceil(16 * log * moment / off**2)
    if wanted * len(x) > MOST_NUMBERS:
        description = f"only {wanted:.2g} draws would rule out outcomes too rare to be seen"
        return SecondLook(False, description)
    y = _along(compressor, x, u, wanted, key) / float(x.norm())
    first, second = y.tensor_split(2)
    low, high = float(first.min()), float(first.max())
    rare = log / len(first)
    unseen = math.sqrt(2 * rare * moment) + 2 * rare * max(abs(low), abs(high))
    clipped = second.clamp(low, high)
    width = float(half_width(clipped, high - low, alpha / 2)) + unseen
    gap = abs(float(clipped.mean()) - float(u @ x) / float(x.norm()))
    description = f"{len(y)} fresh draws: off by {gap:.3g} +- {width:.2g}, rare outcomes included"
    return SecondLook(gap > width, description)


def _along(compressor: Compressor, x: Tensor, u: Tensor, samples: int, key: Key) -> Tensor:
    """<u, C(x)> of fresh outcomes ``[S]``, a part of them at a time."""
    rows = max(1, _AT_ONCE // len(x))
    parts = [
        sample(compressor, x, min(rows, samples - start), key.fold("again", start)) @ u
        for start in range(0, samples, rows)
    ]
    return torch.cat(parts)
