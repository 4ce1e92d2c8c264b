"""Closed forms of all-reduce on blocks, groups, grids and trees, in messages and vectors.

Units and words are those of :mod:`theory.seconds.collectives`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import prod

from theory.seconds.collectives import CollectiveCost, ring_cost


def powers_of(n: int) -> tuple[int, ...]:
    """The powers of two that add up to n, the largest first.

    Raises:
        ValueError: n < 1.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1 worker, got n={n}")
    return tuple(1 << k for k in reversed(range(n.bit_length())) if n >> k & 1)


def binary_blocks_cost(n: int) -> CollectiveCost:
    r"""2 log2 B_1 + 2 \sum_i B_i/B_{i+1} messages for n = B_1 + B_2 + ..., powers of two.

    Rabenseifner, Traff 2004, phases one after another: each way (B_1 - 1)/B_1 within the largest
    block, and 1/B_{i+1} from every block to the next larger one.

    Raises:
        ValueError: n < 1.
    """
    blocks = powers_of(n)
    pairs = list(pairwise(blocks))
    steps = blocks[0].bit_length() - 1 + sum(large // small for large, small in pairs)
    share = 1 - Fraction(1, blocks[0]) + sum(Fraction(1, small) for _, small in pairs)
    return CollectiveCost(2 * steps, 2 * share, share)


def hierarchical_cost(n: int, group: int) -> CollectiveCost:
    """4(k-1) + 2(n/k - 1) messages in groups of k (Jia et al. 2018, arXiv:1807.11205).

    A ring of k and one of n/k, then a scatter and a gather of k - 1 messages of 1/k.

    Raises:
        ValueError: group does not divide n.
    """
    if n < 1 or group < 1 or n % group:
        raise ValueError(f"group must divide n, got n={n}, group={group}")
    inner, outer = ring_cost(group), ring_cost(n // group)
    return CollectiveCost(
        2 * inner.steps + outer.steps, 2 * inner.sent + outer.sent, inner.added + outer.added
    )


def blueconnect_cost(factors: Sequence[int]) -> CollectiveCost:
    """2 sum(p_i - 1) messages and 2(n-1)/n vectors for n = p_1 p_2 ... (Cho et al. 2019, MLSys).

    Raises:
        ValueError: a factor below 1.
    """
    return CollectiveCost(
        sum(ring_cost(p).steps for p in factors),
        ring_cost(prod(factors)).sent,
        ring_cost(prod(factors)).added,
    )


def torus_cost(rows: int, cols: int) -> CollectiveCost:
    """2(X-1) + 2(Y-1) messages on a torus of X x Y (Mikami et al. 2018, arXiv:1811.05233).

    2(X-1)/X vectors along rows of X, 2(Y-1)/(XY) along columns: 2(n-1)/n in all.

    Raises:
        ValueError: rows or cols below 1.
    """
    return blueconnect_cost((cols, rows))


def mesh_cost(rows: int, cols: int) -> CollectiveCost:
    """Two halves at once, in both dimensions (Ying et al. 2018, arXiv:1811.06992).

    Twice as many messages as on a torus, of half the size; but 2 |X - Y| times both halves go the
    same way, as one message.

    Raises:
        ValueError: rows or cols below 1.
    """
    one = torus_cost(rows, cols)
    return CollectiveCost(2 * one.steps - 2 * abs(rows - cols), one.sent, one.added)


def mesh_port_cost(side: int) -> CollectiveCost:
    """4(X-1) messages and (n-1)/n vectors on a square mesh with links of its own in each dimension.

    Half of what a ring sends takes the time: twice its throughput (Ying et al. 2018).

    Raises:
        ValueError: side below 1.
    """
    one = torus_cost(side, side)
    return CollectiveCost(one.steps, one.sent / 2, one.added / 2)


def bcube_cost(ports: Sequence[int]) -> CollectiveCost:
    """2 k sum_i (b_i - 1) messages and 2(n-1)/n vectors through one port, n = b_1 b_2 ... b_k.

    On a BCube of b ports everywhere 2 k^2 (b - 1) messages (Wang et al. 2018, NeurIPS, BML); levels
    of unequal switches make a generalised hypercube (Bhuyan, Agrawal 1984, IEEE Transactions on
    Computers 33).

    Raises:
        ValueError: no level, or ports below 1.
    """
    if not ports or min(ports) < 1:
        raise ValueError(f"ports must be at least 1 a level, got ports={tuple(ports)}")
    ring = ring_cost(prod(ports))
    return CollectiveCost(2 * len(ports) * sum(b - 1 for b in ports), ring.sent, ring.added)


def bcube_port_cost(base: int, levels: int) -> CollectiveCost:
    """2 k (b - 1) messages and 2(n-1)/(nk) vectors through k ports at once: 1/k of a ring's bits.

    Raises:
        ValueError: base or levels below 1.
    """
    if base < 1 or levels < 1:
        raise ValueError(f"base and levels must be at least 1, got base={base}, levels={levels}")
    one = bcube_cost((base,) * levels)
    return CollectiveCost(one.steps // levels, one.sent / levels, one.added / levels)


def packed_trees_cost(trees: int, depth: int, blocks: int) -> CollectiveCost:
    """2(depth + B - 1) messages of 1/(trees B) on links of their own: 2/trees vectors as B grows.

    Wang et al. 2020 (MLSys, Blink): as many trees without a common link as the least cut has links
    (Edmonds 1973), so that no broadcast from the root is faster.

    Raises:
        ValueError: trees or blocks below 1, or a negative depth.
    """
    if trees < 1 or blocks < 1 or depth < 0:
        raise ValueError(
            f"trees and blocks must be at least 1 and depth at least 0, got trees={trees}, "
            f"blocks={blocks}, depth={depth}"
        )
    way = depth + blocks - 1 if depth else 0
    share = Fraction(way, trees * blocks)
    return CollectiveCost(2 * way, 2 * share, share)


def double_tree_cost(n: int, blocks: int) -> CollectiveCost:
    """2(2 floor(log2 n) + 2B - 2) messages of 1/(2B), B blocks in each of two trees.

    Sanders, Speck, Traff 2009 (Parallel Computing 35), reduce and broadcast one after the other: as
    B grows 2 vectors, as on a ring. For n = 4^k both roots have one child, and edges of one colour
    to it: a message less each way. Two workers exchange B blocks each way.

    Raises:
        ValueError: n or blocks below 1.
    """
    if n < 1 or blocks < 1:
        raise ValueError(f"n and blocks must be at least 1, got n={n}, blocks={blocks}")
    height = n.bit_length() - 1
    one_child = n & (n - 1) == 0 and height % 2 == 0
    way = {1: 0, 2: blocks}.get(n, 2 * height + 2 * (blocks - 1) - one_child)
    return CollectiveCost(2 * way, Fraction(2 * way, 2 * blocks), Fraction(way, 2 * blocks))
