"""Stream compaction sixteen numbers at a time, by one instruction of processors with AVX-512."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

from algorithms.kernels.compiled import njit

_LANES = 16
Signature = tuple[Any, Callable[[Any, Any, Any, Any], Any]]


@intrinsic
def _moving(typing: Any, mask: Any, row: Any, at: Any, out: Any, filled: Any) -> Signature:
    """Those of row[at : at + 16] that the bytes of a mask set, to out[filled:]; how many."""
    return types.int64(mask, row, types.int64, out, types.int64), _generate


def _generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = signature.args[1].dtype

    def start(array: int, offset: int) -> Any:
        whole = context.make_array(signature.args[array])(context, builder, arguments[array])
        return builder.gep(whole.data, [arguments[offset]])

    def sixteen(of: Any, place: Any) -> Any:
        vector = ir.VectorType(of, _LANES)
        return builder.load(builder.bitcast(place, vector.as_pointer()), align=1)

    marks = sixteen(ir.IntType(8), start(0, 2))
    chosen = builder.icmp_unsigned("!=", marks, ir.Constant(marks.type, [0] * _LANES))
    values, room = sixteen(context.get_data_type(kind), start(1, 2)), start(3, 4)
    suffix = f"v{_LANES}{'f' if isinstance(kind, types.Float) else 'i'}{kind.bitwidth}"
    takes = ir.FunctionType(ir.VoidType(), [values.type, room.type, chosen.type])
    name = f"llvm.masked.compressstore.{suffix}"
    move = get_or_insert_function(builder.module, takes, name)  # type: ignore[no-untyped-call]
    builder.call(move, [values, room, chosen])
    count = builder.ctpop(builder.bitcast(chosen, ir.IntType(_LANES)))
    return builder.zext(count, ir.IntType(64))


_moved: Any = _moving


@njit(cache=True, nogil=True)
def by_sixteen(mask, row, out):  # type: ignore[no-untyped-def]
    """The twin of ``compaction.one_by_one``, equal."""
    filled, whole = np.int64(0), mask.shape[0] // _LANES * _LANES
    for at in range(0, whole, _LANES):
        filled += _moved(mask, row, at, out, filled)
    for j in range(whole, mask.shape[0]):
        out[filled] = row[j]
        filled += np.int64(mask[j] != 0)
    return filled
