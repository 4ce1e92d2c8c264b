r"""Intervals for the mean of nonnegative values, by betting.

Independent values :math:`Y_i \ge 0` of mean m: for any share c in (0, 1) the product of
:math:`1 - c + c Y_i / m` has mean 1, so that by Markov's inequality it reaches 1/alpha with
probability at most alpha; so does the average of such products over several c. The lower end is
the largest m at which it does (Waudby-Smith and Ramdas 2024, arXiv:2010.09686, Section 4, with
fixed bets). It asks for no largest value; the upper end bets on ``most - Y`` and does.
Where nearly all values are equal the width falls as 1/S, far faster than that of
:func:`proofs_check.instruments.statistics.half_width`, which pays for the whole range.
"""

from __future__ import annotations

import math

import numpy as np
import scipy
import torch
from torch import Tensor

from proofs_check.instruments.replicas import need_alpha

SHARES = (0.99, 0.9, *(2.0**-j for j in range(1, 13)))
"""Shares of the capital that are bet: near 1 for values that hardly vary, small for rare ones."""

_LEAST, _PRECISION = -60.0, 2e-9
"""The least logarithm of an end, relative to the mean, and how precisely it is found."""


def lower_end(values: Tensor, alpha: float) -> float:
    """A number that the mean of nonnegative ``values`` ``[S]`` exceeds, with error alpha.

    Raises:
        ValueError: a value is negative or not a number, or alpha lies outside (0, 1).
    """
    if not bool((values >= 0).all()):
        raise ValueError(f"values must be nonnegative, got {float(values.min())}")
    need_alpha(alpha)
    mean = float(values.mean())
    if not 0 < mean < math.inf:
        return mean
    levels, counts = np.unique((values / mean).numpy(), return_counts=True)
    shares = np.array(SHARES)[:, None]
    wanted = math.log(len(SHARES) / alpha)

    def over(log_end: float) -> float:
        bets = np.log1p(shares * (levels * math.exp(-log_end) - 1)) @ counts
        return float(np.logaddexp.reduce(bets)) - wanted

    if over(_LEAST) <= 0:
        return 0.0
    return mean * math.exp(scipy.optimize.brentq(over, _LEAST, 0.0, xtol=_PRECISION) - _PRECISION)


def interval(values: Tensor, most: float, alpha: float) -> tuple[float, float]:
    """Ends between which the mean of ``values`` ``[S]`` in [0, most] lies, with error alpha.

    Raises:
        ValueError: a value lies outside [0, most], or alpha outside (0, 1).
    """
    return lower_end(values, alpha / 2), most - lower_end(most - values, alpha / 2)


def ends_within(values: Tensor, spread: Tensor, alpha: float) -> tuple[Tensor, Tensor]:
    """Ends ``[m]`` between which all means of ``values`` ``[S, m]`` lie, with error alpha in all.

    No value is taken to lie farther than ``spread`` ``[m]`` from another.
    """
    ends = []
    for column, reach in zip(values.T, spread.tolist(), strict=True):
        least, most = float(column.max()) - reach, float(column.min()) + reach
        share = alpha / values.shape[1]
        low, high = interval((column - least).clamp(0, most - least), most - least, share)
        ends.append((low + least, high + least))
    low_ends, high_ends = torch.tensor(ends, dtype=torch.float64).T
    return low_ends, high_ends


def samples_needed(gap: float, mean: float, alpha: float) -> float:
    """About how many values, hardly varying, of mean ``mean + gap`` show that it is above ``mean``.

    Infinite where there is no gap.
    """
    if not gap > 0:
        return math.inf
    step = math.log1p(SHARES[0] * gap / mean) if mean > 0 else math.inf
    return math.log(len(SHARES) / alpha) / step
