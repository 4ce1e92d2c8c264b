"""Longer samples at the vector that needs the fewest, so that one per cent is seen.

Where no law can be read off the code, a sample of one length at every vector shows less of an
operator whose errors vary much. Of each of its outcomes a longer sample keeps two numbers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from algorithms.core.key import Key
from proofs_check.compressors.evidence import Evidence, Outcomes, Results
from proofs_check.instruments.statistics import sample
from theory.claims import Unbiased

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
