"""The compiled function of an operator whose parts have operators of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import torch

from algorithms.codes.base import Code
from algorithms.compressors.base import Compressor, code_of
from algorithms.kernels.composite_rows import Placed, composite, parts
from algorithms.kernels.row_parts import Part, published


class Partwise(Protocol):
    """What is asked of such an operator; ``layerwise.Parted`` is one."""

    def kinds(self, d: int) -> Mapping[tuple[Compressor, int], int]: ...
    def pairs(self, d: int) -> Iterator[tuple[Compressor, int]]: ...
    def code(self, d: int, dtype: torch.dtype) -> Code: ...


def parts_kernel(
    operator: Partwise, d: int, dtype: torch.dtype, order: Sequence[int] = ()
) -> Part | None:
    """The parts' compiled functions in one, if all publish one.

    ``order`` says which coordinate of the row stands where in the parts; empty: as in the row.
    """
    known: dict[tuple[Compressor, int], Part] = {}
    for c, size in operator.kinds(d):
        part = published(c, size, dtype)
        if part is None:
            return None
        known[c, size] = part
    places, start = [], 0
    for b, (c, size) in enumerate(operator.pairs(d)):
        length = code_of(c, size, dtype).fixed_bits
        places.append(Placed(known[c, size], start, size, ("block", b), length))
        start += size
    return composite(parts, dtype, places, operator.code(d, dtype).fixed_bits is None, order)
