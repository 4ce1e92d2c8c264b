"""Many steps of a compressed method on l2 logistic regression in one call, as ``fused_logistic``.

Messages are made where the gradient was, row by row, by the loops of ``row_norms``, ``rounding``
and ``selection``. Sparse messages are added entry by entry, with the bits of sums over whole rows
(see ``mean``). Where a message is not finite the call says so, and what it wrote is thrown away.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from algorithms.kernels.compiled import njit
from algorithms.kernels.fused_logistic import Steps, arguments, gradient
from algorithms.kernels.philox import uniform_row
from algorithms.kernels.rounding import level_row
from algorithms.kernels.row_norms import norms_into
from algorithms.kernels.selection import largest_into


@njit(cache=True, nogil=True, error_model="numpy")
def add_levels(codes, top, s, width, total):  # type: ignore[no-untyped-def]
    """Add to ``total`` what QSGD's levels say of a row of norm ``top``: level / s times it."""
    mask = np.int32((1 << width) - 1)
    for j in range(codes.shape[0]):
        level = codes[j] & mask
        signed = -level if codes[j] >> width else level
        total[j] += total.dtype.type(signed) / s * top


@njit(cache=True, nogil=True)
def _quantised(rows, x, lam, gammas, keys, replicas, batch, coins, s, width):  # type: ignore[no-untyped-def]
    n, _, d = rows.shape
    index, total = np.empty(batch, np.int64), np.empty_like(x)
    g, u, codes = np.empty((1, d), x.dtype), np.empty(d, x.dtype), np.empty(d, np.int32)
    norm = np.empty(1, x.dtype)
    for t in range(gammas.shape[0]):
        gamma = gammas[t]
        total[:] = 0
        for w in range(n):
            for r in range(x.shape[0]):
                gradient(rows[w], x[r], lam, keys[t, 0], keys[t, 1], replicas[r], w, index, g[0])
                norms_into(g, norm)
                top = norm[0]
                if not np.isfinite(top):
                    return False
                if top == 0:
                    continue
                uniform_row(coins[t, 0], coins[t, 1], replicas[r], w, u)
                level_row(g[0], top, s, u, width, codes)
                add_levels(codes, top, s, width, total[r])
        for r in range(x.shape[0]):
            for j in range(d):
                total[r, j] /= n
                x[r, j] = x[r, j] - gamma * total[r, j]
    return True


@njit(cache=True, nogil=True)
def _fed_back(rows, x, lam, gammas, keys, replicas, batch, memory, bits, mask, kept):  # type: ignore[no-untyped-def]
    n, _, d = rows.shape
    index, total = np.empty(batch, np.int64), np.empty_like(x)
    g, chosen = np.empty(d, x.dtype), np.empty((1, kept), np.int64)
    for t in range(gammas.shape[0]):
        total[:] = 0
        for w in range(n):
            for r in range(x.shape[0]):
                gradient(rows[w], x[r], lam, keys[t, 0], keys[t, 1], replicas[r], w, index, g)
                wanted = memory[r, w]
                for j in range(d):
                    wanted[j] = wanted[j] + gammas[t] * g[j]
                largest_into(bits[r, w : w + 1], mask, kept, chosen)
                for j in chosen[0]:
                    total[r, j] += wanted[j]
                    wanted[j] = wanted[j] - (0 + wanted[j])
        for r in range(x.shape[0]):
            for j in range(d):
                if not np.isfinite(total[r, j]):
                    return False
                total[r, j] /= n
                x[r, j] = x[r, j] - total[r, j]
    return True


@njit(cache=True, nogil=True)
def tell_row(own, known, g, gamma, apart, bits, mask, chosen, values):  # type: ignore[no-untyped-def]
    """CHOCO-SGD's local step of one worker, and what it says of itself: entries ``[1, kept]`` and
    values ``[kept]``, added to what is known of it; apart ``[1, d]`` and its bits are scratch.
    False: a value is not finite."""
    for j in range(own.shape[0]):
        own[j] = own[j] + -gamma * g[j]
        apart[0, j] = own[j] - known[j]
    largest_into(bits, mask, values.shape[0], chosen)
    for i in range(values.shape[0]):
        j = chosen[0, i]
        if not np.isfinite(apart[0, j]):
            return False
        values[i] = 0 + apart[0, j]
        known[j] += values[i]
    return True


@njit(cache=True, nogil=True)
def hear_row(around, chosen, values, who, weight, heard):  # type: ignore[no-untyped-def]
    """Add to one worker's sum over neighbours the entries ``[n, kept]`` of those in ``who``, in
    their order; heard ``[d]`` is zero before and after. What nobody names stays."""
    for s in range(who.shape[0]):
        i = who[s]
        for k in range(chosen.shape[1]):
            heard[chosen[i, k]] += weight[s] * values[i, k]
    for i in who:
        for j in chosen[i]:
            if heard[j] != 0:
                around[j] = around[j] + heard[j]
                heard[j] = 0


