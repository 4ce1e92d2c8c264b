"""A perceptron over many workers, forth and back, without gathering minibatches.

The first layer's two products are most of the arithmetic. Four samples and four hidden units are
taken together, so that each number that is read serves four times. How a number of a kernel's is
added up depends on the place of its sample in the minibatch and on the sizes of a layer, never on
how many pairs there are.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit

_FAST = {"reassoc", "contract", "nsz", "arcp"}


@njit(cache=True, nogil=True, fastmath=_FAST)
def _dot(flat, q, points, r, o):  # type: ignore[no-untyped-def]
    total = flat.dtype.type(0)
    for j in range(flat.shape[1]):
        total += flat[q, j] * points[r, np.uint64(o) + np.uint64(j)]
    return total


@njit(cache=True, nogil=True, fastmath=_FAST, forceinline=True)
def _dots(flat, q0, q1, q2, q3, points, r, o):  # type: ignore[no-untyped-def]
    """Products of four samples with four units, whose weights start at ``o``."""
    z, p = flat.dtype.type(0), flat.shape[1]
    o0, o1, o2, o3 = np.uint64(o), np.uint64(o + p), np.uint64(o + 2 * p), np.uint64(o + 3 * p)
    a0, a1, a2, a3, b0, b1, b2, b3 = z, z, z, z, z, z, z, z
    c0, c1, c2, c3, d0, d1, d2, d3 = z, z, z, z, z, z, z, z
    for j in range(p):
        s0, s1, s2, s3 = flat[q0, j], flat[q1, j], flat[q2, j], flat[q3, j]
        k = np.uint64(j)
        w0, w1, w2, w3 = points[r, o0 + k], points[r, o1 + k], points[r, o2 + k], points[r, o3 + k]
        a0 += s0 * w0
        a1 += s0 * w1
        a2 += s0 * w2
        a3 += s0 * w3
        b0 += s1 * w0
        b1 += s1 * w1
        b2 += s1 * w2
        b3 += s1 * w3
        c0 += s2 * w0
        c1 += s2 * w1
        c2 += s2 * w2
        c3 += s2 * w3
        d0 += s3 * w0
        d1 += s3 * w1
        d2 += s3 * w2
        d3 += s3 * w3
    return (a0, a1, a2, a3), (b0, b1, b2, b3), (c0, c1, c2, c3), (d0, d1, d2, d3)


@njit(cache=True, nogil=True)
def _forth(flat, place, points, share, out):  # type: ignore[no-untyped-def]
    pairs, samples, hidden = out.shape
    p = flat.shape[1]
    bias = hidden * p
    fours, units = samples - samples % 4, hidden - hidden % 4
    for i in range(pairs):
        r = i // share
        for s in range(0, fours, 4):
            q0, q1, q2, q3 = place[i, s], place[i, s + 1], place[i, s + 2], place[i, s + 3]
            for h in range(0, units, 4):
                found = _dots(flat, q0, q1, q2, q3, points, r, h * p)
                for u in range(4):
                    out[i, s, h + u] = found[0][u] + points[r, bias + h + u]
                    out[i, s + 1, h + u] = found[1][u] + points[r, bias + h + u]
                    out[i, s + 2, h + u] = found[2][u] + points[r, bias + h + u]
                    out[i, s + 3, h + u] = found[3][u] + points[r, bias + h + u]
        for s in range(samples):
            for h in range(units if s < fours else 0, hidden):
                found_one = _dot(flat, place[i, s], points, r, h * p)
                out[i, s, h] = found_one + points[r, bias + h]


@njit(cache=True, nogil=True, fastmath={"contract"}, forceinline=True)
def _add(flat, q0, q1, q2, q3, slope, i, s, h, out):  # type: ignore[no-untyped-def]
    """Four samples' share of four units' gradients, added to ``out[i]``."""
    p = flat.shape[1]
    a0, a1, a2, a3 = slope[i, s, h], slope[i, s + 1, h], slope[i, s + 2, h], slope[i, s + 3, h]
    h1, h2, h3 = h + 1, h + 2, h + 3
    b0, b1, b2, b3 = slope[i, s, h1], slope[i, s + 1, h1], slope[i, s + 2, h1], slope[i, s + 3, h1]
    c0, c1, c2, c3 = slope[i, s, h2], slope[i, s + 1, h2], slope[i, s + 2, h2], slope[i, s + 3, h2]
    d0, d1, d2, d3 = slope[i, s, h3], slope[i, s + 1, h3], slope[i, s + 2, h3], slope[i, s + 3, h3]
    o0, o1, o2, o3 = np.uint64(h * p), np.uint64(h1 * p), np.uint64(h2 * p), np.uint64(h3 * p)
    for j in range(p):
        s0, s1, s2, s3 = flat[q0, j], flat[q1, j], flat[q2, j], flat[q3, j]
        k = np.uint64(j)
        out[i, o0 + k] = out[i, o0 + k] + a0 * s0 + a1 * s1 + a2 * s2 + a3 * s3
        out[i, o1 + k] = out[i, o1 + k] + b0 * s0 + b1 * s1 + b2 * s2 + b3 * s3
        out[i, o2 + k] = out[i, o2 + k] + c0 * s0 + c1 * s1 + c2 * s2 + c3 * s3
        out[i, o3 + k] = out[i, o3 + k] + d0 * s0 + d1 * s1 + d2 * s2 + d3 * s3


@njit(cache=True, nogil=True)
def _back(pull, hidden, flat, place, weights, biases, out):  # type: ignore[no-untyped-def]
    pairs, samples, units = hidden.shape
    p, slope = flat.shape[1], np.empty((1, samples, units), dtype=flat.dtype)
    one = flat.dtype.type(1)
    first, weighed = units * (p + 1), units * (p + 1) + weights.shape[1]
    for i in range(pairs):
        for s in range(samples):
            for h in range(units):
                slope[0, s, h] = pull[i, s, h] * (one - hidden[i, s, h] * hidden[i, s, h])
        _first_layer(slope, flat, place[i], out[i : i + 1])
        out[i, first:weighed] = weights[i]
        out[i, weighed : weighed + biases.shape[1]] = biases[i]


@njit(cache=True, nogil=True)
def _first_layer(slope, flat, place, out):  # type: ignore[no-untyped-def]
    """Gradients of a first layer for one pair; leading axes have length 1."""
    _, samples, hidden = slope.shape
    p = flat.shape[1]
    fours, units = samples - samples % 4, hidden - hidden % 4
    out[0, : hidden * (p + 1)] = 0
    for h in range(0, units, 4):
        for s in range(0, fours, 4):
            _add(flat, place[s], place[s + 1], place[s + 2], place[s + 3], slope, 0, s, h, out)
    for h in range(hidden):
        for s in range(fours if h < units else 0, samples):
            q, weight = place[s], slope[0, s, h]
            for j in range(p):
                out[0, np.uint64(h * p) + np.uint64(j)] += weight * flat[q, j]
    for s in range(samples):
        for h in range(hidden):
            out[0, hidden * p + h] += slope[0, s, h]


@njit(cache=True, nogil=True)
def _lower(scores):  # type: ignore[no-untyped-def]
    for i in range(scores.shape[0]):
        top = scores[i].max()
        for c in range(scores.shape[1]):
            scores[i, c] -= top


@njit(cache=True, nogil=True)
def _share(shares, totals, labels, place, samples):  # type: ignore[no-untyped-def]
    """Numbers over their sums, less 1 at the right label, over the number of samples."""
    count = shares.dtype.type(samples)
    for i in range(shares.shape[0]):
        for c in range(shares.shape[1]):
            shares[i, c] /= totals[i]
        shares[i, labels[place[i]]] -= shares.dtype.type(1)
        for c in range(shares.shape[1]):
            shares[i, c] /= count


def _gathered(flat: Tensor, place: Tensor) -> Tensor:
    """Samples ``[m, s, p]``; where all pairs have the same, they are held once."""
    one = place[:1] if place.stride(0) == 0 else place
    drawn = flat.index_select(0, one.reshape(-1))  # flat[place] takes 5 times as long
    return drawn.view(*one.shape, -1).expand(len(place), -1, -1)


def forth_torch(flat: Tensor, place: Tensor, points: Tensor, share: int, hidden: int) -> Tensor:
    """The twin of :func:`forth`, equal to rounding."""
    size = hidden * flat.shape[1]
    wide = points.repeat_interleave(share, 0) if len(points) > 1 else points
    wide = wide.expand(len(place), -1)
    weights = wide[:, :size].view(-1, hidden, flat.shape[1])
    bias = wide[:, None, size : size + hidden]
    return torch.baddbmm(bias, _gathered(flat, place), weights.mT)


def forth(flat: Tensor, place: Tensor, points: Tensor, share: int, hidden: int) -> Tensor:
    """Output of a first layer ``[m, s, hidden]``, before its activation.

    Samples are rows ``place`` ``[m, s]`` (int64) of flat ``[N, p]``; ``share`` pairs in turn have
    one of the points ``[m / share, d]``, which begin with weights ``[hidden, p]`` and biases.
    """
    if by_torch(flat):
        return forth_torch(flat, place, points, share, hidden)
    out = torch.empty((*place.shape, hidden), dtype=flat.dtype)
    _forth(*(part.contiguous().numpy() for part in (flat, place, points)), share, out.numpy())
    return out


def slopes_torch(scores: Tensor, labels: Tensor, place: Tensor) -> Tensor:
    """The twin of :func:`slopes`, equal to rounding."""
    right, one = labels[place][..., None], scores.new_full((*place.shape, 1), -1.0)
    return torch.softmax(scores, -1).scatter_add_(-1, right, one).div_(place.shape[1])


def slopes(scores: Tensor, labels: Tensor, place: Tensor) -> Tensor:
    """Slopes ``[m, s, c]`` of the mean cross-entropy over samples in their scores, written over
    them; ``labels`` ``[N]`` are the samples' of :func:`forth`.

    Of few classes, where torch's own softmax takes five times as long.
    """
    if by_torch(scores):
        return slopes_torch(scores, labels, place)
    flat = scores.view(-1, scores.shape[-1])
    held = flat.numpy()
    _lower(held)
    totals = flat.exp_().sum(-1)
    given = (totals, labels, place.reshape(-1))
    _share(held, *(part.numpy() for part in given), place.shape[1])
    return scores


def back_torch(
    pull: Tensor, hidden: Tensor, flat: Tensor, place: Tensor, weights: Tensor, biases: Tensor,
    out: Tensor,
) -> None:  # fmt: skip
    """The twin of :func:`back`, equal to rounding."""
    units, size = hidden.shape[-1], hidden.shape[-1] * flat.shape[1]
    slope = pull * (1 - hidden.square())
    first = out[:, :size].view(-1, units, flat.shape[1])
    torch.bmm(slope.mT, _gathered(flat, place), out=first)  # not written twice
    out[:, size:] = torch.cat((slope.sum(1), weights.flatten(1), biases), 1)


def back(
    pull: Tensor, hidden: Tensor, flat: Tensor, place: Tensor, weights: Tensor, biases: Tensor,
    out: Tensor,
) -> None:  # fmt: skip
    """Gradients ``[m, d]`` of a perceptron, into ``out``: of a first layer, then the ``weights``
    ``[m, c, hidden]`` and ``biases`` ``[m, c]`` given.

    ``pull`` ``[m, s, hidden]`` are a loss's slopes in the hidden units, hyperbolic tangents
    ``hidden`` of what comes out of the first layer.
    """
    if by_torch(flat):
        return back_torch(pull, hidden, flat, place, weights, biases, out)
    given = (pull, hidden, flat, place.contiguous(), weights.flatten(1), biases, out)
    _back(*(part.numpy() for part in given))
    return None
