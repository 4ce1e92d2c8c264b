"""Operations of memories before and after a message, as parts of compiled steps."""

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


@njit(cache=True, nogil=True)
def add_weighed(numbers, state, x, wanted):  # type: ignore[no-untyped-def]
    """Decaying feedback: alpha times the errors of the past is added; alpha, beta."""
    alpha = numbers[0][0]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            wanted[i, j] = x[i, j] + alpha * state[i, 0, j]


@njit(cache=True, nogil=True)
def keep_decayed(numbers, state, x, wanted, sent, mean):  # type: ignore[no-untyped-def]
    """Decaying feedback: beta times the errors of the past, and this one."""
    beta = numbers[1][0]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            state[i, 0, j] = beta * state[i, 0, j] + (x[i, j] - sent[i, j])


@njit(cache=True, nogil=True)
def add_global_momentum(numbers, state, x, wanted):  # type: ignore[no-untyped-def]
    """Global momentum: m times the last move and the residual are added; m."""
    m = numbers[0][0]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            wanted[i, j] = x[i, j] + m * state[i, 1, j] + state[i, 0, j]


@njit(cache=True, nogil=True)
def keep_move(numbers, state, x, wanted, sent, mean):  # type: ignore[no-untyped-def]
    """Global momentum: the residual, and the move that all made."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            state[i, 0, j] = wanted[i, j] - sent[i, j]
            state[i, 1, j] = mean[0, j]


@njit(cache=True, nogil=True)
def add_corrected(numbers, state, x, wanted):  # type: ignore[no-untyped-def]
    """Momentum correction: the velocity is added to what has accumulated; m, and 1 for masking."""
    m = numbers[0][0]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            wanted[i, j] = state[i, 1, j] + (m * state[i, 0, j] + x[i, j])


@njit(cache=True, nogil=True)
def keep_corrected(numbers, state, x, wanted, sent, mean):  # type: ignore[no-untyped-def]
    """Momentum correction: the velocity, where masked 0 for what was sent, and what was not."""
    m, masking = numbers[0][0], numbers[3][0]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            velocity = m * state[i, 0, j] + x[i, j]
            state[i, 0, j] = x.dtype.type(0) if masking and sent[i, j] != 0 else velocity
            state[i, 1, j] = wanted[i, j] - sent[i, j]


@njit(cache=True, nogil=True)
def add_nesterov(numbers, state, x, wanted):  # type: ignore[no-untyped-def]
    """Nesterov's momentum and what was left of the last message are added; m."""
    m = numbers[0][0]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            velocity = m * state[i, 0, j] + x[i, j]
            wanted[i, j] = m * velocity + x[i, j] + state[i, 1, j]


@njit(cache=True, nogil=True)
def keep_nesterov(numbers, state, x, wanted, sent, mean):  # type: ignore[no-untyped-def]
    """Nesterov's velocity, and what was left of this message."""
    m = numbers[0][0]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            state[i, 0, j] = m * state[i, 0, j] + x[i, j]
            state[i, 1, j] = wanted[i, j] - sent[i, j]


@njit(cache=True, nogil=True)
def add_average(numbers, state, x, wanted):  # type: ignore[no-untyped-def]
    """Moving average of errors: it is added, unless this step forgets it; 1 then."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            wanted[i, j] = x[i, j] if numbers[3][0] else state[i, 0, j] + x[i, j]


@njit(cache=True, nogil=True)
def keep_average(numbers, state, x, wanted, sent, mean):  # type: ignore[no-untyped-def]
    """Moving average of errors: b times this one's, and the rest of the past's; b and 1 - b."""
    b, rest = numbers[0][0], numbers[1][0]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            newest = b * (wanted[i, j] - sent[i, j])
            state[i, 0, j] = newest if numbers[3][0] else rest * state[i, 0, j] + newest
