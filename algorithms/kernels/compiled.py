"""Compilation of kernels: by numba; where it is missing, twins in torch step in.

Then most run as torch's operations, and those that have no twin as Python's loops: the same
numbers (integers and uniforms to the bit, sums to rounding), many times slower, and said once.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import secrets
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor


def _interpreted(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """In place of ``numba.njit``: the function as it stands, its integers free to wrap around."""

    def leave(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*arguments: Any) -> Any:
            with np.errstate(over="ignore"):
                return function(*arguments)

        return run

    return leave


def forget_stale(folder: Path) -> None:
    """Remove numba's stored kernels of a folder if any of its sources has changed since.

    numba keeps a compiled function for as long as its own file stays as it is, with the code of
    functions of other files in it: after an edit of ``linear.py`` all blocks ran the old one.
    What cannot be removed stays; numba cannot have written there either.
    """
    digest = hashlib.sha256()
    for source in sorted(folder.glob("*.py")):
        digest.update(f"{source.name} {source.stat().st_size}\n".encode())
        digest.update(source.read_bytes())
    stored = folder / "__pycache__"
    stamp = stored / "kernels.sha256"
    with contextlib.suppress(OSError):
        if not stamp.exists() or stamp.read_text() != digest.hexdigest():
            for kernel in (*stored.glob("*.nbi"), *stored.glob("*.nbc")):
                kernel.unlink(missing_ok=True)
            stored.mkdir(exist_ok=True)
            stamp.write_text(digest.hexdigest())


def refuse_shapes_shortly() -> None:
    """Have numba refuse a slice of another shape in a sentence without the two shapes.

    The code that puts shapes into words is compiled into every function that copies an array, and
    into those that call it: a third of the time of compiling a loop. Of a numba that is made
    otherwise nothing is changed.
    """
    from numba.core.typing.templates import builtin_registry
    from numba.np import arrayobj

    long = getattr(arrayobj, "ol_raise_with_shape_context_cpu", None)
    short = getattr(arrayobj, "ol_raise_with_shape_context_generic", None)
    if long is None or short is None:
        return
    for template in builtin_registry.functions:
        if getattr(template, "_overload_func", None) is long:
            template._overload_func = staticmethod(short)


class _RandomIds:
    """Numbers for functions that no other process draws: 63 random bits each."""

    def __next__(self) -> int:
        return secrets.randbits(63)


def tell_apart_across_processes() -> None:
    """Have numba number the functions it compiles at random, in place of 1, 2, 3 in every process.

    The number is what tells apart the symbols of closures of one name: kernels compiled by two
    processes and loaded by a third had one symbol for two sums, and a signed sum took that of
    dropped magnitudes (numba issue 10486). Of a numba that is made otherwise nothing is changed.
    """
    from numba.core.bytecode import FunctionIdentity

    identity: Any = FunctionIdentity
    if hasattr(identity, "_unique_ids"):
        identity._unique_ids = _RandomIds()


njit: Any = _interpreted
COMPILED = False
"""Whether kernels are compiled here."""
try:
    import numba

    forget_stale(Path(__file__).parent)
    refuse_shapes_shortly()
    tell_apart_across_processes()
    # loops call each other by their own convention (pointers.py): a C wrapper each, in a module of
    # its own, took some of the time of compiling (docs/decisions/tests.md)
    njit, COMPILED = functools.partial(numba.njit, no_cfunc_wrapper=True), True
except ImportError as error:  # not there, or not of the numpy that is there
    warnings.warn(
        f"kernels are not compiled, since numba cannot be imported ({error}): the numbers are the "
        "same, and runs take many times as long; pip install numba would do",
        stacklevel=1,
    )


def integer_view(x: Any) -> Any:
    """The bits of contiguous floating numbers as integers of their size; compiled code too."""
    return x.view(np.int32 if x.itemsize == 4 else np.int64)


def magnitude_mask(x: Any) -> Any:
    """The mask that leaves a magnitude's bits of ``integer_view(x)``; compiled code too."""
    return np.int32(0x7FFFFFFF) if x.itemsize == 4 else np.int64(0x7FFFFFFFFFFFFFFF)


def fused_product(a: Any, b: Any, c: Any) -> Any:
    """a b + c, rounded once; compiled code alone."""
    raise NotImplementedError("fused_product is for compiled code")


if COMPILED:
    from numba.core import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def _fma(typing, a, b, c):  # type: ignore[no-untyped-def]
        if not (a == b == c and isinstance(a, types.Float)):
            return None

        def generate(context, builder, signature, given):  # type: ignore[no-untyped-def]
            return builder.fma(*given)

        return a(a, b, c), generate

    @overload(fused_product)
    def _compiled_product(a, b, c):  # type: ignore[no-untyped-def]
        return lambda a, b, c: _fma(a, b, c)  # type: ignore[call-arg]

    @overload(integer_view)
    def _compiled_view(x):  # type: ignore[no-untyped-def]
        if x.dtype.bitwidth == 32:
            return lambda x: x.view(np.int32)
        return lambda x: x.view(np.int64)

    @overload(magnitude_mask)
    def _compiled_mask(x):  # type: ignore[no-untyped-def]
        if x.dtype.bitwidth == 32:
            return lambda x: np.int32(0x7FFFFFFF)
        return lambda x: np.int64(0x7FFFFFFFFFFFFFFF)


def by_torch(x: Tensor) -> bool:
    """Whether a kernel's twin in torch is to run on ``x``: not on the CPU, or none compiled."""
    return not (COMPILED and x.is_cpu)
