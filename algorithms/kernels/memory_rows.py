"""What memories do before and after a message, as parts of compiled steps."""

from __future__ import annotations

from algorithms.kernels.compiled import njit


@njit(cache=True, nogil=True)
def add_residual(numbers, state, x, wanted):  # type: ignore[no-untyped-def]
    """Error feedback: what was left of the last message is added."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            wanted[i, j] = state[i, 0, j] + x[i, j]


@njit(cache=True, nogil=True)
def keep_residual(numbers, state, x, wanted, sent, mean):  # type: ignore[no-untyped-def]
    """Error feedback: what was left of this message is kept."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            state[i, 0, j] = wanted[i, j] - sent[i, j]
