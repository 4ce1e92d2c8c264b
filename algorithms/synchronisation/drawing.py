"""Drawing a schedule by a compiled loop, where its barrier publishes a function."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.kernels.barrier_ticks import ARRIVALS, DRAWING, FETCHES, NUMBERS, STARTS
from algorithms.kernels.row_parts import RowPart, ready
from algorithms.synchronisation.worker_states import Mask, WorkerStates
from theory.arrays import Floats


class DrawnSchedule(NamedTuple):
    """Events of T ticks; ids as in a schedule.

    Attributes:
        arrivals: whose gradients a tick uses.
        versions: of which model each of these is.
        fetches: who fetches the model after the tick.
        starts: who begins a gradient then.
        seconds: when the tick was [s].
        dropped: whose gradients are thrown away.
        lost: replicas ``[R]`` that wait for ever at tick T; None: there is none.
    """

    arrivals: NDArray[np.int64]
    versions: NDArray[np.int64]
    fetches: NDArray[np.int64]
    starts: NDArray[np.int64]
    seconds: Floats
    dropped: NDArray[np.int64]
    lost: Mask | None


def drawn(part: RowPart, now: WorkerStates, durations: Any, ticks: int) -> DrawnSchedule:
    """``ticks`` ticks from ``now`` on, which is moved along; ``durations`` has a ``table`` of
    seconds ``[R, n, K]`` by the number of a gradient, which can :meth:`grow`."""
    lead, n = now.finish.shape
    ids = {kind: np.full((ticks, lead, 1), n) for kind in (ARRIVALS, FETCHES, STARTS)}
    versions = np.empty((ticks, lead, 1), np.int64)
    seconds, dropped = np.empty((ticks, lead)), np.zeros((lead, n), np.int64)
    moments, wanted = np.zeros(lead), np.zeros(4, np.int64)
    decide, loop = ready(part.function, "tick", torch.float64), DRAWING.for_dtype(torch.float64)
    while True:
        now.updates = loop(
            decide, part.numbers, durations.table, now.now, now.finish, now.idle, now.clock,
            now.begun, now.version, now.cached, now.stamp, now.since, now.waited, dropped, moments,
            ids[ARRIVALS], versions, ids[FETCHES], ids[STARTS], seconds, now.updates, wanted,
        )  # fmt: skip
        lost = ~np.isfinite(moments)
        if now.updates == ticks or lost.any():
            break
        ids = {kind: _wider(table, wanted[kind], n) for kind, table in ids.items()}
        versions = _wider(versions, wanted[ARRIVALS], np.arange(ticks)[:, None, None])
        while durations.table.shape[-1] < wanted[NUMBERS]:
            durations.grow()
    here = slice(0, now.updates)
    return DrawnSchedule(
        ids[ARRIVALS][here], versions[here], ids[FETCHES][here], ids[STARTS][here], seconds[here],
        dropped, lost if now.updates < ticks else None,
    )  # fmt: skip


def _wider(ids: NDArray[np.int64], width: int, filling: Any) -> NDArray[np.int64]:
    """Ids ``[T, R, k]`` filled up to a width."""
    more = max(0, int(width) - ids.shape[-1])
    if not more:
        return ids
    rest = np.broadcast_to(filling, (*ids.shape[:-1], more))
    return np.concatenate((ids, rest), axis=-1)
