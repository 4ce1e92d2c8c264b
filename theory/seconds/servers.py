"""Closed forms of a sum by parameter servers, in messages and vectors (survey 001).

Units and words are those of :mod:`theory.seconds.collectives`: one message at a time at each end of
a link, so that the busiest server sets the pace.
"""

from __future__ import annotations

from fractions import Fraction

from theory.seconds.collectives import CollectiveCost
from theory.seconds.costs import AlphaBeta


def sharded_server_cost(n: int, servers: int = 1) -> CollectiveCost:
    """2 max(n, S) messages, 2 max(1, n/S) vectors: 2nD/S at each of S servers, 2D at a worker.

    Raises:
        ValueError: n or servers below 1.
    """
    if n < 1 or servers < 1:
        raise ValueError(f"n and servers must be at least 1, got n={n}, servers={servers}")
    share = max(Fraction(1), Fraction(n, servers))
    return CollectiveCost(2 * max(n, servers), 2 * share, share)


def tree_levels(n: int, fan_out: int) -> tuple[int, ...]:
    """Servers on each level of a tree above n workers, up to its root.

    Raises:
        ValueError: n < 1, or fan_out < 2.
    """
    if n < 1 or fan_out < 2:
        raise ValueError(
            f"n must be at least 1 and fan_out at least 2, got n={n}, fan_out={fan_out}"
        )
    levels = [-(-n // fan_out)]
    while levels[-1] > 1:
        levels.append(-(-levels[-1] // fan_out))
    return tuple(levels)


def server_tree_cost(n: int, fan_out: int) -> CollectiveCost:
    """Each server hears its children one after another: 2 b log_b n whole vectors for n = b^k.

    In general, on each level as many as its fullest server has children.

    Raises:
        ValueError: n < 1, or fan_out < 2.
    """
    levels = tree_levels(n, fan_out)
    served = sum(min(fan_out, below) for below in (n, *levels[:-1]))
    return CollectiveCost(2 * served, Fraction(2 * served), Fraction(served))


def burst_seconds(link: AlphaBeta, n: int, bits: float, servers: int = 1) -> float:
    """All n workers push at once, and pull at once: 2 alpha + 2 max(1, n/S) beta m [s].

    Messages share the servers' links, so that they wait for bits but not for start-ups.

    Raises:
        ValueError: n or servers below 1, or negative bits.
    """
    share = sharded_server_cost(n, servers).sent
    return link.seconds(float(share) * bits, 2)


def threaded_beta(path: float, thread: float) -> float:
    """Seconds a bit of push and pull where one thread at each end copies what goes in and out.

    Over sockets every bit is copied between user and kernel by a processor: a worker's thread
    copies m bits out and m in, a server's m in and m out (as many servers as workers), so that
    neither is done before 2 ``thread`` m; over RDMA nothing is copied.

    Args:
        path: seconds a bit of push and pull on links and buses alone.
        thread: seconds in which the thread copies a bit, one way.

    Raises:
        ValueError: a negative time.
    """
    if not (path >= 0 and thread >= 0):
        raise ValueError(f"path and thread must be at least 0, got path={path}, thread={thread}")
    return max(path, 2 * thread)