@njit(cache=True, nogil=True)
def agree_row(own, known, around, consensus):  # type: ignore[no-untyped-def]
    """CHOCO-SGD's consensus step of one worker."""
    for j in range(own.shape[0]):
        own[j] = own[j] + consensus * (around[j] - known[j])


@njit(cache=True, nogil=True)
def _gossiped(  # type: ignore[no-untyped-def]
    rows, x, lam, gammas, keys, replicas, batch, public, mixed, neighbours, weight, consensus,
    apart, bits, mask, kept,
):  # fmt: skip
    n, _, d = rows.shape
    index, heard, g = np.empty(batch, np.int64), np.zeros(d, x.dtype), np.empty(d, x.dtype)
    chosen = np.empty((2, x.shape[0], n, kept), np.int64)  # of this step, and of the last one
    values = np.empty(chosen.shape, x.dtype)
    for t in range(gammas.shape[0]):
        said, last = t % 2, (t + 1) % 2
        for w in range(n):
            for r in range(x.shape[0]):
                own = x[r, w]
                if t > 0:  # a step's last part when the next one has the rows in cache
                    around = mixed[r, w]
                    hear_row(
                        around, chosen[last, r], values[last, r], neighbours[w], weight[w], heard
                    )
                    agree_row(own, public[r, w], around, consensus)
                gradient(rows[w], own, lam, keys[t, 0], keys[t, 1], replicas[r], w, index, g)
                row = chosen[said, r, w : w + 1]
                if not tell_row(
                    own, public[r, w], g, gammas[t], apart, bits, mask, row, values[said, r, w]
                ):
                    return False
    last = (gammas.shape[0] - 1) % 2
    for r in range(x.shape[0]):
        for w in range(n):
            hear_row(mixed[r, w], chosen[last, r], values[last, r], neighbours[w], weight[w], heard)
            agree_row(x[r, w], public[r, w], mixed[r, w], consensus)
    return True


def magnitudes(x: NDArray[Any]) -> tuple[NDArray[Any], Any]:
    """The bits of numbers, and the mask that leaves their magnitude's."""
    integer = np.int32 if x.dtype == np.float32 else np.int64
    return x.view(integer), integer(np.iinfo(integer).max)


def quantised_descent(
    rows: Tensor, x: Tensor, steps: Steps, replicas: Tensor, coins: NDArray[np.int64], s: int
) -> tuple[Tensor] | None:
    """Models ``[R, d]`` after BSP with QSGD of s levels; None: something is not finite.

    rows ``[n, S, d]``, x ``[R, d]`` (left as it is), ``coins`` key words of each step's rounding.
    """
    x = x.clone()
    fixed = arguments(rows, x, steps, replicas)
    levels = coins, fixed[0].dtype.type(s), np.int32(s.bit_length())
    given: tuple[Any, ...] = (*fixed, *levels)
    return (x,) if _quantised(*given) else None


def fed_back_descent(
    rows: Tensor, x: Tensor, memory: Tensor, steps: Steps, replicas: Tensor, kept: int
) -> tuple[Tensor, Tensor] | None:
    """Models ``[R, d]`` and memories ``[R, n, d]`` after BSP with top-k and error feedback; None:
    something is not finite."""
    x, memory = x.clone(), memory.clone()
    held = memory.numpy()
    fixed = arguments(rows, x, steps, replicas)
    given: tuple[Any, ...] = (*fixed, held, *magnitudes(held), kept)
    return (x, memory) if _fed_back(*given) else None


def gossiped_descent(
    rows: Tensor, x: Tensor, public: Tensor, mixed: Tensor, steps: Steps, replicas: Tensor,
    links: tuple[Tensor, Tensor], consensus: float, kept: int,
) -> tuple[Tensor, Tensor, Tensor] | None:  # fmt: skip
    """Models, public copies and sums over neighbours ``[R, n, d]`` after CHOCO-SGD with top-k.

    None: something is not finite. ``links`` are index and weight ``[n, s]`` as in ``mixing.mix``.
    """
    x, public, mixed = x.clone(), public.clone(), mixed.clone()
    index, weight = (link.contiguous() for link in links)
    fixed = arguments(rows, x, steps, replicas)
    kind = fixed[0].dtype
    apart = np.empty((1, rows.shape[-1]), kind)
    held = public.numpy(), mixed.numpy(), index.numpy(), weight.to(x.dtype).numpy()
    given: tuple[Any, ...] = (
        *fixed, *held, kind.type(consensus), apart, *magnitudes(apart), kept
    )  # fmt: skip
    return (x, public, mixed) if _gossiped(*given) else None
