"""Fused steps of one run by several threads: shares of replicas, or of one replica's workers.

Chosen where the run has threads and a step is long enough to be worth the handing over; the same
bits as ``fused_logistic`` and ``fused_compressed`` (``tests/algorithms/test_fused_threads.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.kernels import fused_shares
from algorithms.kernels.fused_compressed import magnitudes
from algorithms.kernels.fused_logistic import Steps, arguments
from algorithms.threads import Threads

WORTH = 3 << 19
"""Multiply-adds of a step from which a second thread pays (``python -m benchmarks.threads``): at a
million it takes as long, at two nine tenths to two thirds of the time."""
_WORTH_NUMBERS = 1 << 18
"""Numbers of an array from which a pass over it pays."""


def by_replicas(
    threads: Threads, all_steps: Callable[..., Any], rows: Tensor, parts: tuple[Tensor, ...],
    steps: Steps, replicas: Tensor, more: tuple[Any, ...],
) -> Any:  # fmt: skip
    """What ``all_steps(rows, *parts, steps, replicas, *more)`` gives, the parts being ``[R, ...]``:
    each thread's share of replicas by itself; all by this one where a share was not finite."""

    def share(first: int, end: int) -> Any:
        own = (part[first:end] for part in parts)
        return all_steps(rows, *own, steps, replicas[first:end], *more)

    found = threads.each(len(replicas), share)
    if any(one is None for one in found):
        return None
    taken = len(steps.gammas)
    if any(isinstance(told, int) and told < taken for one in found for told in one):
        return all_steps(rows, *parts, steps, replicas, *more)
    return tuple(
        taken if isinstance(of_each[0], int) else torch.cat(of_each)
        for of_each in zip(*found, strict=True)
    )


def _light(threads: Threads, numbers: int) -> Threads:
    """Who makes a pass over so many numbers: this thread alone, where they are few."""
    return threads if numbers >= _WORTH_NUMBERS else Threads(1)


def _fixed(rows: Tensor, x: Tensor, steps: Steps, replicas: Tensor) -> tuple[Any, ...]:
    """Arrays of one replica: rows, x, lam, gammas, keys, its id, batch."""
    shards, model, lam, gammas, keys, ids, batch = arguments(rows, x[0], steps, replicas)
    return shards, model, lam, gammas, keys, ids[0], batch


def averaged_descent(
    threads: Threads, rows: Tensor, x: Tensor, steps: Steps, replicas: Tensor
) -> tuple[Tensor, int]:
    """As ``fused_logistic.averaged_descent``, of one replica."""
    data, now, lam, gammas, keys, replica, batch = _fixed(rows, x.clone(), steps, replicas)
    held, ahead = np.empty((len(data), len(now)), now.dtype), np.empty_like(now)
    for t, gamma in enumerate(gammas):
        threads.each(
            len(data), fused_shares.gradients, data, now, lam, keys[t], replica, batch, held
        )
        passing = _light(threads, held.size)
        if not all(passing.each(len(now), fused_shares.descend, held, now, gamma, ahead)):
            return torch.from_numpy(now)[None], t
        now, ahead = ahead, now
    return torch.from_numpy(now)[None], len(gammas)


def descent_alone(
    threads: Threads, rows: Tensor, x: Tensor, steps: Steps, replicas: Tensor,
    meets: NDArray[np.bool_],
) -> tuple[Tensor, Tensor] | None:  # fmt: skip
    """As ``fused_logistic.descent_alone``, of one replica."""
    x, mean = x.clone(), torch.zeros_like(x[:, 0])
    data, now, lam, gammas, keys, replica, batch = _fixed(rows, x, steps, replicas)
    total, ends = mean[0].numpy(), np.flatnonzero(meets) + 1
    bounds = sorted({0, *ends.tolist(), len(gammas)})
    for start, stop in pairwise(bounds):
        drawn = gammas[start:stop], keys[start:stop]
        if not all(
            threads.each(len(data), fused_shares.alone, data, now, lam, *drawn, replica, batch)
        ):
            return None
        if meets[stop - 1]:
            _light(threads, now.size).each(now.shape[1], fused_shares.meet, now, total)
    return x, mean


