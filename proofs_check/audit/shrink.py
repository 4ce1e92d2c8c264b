"""A smaller and simpler vector that still shows the same fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

_TRIES = 60
_PLACES = 24
_POWERS = (-1, 1, -2, 2, -4, 4, -8, 8)
_SIZES = (1, 2, 3, 4, 5, 6, 8, 11, 16, 20, 25, 32, 64, 100)


def shrink(x: Tensor, shows: Callable[[Tensor], bool], tries: int = _TRIES) -> Tensor:
    """The simplest of some vectors like x for which ``shows`` is still true; x where none is.

    First the smallest d, at simple vectors and at parts of x; then plain values. A ``shows`` that
    raises says no.
    """
    left = [tries]

    def holds(candidate: Tensor) -> bool:
        left[0] -= 1
        try:
            return left[0] >= 0 and shows(candidate)
        except Exception:  # the fault is another one then
            return False

    x = next((y for y in _shorter(x) if holds(y)), x)
    x = next((y for y in _plainer(x) if holds(y)), x)
    for place in range(min(len(x), _PLACES)):
        for value in (0.0, 1.0, -1.0):
            if float(x[place]) == value:
                break
            y = x.clone()
            y[place] = value
            if holds(y):
                x = y
                break
    return x


def _shorter(x: Tensor) -> Iterator[Tensor]:
    """Vectors of growing length: simple ones, the head of x, and its largest entries."""
    by_size = x[x.abs().argsort(descending=True, stable=True)]
    for size in _SIZES:
        if size >= len(x):
            return
        signs = torch.where(torch.arange(size) % 2 == 0, 1.0, -1.0).to(x.dtype)
        scale = 10.0 ** round(float(by_size[0].abs().clamp_min(1e-300).log10()))
        ramp = torch.arange(1.0, size + 1, dtype=x.dtype)
        yield torch.ones(size, dtype=x.dtype) * scale
        yield ramp * scale
        if size > 1:
            yield ramp.flip(0) * signs * scale
            yield x[:size]
        yield by_size[:size]


def _plainer(x: Tensor) -> Iterator[Tensor]:
    """Vectors of the same length with plain values."""
    top = float(x.abs().max())
    if top == 0 or not torch.isfinite(x).all():
        return
    signs = torch.where(x < 0, -1.0, 1.0).to(x.dtype)
    yield torch.ones_like(x)
    yield signs
    yield torch.arange(1.0, len(x) + 1, dtype=x.dtype)
    top_place = torch.arange(len(x)) == int(x.abs().argmax())
    yield top_place.to(x.dtype)
    for exponent in _POWERS:
        yield signs * 10.0**exponent
    if len(x) > 1:
        yield x * top_place
    for scale in (1.0, 10.0, 100.0):
        yield (x / top * scale).round()
    for digits in (0, 1, 2):
        power = 10.0 ** (digits - torch.tensor(top).log10().floor())
        yield (x * power).round() / power
