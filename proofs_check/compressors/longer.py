"""Longer and second looks at a mean that seems off, where outcomes are rare or vary much."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from proofs_check.compressors.evidence import Evidence, Outcomes, Results
from proofs_check.instruments.statistics import half_width, sample
from theory.claims import Unbiased

# Longer samples at the vector that needs the fewest, so that one per cent is seen.
#
# Where no law can be read off the code, a sample of one length at every vector shows less of an
# operator whose errors vary much. Of each of its outcomes a longer sample keeps two numbers.

AIM = 0.01
"""Excess of the variance, and bias, that is to be seen."""

EXTRA = 2
"""Tests that a longer sample may add: one of the variance, one of the mean."""

AS_GOOD = 0.98
"""Share of the largest ratio from which a vector nearly attains it."""

_MOST_NUMBERS, _MOST, _AT_ONCE = 125_000_000, 250_000, 4_000_000
_SAFE = 1.3  # what is foretold of a sample's length is a bit short


class Longer(NamedTuple):
    """A longer sample at one vector.

    Attributes:
        x: the vector ``[d]``.
        errors: ||C(x) - x||^2 / ||x||^2 ``[S]``.
        along: <C(x) - x, x> / ||x|| ``[S]``.
    """

    x: Tensor
    errors: Tensor
    along: Tensor


def longer(evidence: Evidence, results: Results) -> dict[str, Longer]:
    """At most one longer sample for the variance, and one for the mean, by the name of the vector.

    How long is foretold by the outcomes seen before, which it holds none of, so that its tests err
    as stated. None where those show enough, or where it would take more than 250,000
    outcomes or 1.25 10^8 numbers.
    """
    log = math.log(len(results) * 100 / evidence.budget.alpha)
    seen = {name: r for name, r in results.items() if r.chance and bool(r.x.any())}
    if not seen or any(not bool(torch.isfinite(r.values).all()) for r in seen.values()):
        return {}
    unbiased = any(isinstance(c, Unbiased) for c in evidence.compressor.claims(evidence.d))
    largest = max(float(r.errors.mean()) for r in results.values())
    near = {n: r for n, r in results.items() if float(r.errors.mean()) >= AS_GOOD * largest}
    wanted: dict[str, int] = {}
    if all(r.chance for r in near.values()):
        _note(wanted, {n: _for_excess(r, log) for n, r in near.items() if n in seen}, seen)
    if unbiased and all(r.chance for r in results.values() if bool(r.x.any())):
        gain = results["flat"].gain
        _note(wanted, {n: _for_bias(r, log, gain) for n, r in seen.items()}, seen)
    key = Key.seed(evidence.seed).fold("longer")
    return {
        name: _drawn(evidence, seen[name].x, samples, key.fold(name))
        for name, samples in wanted.items()
        if samples <= min(_MOST, _MOST_NUMBERS // evidence.d)
    }


def how_many(results: Results, more: dict[str, Longer]) -> str:
    """Places of the outcomes, and their number, in words."""
    at = ", ".join((*results, *(f"{len(m.errors)} samples more ({n})" for n, m in more.items())))
    drawn = [r.values.shape[0] for r in results.values() if r.chance]
    if not drawn:
        laws = (
            "laws of all coordinates, read off the code"
            if any(r.law for r in results.values())
            else "nothing is drawn"
        )
        return f"{at}; {laws}"
    return f"{at}; {max(drawn)} samples"


def _note(wanted: dict[str, int], needed: dict[str, int], seen: Results) -> None:
    """Add the vector that needs the fewest, unless a sample that was seen is long enough."""
    if not needed:
        return
    name = min(needed, key=lambda n: needed[n])
    if any(len(seen[n].values) * _SAFE >= count for n, count in needed.items()):
        return
    wanted[name] = max(needed[name], wanted.get(name, 0))


def _for_excess(seen: Outcomes, log: float) -> int:
    """About how many outcomes show an excess of one per cent."""
    spread = float(seen.errors.std() / seen.errors.mean())
    return _enough(spread, 1.0, log)


def _for_bias(seen: Outcomes, log: float, gain: float) -> int:
    """About how many outcomes show a bias of one per cent along x."""
    size = float(seen.x.norm())
    along = (seen.values - seen.x) @ seen.x / size**2
    blown_up = gain * float(seen.x.square().max()) / size**2
    reach = max(1.0, float(along.max() - along.min()), blown_up)
    return _enough(float(along.std()), reach, log)


def _enough(deviation: float, reach: float, log: float) -> int:
    return math.ceil(_SAFE * log * (2 * (deviation / AIM) ** 2 + reach / AIM))


def _drawn(evidence: Evidence, x: Tensor, samples: int, key: Key) -> Longer:
    rows = max(1, _AT_ONCE // evidence.d)
    size = float(x.norm())
    errors, along = [], []
    for start in range(0, samples, rows):
        count = min(rows, samples - start)
        off = sample(evidence.compressor, x, count, key.fold("part", start)) - x
        errors.append(off.square().sum(-1) / size**2)
        along.append(off @ x / size)
    return Longer(x, torch.cat(errors), torch.cat(along))


# A second look at a mean that seems off, whose width holds for outcomes too rare to see.
#
# Along a unit vector u let Y = <u, C(x)> / ||x||. Unbiased with a claimed variance omega means $E
# Y^2 \le 1 + \omega$. The first half of N fresh outcomes gives a range [a, b], outside of which Y
# lies with probability at most 2 p, p = log(4 / alpha) / (N / 2), on error alpha / 2; Y clipped
# to it has a mean known by empirical Bernstein from the second half, on error alpha / 2; and by
# Cauchy and Schwarz
#
# $$|E Y - E\,\mathrm{clip}(Y)| \le \sqrt{2 p (1 + \omega)} + 2 p \max(|a|, |b|).$$
#
# So a refutation is of the two claims together, and errs with probability at most alpha for every
# operator that keeps them, however rarely it fires.

MOST_NUMBERS = 100_000_000
"""Numbers that a second look may draw."""

_SECOND_AT_ONCE = 4_000_000


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
    rows = max(1, _SECOND_AT_ONCE // len(x))
    parts = [
        sample(compressor, x, min(rows, samples - start), key.fold("again", start)) @ u
        for start in range(0, samples, rows)
    ]
    return torch.cat(parts)