def mixed_descent(
    threads: Threads, rows: Tensor, x: Tensor, steps: Steps, replicas: Tensor, index: Tensor,
    weight: Tensor,
) -> tuple[Tensor, int]:  # fmt: skip
    """As ``fused_logistic.mixed_descent``, of one replica."""
    data, now, lam, gammas, keys, replica, batch = _fixed(rows, x.clone(), steps, replicas)
    links = index.contiguous().numpy(), weight.to(x.dtype).contiguous().numpy()
    ahead = np.empty_like(now)
    for t, gamma in enumerate(gammas):
        given = data, now, lam, gamma, keys[t], replica, batch, *links, ahead
        if not all(threads.each(len(data), fused_shares.mixed, *given)):
            return torch.from_numpy(now)[None], t
        now, ahead = ahead, now
    return torch.from_numpy(now)[None], len(gammas)


def quantised_descent(
    threads: Threads, rows: Tensor, x: Tensor, steps: Steps, replicas: Tensor,
    coins: NDArray[np.int64], s: int,
) -> tuple[Tensor] | None:  # fmt: skip
    """As ``fused_compressed.quantised_descent``, of one replica."""
    x = x.clone()
    data, now, lam, gammas, keys, replica, batch = _fixed(rows, x, steps, replicas)
    codes, tops = np.empty((len(data), len(now)), np.int32), np.empty(len(data), now.dtype)
    levels = now.dtype.type(s), np.int32(s.bit_length())
    for t, gamma in enumerate(gammas):
        given = data, now, lam, keys[t], replica, batch, coins[t], *levels, codes, tops
        if not all(threads.each(len(data), fused_shares.quantise, *given)):
            return None
        _light(threads, codes.size).each(
            len(now), fused_shares.descend_levels, codes, tops, *levels, now, gamma
        )
    return (x,)


def fed_back_descent(
    threads: Threads, rows: Tensor, x: Tensor, memory: Tensor, steps: Steps, replicas: Tensor,
    kept: int,
) -> tuple[Tensor, Tensor] | None:  # fmt: skip
    """As ``fused_compressed.fed_back_descent``, of one replica."""
    x, memory = x.clone(), memory.clone()
    data, now, lam, gammas, keys, replica, batch = _fixed(rows, x, steps, replicas)
    held = memory[0].numpy()
    chosen = np.empty((len(data), kept), np.int64)
    values = np.empty((len(data), kept), now.dtype)
    for t, gamma in enumerate(gammas):
        given = (
            data, now, lam, gamma, keys[t], replica, batch, held, *magnitudes(held), chosen, values
        )  # fmt: skip
        threads.each(len(data), fused_shares.press, *given)
        if not fused_shares.descend_entries(chosen, values, now):
            return None
    return x, memory


def gossiped_descent(
    threads: Threads, rows: Tensor, x: Tensor, public: Tensor, mixed: Tensor, steps: Steps,
    replicas: Tensor, links: tuple[Tensor, Tensor], consensus: float, kept: int,
) -> tuple[Tensor, Tensor, Tensor] | None:  # fmt: skip
    """As ``fused_compressed.gossiped_descent``, of one replica."""
    x, public, mixed = x.clone(), public.clone(), mixed.clone()
    data, now, lam, gammas, keys, replica, batch = _fixed(rows, x, steps, replicas)
    known, around, kind = public[0].numpy(), mixed[0].numpy(), now.dtype
    apart, rate = np.empty_like(now), kind.type(consensus)
    chosen = np.empty((len(data), kept), np.int64)
    values = np.empty((len(data), kept), kind)
    said = apart, *magnitudes(apart), chosen, values
    lists = links[0].contiguous().numpy(), links[1].to(x.dtype).contiguous().numpy()
    for t, gamma in enumerate(gammas):
        # a step ends with the next one's beginning, while rows are in cache: of the first, with 0
        last = rate if t else kind.type(0)
        given = data, now, lam, gamma, keys[t], replica, batch, known, around, last, *said
        if not all(threads.each(len(data), fused_shares.tell, *given)):
            return None
        _light(threads, values.size * lists[0].shape[1]).each(
            len(data), fused_shares.hear, around, chosen, values, *lists
        )
    threads.each(len(data), fused_shares.agree, now, known, around, rate)
    return x, public, mixed
