"""How kernels are compiled: by numba; where it is missing they are not, and twins in torch step in.

Then most run as torch's operations, and those that have no twin as Python's loops: the same
numbers (integers and uniforms to the bit, sums to rounding), many times slower, and said once.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
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


njit: Any = _interpreted
COMPILED = False
"""Whether kernels are compiled here."""
try:
    import numba

    njit, COMPILED = numba.njit, True
except ImportError as error:  # not there, or not of the numpy that is there
    warnings.warn(
        f"kernels are not compiled, since numba cannot be imported ({error}): the numbers are the "
        "same, and runs take many times as long; pip install numba would do",
        stacklevel=1,
    )


def by_torch(x: Tensor) -> bool:
    """Whether a kernel's twin in torch is to run on ``x``: not on the CPU, or none compiled."""
    return not (COMPILED and x.is_cpu)
