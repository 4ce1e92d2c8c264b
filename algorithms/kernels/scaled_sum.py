"""y + a x in one pass: what every step of gradient descent ends with."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit


@njit(cache=True, nogil=True)
def _add_scaled(y, a, x, out):  # type: ignore[no-untyped-def]
    for j in range(out.shape[0]):
        out[j] = y[j] + a * x[j]


@njit(cache=True, nogil=True)
def _add_scaled_onto(y, a, x):  # type: ignore[no-untyped-def]
    for j in range(y.shape[0]):
        y[j] = y[j] + a * x[j]


def add_scaled_torch(y: Tensor, a: float, x: Tensor) -> Tensor:
    """The twin of :func:`add_scaled`: one rounding for the product, one for the sum."""
    return y + a * x


def add_scaled(y: Tensor, a: float, x: Tensor) -> Tensor:
    """y + a x for y and x of one shape and type; a is rounded to that type.

    A descent step is ``add_scaled(x, -gamma, g)``, with the same bits as x - gamma g.
    """
    if not _has_kernel(y, x):
        return add_scaled_torch(y, a, x)
    out = torch.empty(y.shape, dtype=y.dtype)
    flat = out.view(-1).numpy()
    _add_scaled(_line(y), flat.dtype.type(a), _line(x), flat)
    return out


def add_scaled_onto(y: Tensor, a: float, x: Tensor) -> Tensor:
    """y itself, become y + a x: :func:`add_scaled` for a caller that alone holds y."""
    if not (_has_kernel(y, x) and y.is_contiguous()):
        return y.copy_(add_scaled_torch(y, a, x))
    flat = _line(y)
    _add_scaled_onto(flat, flat.dtype.type(a), _line(x))
    return y


def _has_kernel(y: Tensor, x: Tensor) -> bool:
    alike = y.shape == x.shape and y.dtype == x.dtype
    return alike and not by_torch(y) and y.dtype in (torch.float32, torch.float64)


def _line(v: Tensor) -> Any:
    return v.detach().contiguous().view(-1).numpy()
