"""Absolute errors of operators: E||C(x) - x||^2 at vectors of all lengths, against one number."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from proofs_check.instruments.exact import is_random
from proofs_check.instruments.limits import lower_limits
from proofs_check.instruments.statistics import sample
from proofs_check.verdict import CheckKind, Outcome, Verdict

ABSOLUTE = "absolute error"

_SAMPLES, _DRAWN, _HALVINGS = 2000, 8, 40
_LENGTHS = (*(2.0 ** (k / 4) for k in range(-32, 33)), *(2.0**k for k in range(9, 21)))
_ROUNDING = 1e-12


class LostMost(NamedTuple):
    """Where an operator loses most.

    Attributes:
        error: a lower limit of E||C(x) - x||^2 there.
        length: ||x||.
        above: the most by which a root of the error lay above what is allowed, less rounding.
    """

    error: float
    length: float
    above: float


def check_absolute(
    compressor: Compressor, *, d: int, seed: int, alpha: float
) -> tuple[Verdict, ...]:
    """Whether the largest error along equal, alternating, one-hot and drawn vectors, from far below
    to far above the length that is allowed, stays within it; nothing where the operator bounds
    none."""
    most = compressor.absolute_error(d)
    if most is None:
        return ()
    key = Key.seed(seed).fold(ABSOLUTE)
    shapes = _shapes(d, key)
    tries = len(shapes) * (len(_LENGTHS) + _HALVINGS)
    found = [_along(compressor, x, math.sqrt(most), key, alpha / tries) for x in shapes]
    worst = max(found)
    held = all(one.above <= 0 for one in found)
    verdict = Verdict(
        subject=compressor.name, check=ABSOLUTE, kind=CheckKind.OPERATOR,
        claim=f"E||C(x)-x||^2 <= {most:.6g} for every x",
        outcome=Outcome.SUPPORTED if held else Outcome.REFUTED,
        statistic=worst.error, bound=most, tightness=worst.error / most if most else None,
        evidence=f"{tries} vectors; largest error {worst.error:.6g}, at one of length "
        f"{worst.length:.4g}",
        provenance=f"by the operator's own statement; seed {seed}, d = {d}, error {alpha:.2g}",
    )  # fmt: skip
    return (verdict,)


def _along(
    compressor: Compressor, shape: Tensor, allowed: float, key: Key, alpha: float
) -> LostMost:
    """The worst of vectors along ``shape``: of all lengths, then beyond the worst of these by steps
    that are halved, to where an error that grows with x ends."""

    def at(factor: float) -> LostMost:
        x = allowed * factor * shape
        random = is_random(compressor, x)
        values = sample(compressor, x, _SAMPLES if random else 1, key.fold(f"{factor}"))
        errors = (values - x).square().sum(-1, keepdim=True).numpy()
        lost, length = float(lower_limits(errors, alpha)[0]), float(x.norm())
        above = math.sqrt(lost) - allowed - _ROUNDING * (allowed + length)
        return LostMost(lost, length, above)

    factor, best = max(((one, at(one)) for one in _LENGTHS), key=lambda pair: pair[1].error)
    above, step = best.above, 1.0
    for _ in range(_HALVINGS):
        step /= 2
        further = at(factor * (1 + step))
        above = max(above, further.above)
        if further.error > best.error:
            factor, best = factor * (1 + step), further
    return best._replace(above=above)


def _shapes(d: int, key: Key) -> tuple[Tensor, ...]:
    """Vectors ``[d]`` of length about 1."""
    ones = torch.ones(d, dtype=torch.float64) / math.sqrt(d)
    signs = ones * torch.where(torch.arange(d) % 2 == 0, 1.0, -1.0)
    hot = torch.zeros(d, dtype=torch.float64)
    hot[-1] = 1.0
    draws = key.fold("vectors").draws(torch.arange(_DRAWN), torch.arange(1))
    drawn = draws.normal(d, torch.float64)[:, 0] / math.sqrt(d)
    return (ones, signs, hot, *drawn)
