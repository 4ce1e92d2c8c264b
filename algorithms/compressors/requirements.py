"""Requirements of an operator on its input, and their errors."""

from __future__ import annotations

import math
from numbers import Integral

import torch
from torch import Tensor

from algorithms.kernels import deferred_checks, extremes

_DTYPES = (torch.float32, torch.float64)


def require_rows(x: Tensor, name: str) -> None:
    """Rows ``[..., m, d]`` of a supported type, d at least 1.

    Raises:
        TypeError: x is neither float32 nor float64.
        ValueError: x has fewer than two axes or an empty row.
    """
    if x.dtype not in _DTYPES:
        raise TypeError(f"{name} compresses float32 or float64 rows, got x of {x.dtype}")
    if x.dim() < 2 or x.shape[-1] < 1:
        raise ValueError(
            f"{name} compresses rows [..., m, d] with d >= 1, got x of shape {tuple(x.shape)}"
        )


class OutOfRange(ValueError):
    """A message that cannot be written: what is to be sent is not finite, or out of range."""


def adds_up(x: Tensor) -> bool:
    """Whether all of x is finite, a look before :func:`require_finite`; False where checks are
    late, which do not look."""
    return deferred_checks.now() is None and extremes.all_finite(x)


def require_finite(summary: Tensor, x: Tensor, name: str) -> None:
    """``summary``, a statistic of x that NaN and infinity spread to, is finite, or is noted not to
    be where checks are late.

    Raises:
        OutOfRange: x holds NaN or infinity, or the statistic is beyond the range of its type.
    """
    late = deferred_checks.now()
    if late is not None:
        late.note(summary, f"what {name} was to send was")
        return
    if extremes.all_finite(summary):
        return
    bad = ~torch.isfinite(x)
    if bad.any():
        where = tuple(bad.nonzero()[0].tolist())
        raise OutOfRange(f"{name} needs finite x, got x[{where}] = {x[where].item()}")
    raise OutOfRange(
        f"the scale of {name} is beyond the range of {x.dtype}, got max |x| = "
        f"{x.abs().max().item():.4g}; a row scaled down would do"
    )


def kept(k: int | float, d: int, name: str = "k") -> int:
    """Number of coordinates kept of d: k itself if an integer, else ceil(k d).

    The ceiling makes delta = kept / d at least the fraction asked for. ``name`` is what the
    operator calls k.

    Raises:
        ValueError: k is an integer outside [1, d] or a fraction outside (0, 1].
    """
    if isinstance(k, Integral):
        if not 1 <= k <= d:
            raise ValueError(f"{name} must lie in [1, d], got {name}={k} with d={d}")
        return int(k)
    if not 0 < k <= 1:
        raise ValueError(
            f"{name} must be an integer in [1, d] or a fraction of d in (0, 1], got {name}={k!r}"
        )
    return min(d, math.ceil(round(k * d, 9)) or 1)


def count_formula(k: int | float, name: str, of: str = "d") -> str:
    """Number of coordinates that a field called ``name`` keeps of ``of``, as a formula."""
    return name if isinstance(k, Integral) else f"ceil({name} {of})"


def share_name(k: int | float) -> str:
    """Text of k in names: a number, or a fraction of d."""
    return f"k={k}" if isinstance(k, Integral) else f"k={k:g}d"
