"""Closed forms of the small compiled functions that gradients, operators and exchanges are made of.

A run uses them at its own sizes: a branch for nine rows, a third neighbour or the second half of a
long row is never taken by most. Here they take small whole numbers at all sizes around those at
which they change their way. Sums of products of such numbers are exact in floating point in any
order, so what numpy's integers give is due bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import scipy.linalg
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.kernels import (
    absolutes,
    counting,
    distances,
    extremes,
    hadamard,
    mean,
    mixing,
    row_norms,
    row_products,
    row_sums,
    scaled_sum,
    selection,
    squares,
)
from algorithms.kernels.row_parts import all_finite
from proofs_check.instruments.evidence import identity
from proofs_check.shared_code.drawn_networks import EVERY_ROW
from proofs_check.verdict import Verdict

_ROWS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17)
_LENGTHS = (1, 2, 3, 5, 7, 8, 9, 16, 17, 33)
_LONG = 2050  # longer than two blocks of mixed columns
_DTYPES = (torch.float32, torch.float64)

Whole = NDArray[np.int64]
Pair = tuple[Any, Any]


def _whole(seed: int, *shape: int) -> Whole:
    """Whole numbers from -4 to 4."""
    return np.random.default_rng(seed).integers(-4, 5, shape)


def _real(whole: Whole, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.from_numpy(whole).to(dtype)


def products() -> tuple[Verdict, ...]:
    """P x, P^T w and P^T diag(w) P x against numpy's integers."""
    pairs = list[Pair]()
    for rows, d in product(_ROWS, _LENGTHS):
        p, x, w = _whole(rows, rows, d), _whole(d, d), _whole(rows + d, rows)
        for dtype in (np.float32, np.float64):
            real: Any = p.astype(dtype)
            at, weights = x.astype(np.float64), w.astype(np.float64)
            pairs += [
                (row_products.times(real, at), p @ x),
                (row_products.transposed_times(real, weights), w @ p),
                (row_products.weighted_gram_times(real, weights, at), p.T @ (w * (p @ x))),
            ]
    return _judged("products with rows", "P x, P^T w and P^T diag(w) P x", pairs)


def gradients() -> tuple[Verdict, ...]:
    """Gradients of squares and subgradients of absolute values against numpy's integers."""
    pairs = list[Pair]()
    for (samples, d), shared in product(((1, 1), (3, 2), (5, 9)), (True, False)):
        a, y = _whole(1, 3, samples, d), _whole(2, 3, samples)
        workers = np.array([2, 0, 1])
        x = _whole(3, 2, 1 if shared else 3, d)
        counts = np.array([samples, max(1, samples - 1), 1])
        index = np.random.default_rng(4).integers(0, samples, (2, 3, 2))
        given = (_real(a), _real(y))
        asked = torch.from_numpy(workers).expand(2, 3)
        found = squares.squares_gradient(*given, torch.from_numpy(counts), _real(x), asked)
        bent = absolutes.absolutes_gradient(*given, _real(x), asked, torch.from_numpy(index))
        for r, (k, w) in product(range(2), enumerate(workers)):
            at, there = x[r, 0 if shared else k], slice(counts[w])
            left = a[w] @ at - y[w]
            pairs.append((found[r, k], left[there] @ a[w][there]))
            chosen = index[r, k]
            pairs.append((bent[r, k], np.sign(left[chosen]) @ a[w][chosen] / 2))
    return _judged("gradients of residuals", "X^T (X x - y) and sign(X x - y)^T X / b", pairs)


