"""The vectors that break compressors: zero, ties, one sign, few entries, huge and tiny values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from proofs_check.audit.looks import supported
from proofs_check.audit.traits import ordinary

HUGE, TINY = 1e30, 1e-40
_NEAR = 1e3


def _nonzero(x: Tensor) -> bool:
    return bool(x.any())


def _of_size_one(x: Tensor) -> bool:
    return 1 / _NEAR <= float(x.abs().max()) <= _NEAR


@final
@dataclass(frozen=True)
class InputFamily:
    """``name`` says what the vectors are; ``scale`` is their size, 1 for ordinary ones.

    Attributes:
        name: what the vectors are.
        vectors: d and how many entries of a gaussian vector are kept -> vectors ``[d]``.
        holds: whether a plainer vector, before it is scaled, is still one of them.
    """

    name: str
    vectors: Callable[[int, int], Sequence[Tensor]]
    holds: Callable[[Tensor], bool] = _nonzero
    scale: float = 1.0


def _zero(d: int, kept: int) -> Sequence[Tensor]:
    return (torch.zeros(d, dtype=torch.float64),)


def _ties(d: int, kept: int) -> Sequence[Tensor]:
    return (3 * supported(d, d),)


def _one_size(x: Tensor) -> bool:
    return _nonzero(x) and bool((x.abs() == x[0].abs()).all())


def _constant(d: int, kept: int) -> Sequence[Tensor]:
    return (torch.ones(d, dtype=torch.float64),)


def _equal(x: Tensor) -> bool:
    return _nonzero(x) and bool((x == x[0]).all())


def _negative(d: int, kept: int) -> Sequence[Tensor]:
    return (-torch.arange(1.0, d + 1, dtype=torch.float64),)


def _one_hot(d: int, kept: int) -> Sequence[Tensor]:
    return (torch.where(torch.arange(d) == d // 2, -2.0, 0.0).double(),)


def _few(d: int, kept: int) -> Sequence[Tensor]:
    """One entry less than are kept, one more, and twice as many."""
    sizes = sorted({kept - 1, kept + 1, 2 * kept})
    return tuple(supported(d, size) for size in sizes if 1 < size < d)


def _heavy(d: int, kept: int) -> Sequence[Tensor]:
    return (ordinary(d, 2) / ordinary(d, 3).abs().clamp_min(1e-3),)


def _ordinary(d: int, kept: int) -> Sequence[Tensor]:
    return (ordinary(d),)


FAMILIES = (
    InputFamily("zero", _zero, lambda x: not x.any()),
    InputFamily("ties", _ties, _one_size),
    InputFamily("constant", _constant, _equal),
    InputFamily("negative-only", _negative, lambda x: bool((x < 0).all())),
    InputFamily("one-hot", _one_hot, lambda x: int((x != 0).sum()) == 1),
    InputFamily("few entries", _few),
    InputFamily("heavy-tailed", _heavy),
    InputFamily("huge", _ordinary, _of_size_one, HUGE),
    InputFamily("tiny", _ordinary, _of_size_one, TINY),
)
