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


@njit(cache=True, nogil=True)
def _power(state, leaf, beta, room):  # type: ignore[no-untyped-def]
    """A power of beta, one double in leaves ``[L, d]`` of T from ``leaf`` on, taken once more;
    ``room`` has the bits of one."""
    for q in range(room.shape[0]):
        room[q] = state[leaf + q, 0]
    wide = room.view(np.float64)
    wide[0] = beta * wide[0]
    for q in range(room.shape[0]):
        state[leaf + q, :] = room[q]
    return wide[0]


@njit(cache=True, nogil=True, error_model="numpy")
def _corrected_moments(numbers, state, step, x, gamma, rest1, rest2, out):  # type: ignore[no-untyped-def]
    """A row's moments ``[2, d]`` after a step, and the move that they and the decay give."""
    own = numbers[0]
    for j in range(step.shape[0]):
        g = step[j] / gamma
        state[0, j] = own[0] * state[0, j] + own[1] * g
        state[1, j] = own[2] * state[1, j] + own[3] * (g * g)
        root = np.sqrt(state[1, j] / rest2) + own[4]
        out[j] = state[0, j] / rest1 / root + own[5] * x[j]


@njit(cache=True, nogil=True, error_model="numpy")
def layerwise_moments(numbers, state, step, x, gamma, out):  # type: ignore[no-untyped-def]
    """LAMB: a corrected mean of gradients over a root of squares, times a ratio for each layer;
    beta_1, 1 - beta_1, beta_2, 1 - beta_2, eps and the decay; what the ratio is made of; the sizes
    of the layers; both betas. The powers of the betas are the last leaves of the state."""
    one, room = np.float64(1), np.empty(8 // x.itemsize, x.dtype)
    for i in range(step.shape[0]):
        power1 = _power(state[i], 2, numbers[4][0], room)
        power2 = _power(state[i], 2 + room.shape[0], numbers[4][1], room)
        rest1, rest2 = x.dtype.type(one - power1), x.dtype.type(one - power2)
        _corrected_moments(numbers, state[i], step[i], x[i], gamma, rest1, rest2, out[i])
        start = 0
        for size in numbers[3]:
            end = start + size
            weights, move = norm_of(x[i, start:end]), norm_of(out[i, start:end])
            factor = gamma * trust_of(numbers[1], weights, move)
            for j in range(start, end):
                out[i, j] = factor * out[i, j]
            start = end