def sums() -> tuple[Verdict, ...]:
    """Sums, means and norms of rows, by sides, in parts, and of several, against numpy's."""
    pairs = list[Pair]()
    for rows, d, dtype in product(_ROWS[:8], (*_LENGTHS, _LONG), _DTYPES):
        x = _whole(rows + d, rows, d)
        given, above = _real(x, dtype), x >= 0
        first, turned = x[:1], given.T.contiguous()
        pairs += [
            (row_sums.totals(given)[:, 0], x.sum(1)),
            (mean.sum_rows(given), x.sum(0)),
            (row_norms.norms(given)[:, 0], _rounded(np.sqrt((x * x).sum(1)), dtype)),
            (row_norms.mean_abs(given)[:, 0], _rounded(np.abs(x).sum(1) / d, dtype)),
            (row_sums.side_means(given)[:, 0], _rounded(_side_mean(x, above), dtype)),
            (row_sums.side_means(given)[:, 1], _rounded(_side_mean(x, ~above), dtype)),
            (mean.mean_rows(given), _rounded(x.sum(0), dtype) / _rounded(rows, dtype)),
            (scaled_sum.add_scaled(given, -3.0, given.flip(0)), x - 3 * x[::-1]),
            (scaled_sum.add_scaled_onto(turned.clone(), 2.0, turned.flip(0)).T, x + 2 * x[:, ::-1]),
            (counting.counts(given != 0), (x != 0).sum(1)),
            (row_norms.norms_of_parts(given, (d // 2, d - d // 2))[0], _parts(first[0], dtype)),
        ]
    return _judged("sums of rows", "sums, means, norms and counts of rows", pairs)


def _side_mean(x: Whole, side: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.asarray((x * side).sum(1) / side.sum(1).clip(1))


def _rounded(value: Any, dtype: torch.dtype) -> NDArray[np.floating]:
    return np.asarray(value, dtype=np.float32 if dtype == torch.float32 else np.float64)


def _parts(row: Whole, dtype: torch.dtype) -> NDArray[np.floating]:
    half = len(row) // 2
    return _rounded([math.sqrt(int((p * p).sum())) for p in (row[:half], row[half:])], dtype)


def extreme_values() -> tuple[Verdict, ...]:
    """Largest magnitudes, ends and places of the largest against numpy's sorting; what is not
    finite is found wherever it stands."""
    pairs = list[Pair]()
    for rows, d, dtype in product((1, 3, 5), _LENGTHS, _DTYPES):
        x = _whole(7 * rows + d, rows, d)
        given = _real(x, dtype)
        order = np.argsort(-np.abs(x), axis=1, kind="stable")
        pairs += [
            (extremes.tops(given)[:, 0], np.abs(x).max(1)),
            (extremes.ends(given)[0][:, 0], x.min(1)),
            (extremes.ends(given)[1][:, 0], x.max(1)),
            *((selection.largest(given, k), np.sort(order[:, :k])) for k in {1, (d + 1) // 2, d}),
        ]
        for place, value in product(range(0, rows * d, max(1, d - 1)), (math.nan, -math.inf)):
            spoilt = given.clone()
            spoilt.view(-1)[place] = value
            pairs += [
                (extremes.all_finite(spoilt), False), (all_finite(spoilt.numpy()), False),
            ]  # fmt: skip
        pairs += [(extremes.all_finite(given), True), (all_finite(given.numpy()), True)]
    return _judged("extremes of rows", "largest magnitudes, ends, places, what is finite", pairs)


def exchanges() -> tuple[Verdict, ...]:
    """Mixed rows against numpy's integers, orthogonal transforms against scipy's."""
    pairs = list[Pair]()
    for slots, d in product((1, 2, 3, 4, 5, 6, 7, 9), (1, 3, 17, _LONG)):
        x, weight = _whole(slots + d, 2, 6, d), _whole(slots, 5, slots)
        index = np.random.default_rng(slots).integers(0, 6, (5, slots))
        found = mixing.mix(_real(x), torch.from_numpy(index), _real(weight))
        pairs.append((found, np.einsum("ms,rmsd->rmd", weight, x[:, index])))
    for power in range(8):
        x = _whole(power, 3, 1 << 2 * (power // 2))  # roots of even powers are whole
        d = x.shape[1]
        pairs.append((hadamard.hadamard(_real(x)), x @ scipy.linalg.hadamard(d) / math.isqrt(d)))
    for cap in (1, 2, 5, 9):
        places = np.sort(np.random.default_rng(cap).permutation(40)[:cap])[None]
        for count in range(cap + 1):
            many, gaps = torch.tensor([[count]]), np.diff(places, prepend=-1)
            apart = distances.between(many, torch.from_numpy(places))
            meant = np.arange(cap) < count
            pairs += [
                (apart, np.where(meant, gaps, 0)),
                (distances.summed(many, apart), np.where(meant, places, 0)),
            ]
    return _judged("exchanged rows", "mixed rows, Hadamard's transform, places by gaps", pairs)


def _judged(subject: str, what: str, pairs: list[Pair]) -> tuple[Verdict, ...]:
    made, due = (np.concatenate(list(_flat(pairs, side))) for side in (0, 1))
    verdict = identity(
        subject, f"{what} of whole numbers are those of numpy, bit for bit", made, due,
        check="all sizes", tolerance=0.0, note=f"{len(pairs)} sizes and kinds",
        provenance="whole numbers from -4 to 4, seeds of their sizes",
    )  # fmt: skip
    return (verdict,)


def _flat(pairs: list[Pair], side: int) -> Iterator[NDArray[np.float64]]:
    """Numbers of one side; a pair of other shapes is unequal everywhere."""
    for pair in pairs:
        shapes = {np.shape(one) for one in pair}
        own = np.asarray(pair[side], dtype=np.float64).reshape(-1)
        yield own if len(shapes) == 1 else np.array([float(side)])


CLOSED_FORMS: tuple[Callable[[], tuple[Verdict, ...]], ...] = (
    products, gradients, sums, extreme_values, exchanges,
)  # fmt: skip
COVERS = {check.__name__: EVERY_ROW for check in CLOSED_FORMS}
"""All rows that run: their gradients, messages and exchanges are made of these."""
