"""Moves of a server between rounds of local steps: the mean model as the step, where all began as
x, the stepsize of the last local step."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit

ADAM, YOGI, ADAGRAD = range(3)
"""Rules for the second moment of :func:`adaptive`."""


@njit(cache=True, nogil=True)
def block_momentum(numbers, state, step, x, gamma, out):  # type: ignore[no-untyped-def]
    """Blockwise model-update filtering of the mean ``step`` of models that began at x; eta, zeta,
    zeta - 1, and whether it looks ahead."""
    eta, zeta, less = numbers[0][0], numbers[0][1], numbers[0][2]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            change = step[i, j] - x[i, j]
            old = state[i, 0, j]
            state[i, 0, j] = eta * old + zeta * change
            ahead = state[i, 0, j] if numbers[3][0] else old
            out[i, j] = step[i, j] + less * change + eta * ahead


@njit(cache=True, nogil=True, error_model="numpy")
def slow_momentum(numbers, state, step, x, gamma, out):  # type: ignore[no-untyped-def]
    """SlowMo: momentum of changes over the stepsize; beta, and as a double alpha."""
    beta, rate = numbers[0][0], x.dtype.type(numbers[4][0] * np.float64(gamma))
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            state[i, 0, j] = beta * state[i, 0, j] + (x[i, j] - step[i, j]) / gamma
            out[i, j] = x[i, j] - rate * state[i, 0, j]


@njit(cache=True, nogil=True)
def _second(kind, beta, rest, v, square):  # type: ignore[no-untyped-def]
    """The next second moment, given the square of a change."""
    if kind == ADAGRAD:
        return v + square
    if kind == ADAM:
        return beta * v + rest * square
    gap, move = v - square, rest * square
    if gap > 0:
        return v - move
    return v + move if gap < 0 else v - move * gap  # gap is 0, or NaN of inf - inf


@njit(cache=True, nogil=True, error_model="numpy")
def adaptive(numbers, state, step, x, gamma, out):  # type: ignore[no-untyped-def]
    """FedAdam, FedYogi, FedAdagrad: beta_1, 1 - beta_1, beta_2, 1 - beta_2, rate, tau; the rule."""
    own, kind = numbers[0], numbers[3][0]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            change = step[i, j] - x[i, j]
            state[i, 0, j] = own[0] * state[i, 0, j] + own[1] * change
            state[i, 1, j] = _second(kind, own[2], own[3], state[i, 1, j], change * change)
            root = np.sqrt(state[i, 1, j]) + own[5]
            out[i, j] = x[i, j] + own[4] * (state[i, 0, j] / root)
