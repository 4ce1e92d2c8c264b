"""Max-min fair sharing of links: what no flow can gain without another, that has less, losing.

Bertsekas, Gallager 1992 (Data Networks, Section 6.5.2): rates of all flows rise together until a
link is full, whose flows stay as they are; and so on (progressive filling).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from theory.arrays import Floats

Routes = Sequence[Sequence[int]]
"""Links that each flow crosses, by number."""

Sharing = Callable[[Routes, Floats], Floats]
"""Rates of flows [bit/s] over links of these capacities [bit/s]."""


def max_min_rates(routes: Routes, capacities: Floats) -> Floats:
    """Rate of each flow [bit/s]; one that crosses no link has an infinite one.

    Raises:
        ValueError: a capacity that is not positive.
    """
    room = np.array(capacities, dtype=np.float64)
    if not (room > 0).all():
        raise ValueError(f"capacities must be positive, got the least {room.min()}")
    flow, link = _crossings(routes)
    rates, rising = np.full(len(routes), np.inf), np.zeros(len(routes), dtype=bool)
    rising[flow] = True
    while rising.any():
        alive = rising[flow]
        users = np.bincount(link[alive], minlength=room.size)
        share = np.divide(room, users, out=np.full(room.size, np.inf), where=users > 0)
        least = share.min()
        full = share <= least * (1 + 1e-12)
        stopped = np.unique(flow[alive & full[link]])
        rates[stopped] = least
        gone = np.isin(flow, stopped)
        room -= least * np.bincount(link[gone & alive], minlength=room.size)
        rising[stopped] = False
    return rates


def _crossings(routes: Routes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Flow and link of each crossing of a link by a flow."""
    lengths = [len(route) for route in routes]
    links = [link for route in routes for link in route]
    return np.repeat(np.arange(len(routes)), lengths), np.array(links, dtype=np.int64)


def transfer_seconds(
    routes: Routes, bits: Floats, capacities: Floats, sharing: Sharing = max_min_rates
) -> float:
    """End time of the last of several transfers that begin together [s].

    Whenever one ends, the others share its room.
    """
    left, now = np.array(bits, dtype=np.float64), 0.0
    todo = np.flatnonzero(left > 0)
    while todo.size:
        rates = sharing([routes[int(i)] for i in todo], capacities)
        ends = left[todo] / rates
        first = ends.min()
        now += float(first)
        left[todo] -= first * np.where(np.isfinite(rates), rates, 0.0)
        todo = todo[ends > first * (1 + 1e-12)]
    return now
