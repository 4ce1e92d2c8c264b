"""Moves of optimizers as parts of compiled steps: rows of models, their states and steps."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.row_norms import norms_into


@njit(cache=True, nogil=True)
def momentum(numbers, state, step, x, gamma, out):  # type: ignore[no-untyped-def]
    """Heavy ball, or Nesterov's form; m, and 1 for the latter."""
    m, ahead = numbers[0][0], numbers[3][0]
    for i in range(step.shape[0]):
        for j in range(step.shape[1]):
            velocity = m * state[i, 0, j] + step[i, j]
            state[i, 0, j] = velocity
            out[i, j] = m * velocity + step[i, j] if ahead else velocity


@njit(cache=True, nogil=True, error_model="numpy")
def adagrad(numbers, state, step, x, gamma, out):  # type: ignore[no-untyped-def]
    """Adagrad: steps over the root of the sum of squares; eps."""
    for i in range(step.shape[0]):
        for j in range(step.shape[1]):
            g = step[i, j] / gamma
            state[i, 0, j] = state[i, 0, j] + g * g
            out[i, j] = step[i, j] / (np.sqrt(state[i, 0, j]) + numbers[0][0])


@njit(cache=True, nogil=True)
def norm_of(part):  # type: ignore[no-untyped-def]
    """The Euclidean norm of some numbers, in their type."""
    norm = np.empty(1, part.dtype)
    norms_into(part.reshape(1, part.shape[0]), norm)
    return norm[0]


@njit(cache=True, nogil=True, error_model="numpy")
def trust_of(trust, weights, move):  # type: ignore[no-untyped-def]
    """A layer's ratio: 1 and a fixed one, or 0, eta and the bounds of its norm."""
    if trust[0] == 1:
        return trust[1]
    size = trust[2] if weights < trust[2] else weights
    size = trust[3] if size > trust[3] else size
    usable = size > 0 and move > 0
    return trust[1] * (size / move if usable else trust.dtype.type(1))


@njit(cache=True, nogil=True, error_model="numpy")
def layerwise_momentum(numbers, state, step, x, gamma, out):  # type: ignore[no-untyped-def]
    """LARS: momentum of steps times a ratio for each layer; m and the decay, what the ratio is made
    of, and the sizes of the layers."""
    m, decay = numbers[0][0], numbers[0][1]
    pull = x.dtype.type(np.float64(gamma) * numbers[4][0])
    for i in range(step.shape[0]):
        start = 0
        for size in numbers[3]:
            end = start + size
            weights = norm_of(x[i, start:end])
            slope = norm_of(step[i, start:end]) / gamma
            ratio = trust_of(numbers[1], weights, slope + decay * weights)
            for j in range(start, end):
                moved = ratio * (step[i, j] + pull * x[i, j])
                state[i, 0, j] = m * state[i, 0, j] + moved
                out[i, j] = state[i, 0, j]
            start = end
