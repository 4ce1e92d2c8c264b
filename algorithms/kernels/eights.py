"""Sums of a row's terms in eight lanes of double precision, held in vectors of the processor.

Each function ``(row, edge, lanes)`` adds the terms of the whole eights of a row ``[d]`` to zeros,
coordinate j to lane j mod 8 and each lane from left to right, writes ``lanes`` ``[count, 8]`` and
returns how many coordinates it took: the caller adds those that are left, and joins the lanes. So
the order is the same on every processor. (Lanes that lie in memory are read and written for each
eight, since a compiler cannot know that they are not part of the row.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.cgutils import alloca_once, for_range
from numba.extending import intrinsic

_LANES = 8
_INDEX, _WIDE = ir.IntType(64), ir.VectorType(ir.DoubleType(), _LANES)
_ZERO = ir.Constant(_WIDE, [0.0] * _LANES)
Terms = Callable[[Any, Any, Any], tuple[Any, ...]]
"""From the builder of code, eight numbers and the edge eight times to the terms of each sum."""


def _adding(terms: Terms) -> Any:
    """The function that adds these."""

    def add(typing: Any, row: Any, edge: Any, lanes: Any) -> tuple[Any, Callable[..., Any]]:
        return types.int64(row, types.float64, lanes), generate

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row, lanes = (
            context.make_array(signature.args[place])(context, builder, arguments[place])
            for place in (0, 2)
        )
        edge, eight = _eight_times(builder, arguments[1]), ir.Constant(_INDEX, _LANES)
        whole = builder.sdiv(builder.extract_value(row.shape, 0), eight)
        held = ir.VectorType(context.get_data_type(signature.args[0].dtype), _LANES)
        totals = [_zeros(builder) for _ in terms(builder, _ZERO, edge)]
        with for_range(builder, whole) as loop:
            at = builder.gep(row.data, [builder.mul(loop.index, eight)])
            values = builder.load(builder.bitcast(at, held.as_pointer()), align=1)
            wide = values if held == _WIDE else builder.fpext(values, _WIDE)
            for total, term in zip(totals, terms(builder, wide, edge), strict=True):
                builder.store(builder.fadd(builder.load(total), term), total)
        for place, total in enumerate(totals):
            at = builder.gep(lanes.data, [ir.Constant(_INDEX, place * _LANES)])
            builder.store(builder.load(total), builder.bitcast(at, _WIDE.as_pointer()), align=1)
        return builder.mul(whole, eight)

    return intrinsic(add)


def _zeros(builder: Any) -> Any:
    """Room for eight numbers on the stack, set to zero."""
    room = alloca_once(builder, _WIDE)  # type: ignore[no-untyped-call]
    builder.store(_ZERO, room)
    return room


def _eight_times(builder: Any, number: Any) -> Any:
    empty, place = ir.Constant(_WIDE, ir.Undefined), ir.IntType(32)
    first = builder.insert_element(empty, number, ir.Constant(place, 0))
    order = ir.Constant(ir.VectorType(place, _LANES), [0] * _LANES)
    return builder.shuffle_vector(first, empty, order)


def _square(builder: Any, v: Any, edge: Any) -> tuple[Any, ...]:
    scaled = builder.fmul(v, edge)
    return (builder.fmul(scaled, scaled),)


def _magnitude(builder: Any, v: Any, edge: Any) -> tuple[Any, ...]:
    return (builder.select(builder.fcmp_unordered("<", v, _ZERO), builder.fneg(v), v),)


def _sides(builder: Any, v: Any, edge: Any) -> tuple[Any, ...]:
    above = builder.select(builder.fcmp_ordered("<", v, _ZERO), _ZERO, v)
    below = builder.select(builder.fcmp_ordered(">", v, _ZERO), _ZERO, builder.fneg(v))
    return above, below


def _at_most(builder: Any, v: Any, edge: Any) -> tuple[Any, ...]:
    held = builder.select(builder.fcmp_ordered("<=", v, edge), v, _ZERO)
    return held, builder.fmul(held, held)


def _less(builder: Any, v: Any, edge: Any) -> tuple[Any, ...]:
    some, one = builder.fcmp_ordered("<", v, edge), ir.Constant(_WIDE, [1.0] * _LANES)
    return builder.select(some, v, _ZERO), builder.select(some, one, _ZERO)


squares = _adding(_square)
"""(v edge)^2."""
magnitudes = _adding(_magnitude)
"""|v|."""
sides = _adding(_sides)
"""max(v, 0), and max(-v, 0)."""
at_most = _adding(_at_most)
"""v where it is at most the edge, and its square there."""
less = _adding(_less)
"""v where it is below the edge, and 1 there."""
