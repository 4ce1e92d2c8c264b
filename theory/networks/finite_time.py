r"""Base-(k+1) graphs: any number of workers averaged exactly in a few rounds, in fractions.

Takezawa, Sato, Bao, Niwa, Yamada 2023 (arXiv:2305.11420): for every n there is a sequence of at
most :math:`2 \log_{k+1} n + 2` symmetric doubly stochastic matrices whose product is J, in which no
worker has more than k neighbours. Workers are 0, ..., n - 1; a round is its edges and weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Round = dict[tuple[int, int], Fraction]
"""Edges i < j of one round with their weights; what is missing to 1 a worker keeps."""


@lru_cache(maxsize=256)
def factors(n: int, most: int) -> tuple[int, ...] | None:
    """Fewest factors of n, each from 2 to ``most``, ascending; None where a prime is above it."""
    if n == 1:
        return ()
    found = None
    for f in range(2, most + 1):
        rest = factors(n // f, most) if n % f == 0 else None
        if rest is not None and (found is None or len(rest) + 1 < len(found)):
            found = tuple(sorted((f, *rest)))
    return found


def averaged(group: Sequence[int]) -> Round:
    """All of a group take its mean."""
    share = Fraction(1, len(group))
    return {(min(a, b), max(a, b)): share for i, a in enumerate(group) for b in group[i + 1 :]}


def hyper_hypercube(nodes: Sequence[int], k: int) -> list[Round]:
    """Rounds in which groups of f_r at stride f_1 ... f_{r-1} take their mean.

    Raises:
        ValueError: the number of nodes has a prime factor above k + 1.
    """
    split = factors(len(nodes), k + 1)
    if split is None:
        raise ValueError(
            f"the number of nodes must have no prime factor above k + 1, got {len(nodes)} nodes "
            f"and k={k}; simple_base does for any number"
        )
    rounds, stride = [], 1
    for f in split:
        edges: Round = {}
        for start in range(len(nodes)):
            if start // stride % f == 0:
                edges |= averaged([nodes[start + stride * place] for place in range(f)])
        rounds.append(edges)
        stride *= f
    return rounds


def _blocks(n: int, k: int) -> list[list[list[int]]]:
    """Blocks of sub-blocks of (k+1)^p nodes by the digits of n, the largest first."""
    power = 1
    while power * (k + 1) <= n:
        power *= k + 1
    blocks, first = [], 0
    while power:
        digit = (n - first) // power
        if digit:
            starts = [first + power * place for place in range(digit)]
            blocks.append([list(range(start, start + power)) for start in starts])
        first += digit * power
        power = power // (k + 1) if power > 1 else 0
    return blocks


def _given(blocks: list[list[list[int]]], place: int, k: int) -> Round:
    """A block gives to all later ones; those of its nodes that nobody hears average by k + 1."""
    block = blocks[place]
    later = [node for other in blocks[place + 1 :] for sub in other for node in sub]
    mine = sum(map(len, block))
    share = Fraction(mine, mine + len(later)) / len(block)
    edges: Round = {}
    free = [list(sub) for sub in block]
    for node in later:
        edges |= {(sub.pop(), node): share for sub in free}
    idle = [node for sub in free for node in sub]
    for start in range(0, len(idle), k + 1):
        edges |= averaged(idle[start : start + k + 1])
    return edges


def simple_base(nodes: Sequence[int], k: int) -> list[Round]:
    """The simple base-(k+1) graph of any number of nodes."""
    if factors(len(nodes), k + 1) is not None:
        return hyper_hypercube(nodes, k)
    blocks = _blocks(len(nodes), k)
    inside = [hyper_hypercube([node for sub in block for node in sub], k) for block in blocks]
    rounds = []
    for r in range(len(inside[0])):
        edges: Round = {}
        for own in inside:
            edges |= own[r % len(own)] if own else {}
        rounds.append(edges)
    parts = [[hyper_hypercube(sub, k) for sub in block] for block in blocks]
    last = len(blocks) - 1
    for r in range(1 + len(parts[0][0])):
        edges = _given(blocks, r, k) if r < last else {}
        for place, subs in enumerate(parts):
            since = r - 1 - min(place, last - 1)
            for sub in subs if since >= 0 else []:
                edges |= sub[since] if since < len(sub) else {}
        rounds.append(edges)
    return [{_pair(nodes, edge): w for edge, w in one.items()} for one in rounds]


def _pair(nodes: Sequence[int], edge: tuple[int, int]) -> tuple[int, int]:
    a, b = nodes[edge[0]], nodes[edge[1]]
    return min(a, b), max(a, b)


def base_graph(n: int, k: int) -> list[Round]:
    """The shorter of the simple graph, and of simple graphs of n/P nodes side by side with a
    hyper-hypercube across, P the largest divisor of n without a prime factor above k + 1.

    Raises:
        ValueError: n < 1 or k < 1.
    """
    if n < 1 or k < 1:
        raise ValueError(f"n and k must be at least 1, got n={n} and k={k}")
    simple = simple_base(range(n), k)
    across = max(p for p in range(1, n + 1) if n % p == 0 and factors(p, k + 1) is not None)
    size = n // across
    copies = [simple_base(range(size * c, size * (c + 1)), k) for c in range(across)]
    rounds: list[Round] = [
        {edge: w for one in copies for edge, w in one[r].items()} for r in range(len(copies[0]))
    ]
    shifted = [hyper_hypercube(range(place, n, size), k) for place in range(size)]
    rounds += [
        {edge: w for one in shifted for edge, w in one[r].items()} for r in range(len(shifted[0]))
    ]
    return simple if len(simple) <= len(rounds) else rounds


def round_matrix(edges: Round, n: int) -> NDArray[np.object_]:
    """W of one round ``[n, n]``, fractions."""
    w = np.full((n, n), Fraction(0), dtype=object)
    for (a, b), share in edges.items():
        w[a, b] = w[b, a] = share
    for node in range(n):
        w[node, node] = 1 - sum(w[node], Fraction(0))
    return w
