"""Absolute errors of operators: E||C(x) - x||^2 at vectors of all lengths, against one number."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from proofs_check.instruments.exact import is_random
from proofs_check.instruments.limits import lower_limits
from proofs_check.instruments.statistics import sample
from proofs_check.verdict import CheckKind, Outcome, Verdict

ABSOLUTE = "absolute error"

_SAMPLES, _DRAWN = 2000, 8
_LENGTHS = tuple(2.0**k for k in range(-8, 21))
_BELOW = 1 - 2.0**-40  # of what a threshold is
_ROUNDING = 1e-12


def check_absolute(
    compressor: Compressor, *, d: int, seed: int, alpha: float
) -> tuple[Verdict, ...]:
    """Whether the largest error that was seen at equal, alternating, one-hot and drawn vectors,
    from far below to far above the length that is allowed, stays within it; nothing where the
    operator bounds none."""
    most = compressor.absolute_error(d)
    if most is None:
        return ()
    worst, length, tried, held = 0.0, 0.0, 0, True
    key = Key.seed(seed).fold(ABSOLUTE)
    vectors = list(_vectors(d, math.sqrt(most), key))
    for k, x in enumerate(vectors):
        random = is_random(compressor, x)
        values = sample(compressor, x, _SAMPLES if random else 1, key.fold(str(k)))
        errors = (values - x).square().sum(-1, keepdim=True).numpy()
        lost = float(lower_limits(errors, alpha / len(vectors))[0])
        tried += 1
        held &= lost <= (math.sqrt(most) * (1 + _ROUNDING) + _ROUNDING * float(x.norm())) ** 2
        if lost > worst:
            worst, length = lost, float(x.norm())
    verdict = Verdict(
        subject=compressor.name, check=ABSOLUTE, kind=CheckKind.OPERATOR,
        claim=f"E||C(x)-x||^2 <= {most:.6g} for every x",
        outcome=Outcome.SUPPORTED if held else Outcome.REFUTED,
        statistic=worst, bound=most, tightness=worst / most if most else None,
        evidence=f"{tried} vectors; largest error {worst:.6g}, at one of length {length:.4g}",
        provenance=f"by the operator's own statement; seed {seed}, d = {d}, error {alpha:.2g}",
    )  # fmt: skip
    return (verdict,)


def _vectors(d: int, length: float, key: Key) -> Iterator[Tensor]:
    """Vectors ``[d]``: shapes of all lengths, and just below them."""
    ones = torch.ones(d, dtype=torch.float64) / math.sqrt(d)
    signs = ones * torch.where(torch.arange(d) % 2 == 0, 1.0, -1.0)
    hot = torch.zeros(d, dtype=torch.float64)
    hot[-1] = 1.0
    draws = key.fold("vectors").draws(torch.arange(_DRAWN), torch.arange(1))
    drawn = draws.normal(d, torch.float64)
    shapes = (ones, signs, hot, *drawn[:, 0] / math.sqrt(d))
    for shape in shapes:
        for factor in _LENGTHS:
            yield length * factor * shape
            yield length * factor * _BELOW * shape
