"""Numba's tables of what it can compile, filled when this module is imported.

The first compiled call of a process fills them otherwise: 0.4 s, which every rank would take that
is forked from a server without them.
"""

from __future__ import annotations

from algorithms.kernels.compiled import COMPILED

if COMPILED:
    from numba.core.registry import cpu_target

    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
