"""Operations on rows, of which steps along a graph or of a server and its workers are programs.

An operation writes the register ``out`` and reads a and b, with numbers s and u of the step.
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.server_steps import add_rows

GRADIENT, SEND, CHANGE, CHECK = range(4)
MIX, MIX_NEAREST, MIX_WEIGHTS, MEAN, SPREAD, WEIGH, RATIO, CHOOSE, KEEP = range(4, 13)
ADD, SUBTRACT, ADD_SCALED, ADD_SCALED_ONTO, SCALE, BLEND, DIVIDE, COPY = range(13, 21)
MULTIPLY, QUOTIENT, ROOT, ZERO = range(21, 25)
CHARGE = 25
EXCHANGES = MIX, MIX_NEAREST
"""Operations on registers ``out``, a, b and numbers s, u of the step.

gradient        the worker's gradient at a, finite; from the first or the second source
send            what others read of the operator's message for a
change          ``out`` changed in place, as a projection does; s is the stepsize
mix             the weighted sum of what neighbours have in a
mix nearest     b, and the weighted sum of neighbours' a less one's own, each of these less the
                multiple of s that brings it nearest to b
mix weights     the same as mix of a worker's one number
mean, spread    the mean over workers of a, in row 0 of ``out``; row 0 of a, for all
add, subtract   a + b, a - b
add scaled      a + s b; onto: ``out`` + s b
scale, divide   s a, a / s
blend           s a + u b
multiply        a b, number by number
quotient        a / b, number by number
root            the root of a, plus s
weigh           a times the worker's own weight of the step
ratio           a divided by the worker's one number in b
choose, keep    a where the worker's mask of the step is set, elsewhere b; elsewhere 0
copy, zero      a; 0
check           nothing, but a is finite
charge          nothing; only the books hear of it
"""


@njit(cache=True, nogil=True)
def add_scaled_onto(out, s, b):  # type: ignore[no-untyped-def]
    """The sum ``out`` + s b, in place."""
    for j in range(out.shape[0]):
        out[j] = out[j] + s * b[j]


@njit(cache=True, nogil=True, error_model="numpy")
def combined(kind, out, a, b, s, u):  # type: ignore[no-untyped-def]
    """Operations on numbers one by one, of flat arrays of one length."""
    if kind == ADD:
        for j in range(out.shape[0]):
            out[j] = a[j] + b[j]
    elif kind == SUBTRACT:
        for j in range(out.shape[0]):
            out[j] = a[j] - b[j]
    elif kind == ADD_SCALED:
        for j in range(out.shape[0]):
            out[j] = a[j] + s * b[j]
    elif kind == SCALE:
        for j in range(out.shape[0]):
            out[j] = s * a[j]
    elif kind == BLEND:
        for j in range(out.shape[0]):
            out[j] = s * a[j] + u * b[j]
    elif kind == DIVIDE:
        for j in range(out.shape[0]):
            out[j] = a[j] / s
    elif kind == COPY:
        for j in range(out.shape[0]):
            out[j] = a[j]
    elif kind == ZERO:
        out[:] = 0
    else:
        _nonlinear(kind, out, a, b, s)


@njit(cache=True, nogil=True, error_model="numpy")
def _nonlinear(kind, out, a, b, s):  # type: ignore[no-untyped-def]
    if kind == MULTIPLY:
        for j in range(out.shape[0]):
            out[j] = a[j] * b[j]
    elif kind == QUOTIENT:
        for j in range(out.shape[0]):
            out[j] = a[j] / b[j]
    elif kind == ROOT:
        for j in range(out.shape[0]):
            out[j] = np.sqrt(a[j]) + s


@njit(cache=True, nogil=True, error_model="numpy")
def by_worker(kind, out, a, one):  # type: ignore[no-untyped-def]
    """Rows ``[k, d]`` times or divided by one number each."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = one[i] * a[i, j] if kind == WEIGH else a[i, j] / one[i]


@njit(cache=True, nogil=True)
def chosen(kind, out, a, b, mask):  # type: ignore[no-untyped-def]
    """Rows of a where the mask ``[k]`` is set, elsewhere of b or zeros; one row of a or b may be
    for all."""
    for i in range(out.shape[0]):
        if mask[i]:
            out[i] = a[i if a.shape[0] > 1 else 0]
        elif kind == CHOOSE:
            out[i] = b[i if b.shape[0] > 1 else 0]
        else:
            out[i] = 0


@njit(cache=True, nogil=True, forceinline=True, error_model="numpy")
def _nearest(point, reader, length):  # type: ignore[no-untyped-def]
    apart = (point - reader) / length
    return reader + (apart - np.rint(apart)) * length


@njit(cache=True, nogil=True, error_model="numpy")
def mixed_nearest(x, index, weight, slots, first, reader, length, out):  # type: ignore[no-untyped-def]
    """Readers ``[k, d]`` plus the weighted differences between neighbours' x and their own, each
    less the multiple of ``length`` that brings it nearest to the reader; workers first, ..."""
    d = out.shape[1]
    own = np.empty(d, x.dtype)
    for i in range(out.shape[0]):
        for j in range(d):
            own[j] = _nearest(x[first + i, j], reader[i, j], length)
            out[i, j] = reader[i, j]
        for s in range(slots):
            who, share = index[first + i, s], weight[first + i, s]
            for j in range(d):
                read = _nearest(x[who, j], reader[i, j], length)
                out[i, j] = out[i, j] + share * (read - own[j])


@njit(cache=True, nogil=True)
def mixed_weights(w, index, weight, slots, first, out):  # type: ignore[no-untyped-def]
    """Mixed numbers of workers first, ... into out ``[k]``; one for each worker, w ``[n]``."""
    for i in range(out.shape[0]):
        total = weight[first + i, 0] * w[index[first + i, 0]]
        for s in range(1, slots):
            total = total + weight[first + i, s] * w[index[first + i, s]]
        out[i] = total


@njit(cache=True, nogil=True)
def mean(x, out):  # type: ignore[no-untyped-def]
    """The mean of rows ``[n, d]`` into ``[d]``."""
    out[:] = 0
    add_rows(x, out, 0, out.shape[0])
    for j in range(out.shape[0]):
        out[j] /= x.shape[0]
