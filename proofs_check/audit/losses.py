"""Vectors of which nothing is left, though of ordinary ones something is.

To send nothing has the ratio ||C(x)-x||^2 / ||x||^2 = 1. An operator that loses no less than that
at some kind of vector, without being unbiased there, is faulty where ordinary vectors lose less.
Two designs are told apart from that: what is lost by size alone, since an absolute threshold sends
it as soon as it is larger (Sahu et al. 2021, arXiv:2108.00951), and what comes back in later
calls. And what is random has to be drawn before anything is said of it: a vector with few entries
is drawn often enough for one of its entries to be met, at the rate at which those of gaussian
vectors are kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from torch import Tensor

from proofs_check.audit.history import comes_back, shown
from proofs_check.audit.moments import ALPHA, EXACT
from proofs_check.audit.traits import CallMemory
from proofs_check.audit.trial import Trial

_MOST = 20_000
_LARGER = tuple(2.0**k for k in range(4, 41, 4))
_SMALLER = tuple(2.0**-k for k in range(2, 21, 2))


@final
@dataclass(frozen=True)
class Fault:
    """Fault at a vector; ``design`` is the design that explains it, "" if none does.

    Attributes:
        description: what is wrong, in words.
        lost: whether it is that nothing is left of the vector.
        crash: whether the subject raised what is no refusal.
    """

    description: str
    design: str = ""
    lost: bool = False
    crash: bool = False


def all_lost(trial: Trial, x: Tensor) -> Fault | None:
    """Whether nothing is left of x ``[d]``, while ordinary vectors lose less."""
    seen = trial.look(x)
    if not (seen.finite and seen.biased and seen.ratio >= 1 - EXACT) or not _ordinary_lose_less(
        trial, len(x)
    ):
        return None
    if not seen.expands and not _never_less(trial, x):
        return None
    description = (
        f"C(x) = {shown(seen.mean)} loses no less than sending nothing "
        f"(ratio {seen.ratio:.4g}; ordinary vectors lose less)"
    )
    return Fault(description, _by_size(trial, x, seen.mean) or _in_turn(trial, x), lost=True)


def threshold(trial: Trial) -> str:
    """Whether an ordinary vector is lost as soon as it is small: a threshold in absolute units."""
    d = max(trial.traits.dims)
    x = trial.usual(d)[0].x
    for scale in _SMALLER:
        if not trial.drawn(trial.given(x * scale), samples=1).any():
            return f"by size: an ordinary vector comes back as 0 once it is {scale:.2g} as large"
    return ""


def _ordinary_lose_less(trial: Trial, d: int) -> bool:
    """Whether a gaussian vector keeps something for certain: in R^d; for d = 1 anywhere."""
    dims = trial.traits.dims if d == 1 else (d,)
    return any(trial.usual(size)[0].ratio_high < 1 for size in dims)


def _never_less(trial: Trial, x: Tensor) -> bool:
    """Whether all is lost in as many draws as would have met an entry, with error ALPHA."""
    kept = trial.usual(len(x))[1]
    rate = 1.0 if bool((x != 0).all()) else kept / len(x)
    draws = math.ceil(-math.log(ALPHA) / rate) if rate else _MOST
    if draws >= trial.share * _MOST:
        return False
    y = trial.drawn(x, samples=max(draws, trial.samples))
    left = (y - x).square().sum(-1) / x.square().sum()
    return bool((left >= 1 - EXACT).all())


def _by_size(trial: Trial, x: Tensor, y: Tensor) -> str:
    """A threshold in absolute units: nothing is sent of x, but something of a multiple."""
    if bool(y.any()):
        return ""
    for scale in _LARGER:
        seen = trial.look(trial.given(x * scale))
        if seen.finite and seen.ratio_high < 1:
            return f"by size: of {scale:g} x only {seen.ratio:.3g} is lost"
    return ""


def _in_turn(trial: Trial, x: Tensor) -> str:
    """Report on what is left out at first but sent in later calls."""
    if trial.traits.memory is not CallMemory.HISTORY:
        return ""
    seen = comes_back(trial.in_turn(), x)
    if not seen.later < (1 - EXACT) * seen.turns:
        return ""
    return (
        f"in turn: {seen.turns} calls together miss {seen.turns} x by {seen.later:.3g} ||x|| only"
    )
