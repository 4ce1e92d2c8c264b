"""The compiled function of an operator whose parts have operators of their own."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from algorithms.compressors.base import Compressor, code_of
from algorithms.compressors.parted import Parted
from algorithms.kernels.composite_rows import Placed, composite, parts
from algorithms.kernels.row_parts import RowPart, published


def parts_kernel(
    operator: Parted, d: int, dtype: torch.dtype, order: Sequence[int] = ()
) -> RowPart | None:
    """The parts' compiled functions in one, if all publish one.

    ``order`` says which coordinate of the row stands where in the parts; empty: as in the row.
    """
    known: dict[tuple[Compressor, int], RowPart] = {}
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
