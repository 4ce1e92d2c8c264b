"""Gradients that Python computes, for compiled loops: a part of kind "gradient" that calls back.

A loop runs without Python's lock; what it calls back takes the lock for as long as it runs.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from algorithms.kernels.compiled import COMPILED, njit

CALLED = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 8)
"""What is called back: address and number of the points, two key words, replica, first worker,
address and number of the gradients."""


if COMPILED:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def _call(context, address, given):  # type: ignore[no-untyped-def]
        """Call the C function at ``address`` with the eight whole numbers of ``given``."""

        def made(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            whole = ir.IntType(64)
            kind = ir.FunctionType(ir.VoidType(), [whole] * 8)
            function = builder.inttoptr(arguments[0], kind.as_pointer())
            builder.call(function, [builder.extract_value(arguments[1], i) for i in range(8)])
            return context.get_dummy_value()

        return types.void(types.int64, types.UniTuple(types.int64, 8)), made

else:

    def _call(address: int, given: Any) -> None:  # type: ignore[misc]
        """Nothing: without a compiler no loop calls back."""
        raise NotImplementedError("compiled loops call back where numba is installed")


@njit(cache=True, nogil=True)
def gradient(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """Kind "gradient" of :mod:`~algorithms.kernels.row_parts`: the whole number is an address of
    :data:`CALLED`."""
    points, out = np.int64(x.ctypes.data), np.int64(g.ctypes.data)
    given = points, x.shape[0], k0, k1, replica, first, out, g.shape[0]
    _call(numbers[3][0], given)  # type: ignore[call-arg]
