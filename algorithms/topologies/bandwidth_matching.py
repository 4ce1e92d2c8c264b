"""Peers matched by bandwidth, with edges that keep everyone in touch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import final

import networkx as nx
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.core.key import Key
from algorithms.kernels.devices import put
from algorithms.topologies.base import need_workers
from algorithms.topologies.random_mixing import DrawnMeetings, MixingDraw, RandomMixing
from theory.arrays import Floats

CYCLE = 240
"""Steps after which a drawn sequence repeats; one that is not drawn repeats when a state does."""

Pairing = tuple[int, ...]  # each worker's peer; itself where it has none


@final
@dataclass(frozen=True)
class BandwidthMatching(RandomMixing):
    """Everyone exchanges with one peer, the pairs of greatest bandwidth in all, unless that would
    leave groups apart: then with one of another group.

    ``bandwidth`` ``[n][n]`` is symmetric, 0 where there is no link. If the edges used in the last
    ``recency`` steps join all workers, the matching of largest total bandwidth is taken; else the
    largest among edges between different components of that graph, then of what is left. The
    sequence is a function of t alone and repeats in the end; ``expected`` is its mean over that
    period, and no law of a single step: meetings here are not drawn independently.

    With ``fast`` the paper's threshold takes the place of the largest total: while the recent edges
    join all, workers are matched at random among the fastest links, that share of all. Its numbers
    are drawn once, under a key of their own, for :data:`CYCLE` steps, which then repeat.

    (Tang, Shi, Chu 2020, arXiv:2002.09692, Algorithm 3, from memory.) The authors' code differs:
    - its candidates where groups are apart are all pairs that have not met in the window, links
      below the threshold and pairs of one group among them; here bridges alone, which join groups
      as fast as can be;
    - an edge is recent for T_thres - 1 steps, and at the start all are; here for ``recency``, and
      at the start none is.
    Who is left is matched among all pairs there, among all links here.

    Attributes:
        fast: share of the links above the threshold, in (0, 1]; None: total bandwidth decides.

    Raises:
        ValueError: a matrix that is not square, symmetric, finite and non-negative, links that do
            not join all workers, recency < 1, or fast outside (0, 1].
    """

    bandwidth: tuple[tuple[float, ...], ...]
    recency: int = 5
    fast: float | None = None

    def __post_init__(self) -> None:
        need_workers(self.recency, "recency")
        if self.fast is not None and not 0 < self.fast <= 1:
            raise ValueError(f"fast must lie in (0, 1], got fast={self.fast}; None would do")
        check_bandwidth(self.bandwidth)

    @property
    def n(self) -> int:
        """Number n of workers, the nodes of the graph."""
        return len(self.bandwidth)

    @property
    def name(self) -> str:
        above = "" if self.fast is None else f", fastest {self.fast:g}"
        return f"bandwidth matching(n={self.n}, recency={self.recency}{above})"

    def peers(self, t: int) -> Pairing:
        """Each worker's peer at step t; itself where it has none."""
        return _sequence(self).pairing(t)

    def draw(self, t: int, key: Key, replicas: Tensor) -> MixingDraw:
        peers = put(torch.tensor(self.peers(t)), replicas.device)
        own = torch.arange(self.n, device=replicas.device)
        halves = torch.where(peers == own, 0.0, 0.5).to(torch.float64)
        return MixingDraw(torch.stack((own, peers), -1), torch.stack((1 - halves, halves), -1))

    def over(self, steps: range, key: Key, replicas: Tensor) -> DrawnMeetings:
        peers = np.array([self.peers(t) for t in steps])[:, None]
        own = np.broadcast_to(np.arange(self.n), peers.shape)
        halves = np.where(peers == own, 0.0, 0.5)
        both = np.stack((own, peers), -1), np.stack((1 - halves, halves), -1)
        full = (len(steps), len(replicas), self.n, 2)
        sources, weights = (np.broadcast_to(part, full).copy() for part in both)
        return DrawnMeetings(sources, weights, np.full(len(steps), 2))

    def expected(self) -> Floats:
        matrices = [pair_matrix(pairing) for pairing in _sequence(self).repeated()]
        mean: Floats = np.mean(matrices, axis=0)
        return mean

    def expected_square(self) -> Floats:
        return self.expected()  # W^T W = W: averages of pairs are projections


@final
class _Sequence:
    """Pairings of steps 0, 1, ..., found when they are first asked for; those from ``start`` on
    repeat once all are found."""

    def __init__(self, matching: BandwidthMatching) -> None:
        n = matching.n
        self._fast, self._recency = matching.fast, matching.recency
        self._links = np.array(matching.bandwidth)
        np.fill_diagonal(self._links, 0.0)
        self._age = np.full((n, n), matching.recency)  # steps since an edge was used, at most that
        self._seen: dict[bytes, int] = {}
        self._pairings: list[Pairing] = []

    @property
    def _whole(self) -> bool:
        return self._age.tobytes() in self._seen or len(self._pairings) >= CYCLE

    def repeated(self) -> list[Pairing]:
        """Those that repeat."""
        while not self._whole:
            self._extend()
        return self._pairings[self._seen.get(self._age.tobytes(), 0) :]

    def pairing(self, t: int) -> Pairing:
        while t >= len(self._pairings) and not self._whole:
            self._extend()
        if t < len(self._pairings):
            return self._pairings[t]
        again = self.repeated()
        return again[(t - len(self._pairings)) % len(again)]

    def _extend(self) -> None:
        t, age, recency = len(self._pairings), self._age, self._recency
        if self._fast is None:
            self._seen[age.tobytes()] = t
        peers = _pairing(self._links, age < recency, _drawn(self._links, self._fast, t))
        self._pairings.append(peers)
        age = np.minimum(age + 1, recency)
        age[np.arange(len(age)), list(peers)] = 0
        np.fill_diagonal(age, recency)
        self._age = age


def pair_matrix(pairing: Pairing) -> Floats:
    """W ``[n, n]``: every pair takes its mean."""
    eye: Floats = np.eye(len(pairing))
    return (eye + eye[list(pairing)]) / 2


@lru_cache(maxsize=64)
def _sequence(matching: BandwidthMatching) -> _Sequence:
    return _Sequence(matching)


def _drawn(links: Floats, fast: float | None, t: int) -> Floats | None:
    """Weights from which step t's random matching among the fastest links follows."""
    if fast is None or not links.any():
        return None
    n = len(links)
    least = np.quantile(links[links > 0], 1 - fast)
    draws = Key.seed(0).fold("fast links", t).draws(torch.tensor(0), torch.arange(n))
    upper = np.triu(1 - draws.uniform(n, torch.float64).numpy(), 1)
    return np.where(links >= least, upper + upper.T, 0.0)


def _pairing(links: Floats, recent: NDArray[np.bool_], drawn: Floats | None = None) -> Pairing:
    """Peers for one step, given which edges are ``recent``; ``drawn`` weighs those that may be
    taken where all are in touch, in the place of their bandwidth."""
    groups = np.empty(len(links), dtype=np.int64)
    for number, group in enumerate(nx.connected_components(nx.from_numpy_array(recent))):
        groups[list(group)] = number
    bridges = links * (groups[:, None] != groups[None, :])
    peers = np.arange(len(links))
    together = links if drawn is None else drawn
    for candidates in (bridges if bridges.any() else together, links):
        alone = peers == np.arange(len(links))
        free = candidates * np.outer(alone, alone)
        for i, j in nx.max_weight_matching(nx.from_numpy_array(free), maxcardinality=True):
            peers[i], peers[j] = j, i
    return tuple(peers.tolist())


def check_bandwidth(bandwidth: tuple[tuple[float, ...], ...]) -> None:
    """Refuse what is not a connected symmetric matrix of bandwidths.

    Raises:
        ValueError: see :class:`BandwidthMatching`.
    """
    n = len(bandwidth)
    if n == 0 or any(len(row) != n for row in bandwidth):
        raise ValueError(
            f"bandwidth must be square [n][n] with n >= 1, got {n} rows of lengths "
            f"{sorted({len(row) for row in bandwidth})}"
        )
    b = np.array(bandwidth, dtype=np.float64)
    bad = ~np.isfinite(b) | (b < 0) | (b != b.T)
    if bad.any():
        i, j = (int(v) for v in np.argwhere(bad)[0])
        raise ValueError(
            f"bandwidth must be finite, non-negative and symmetric, got bandwidth[{i}][{j}]="
            f"{b[i, j]} and bandwidth[{j}][{i}]={b[j, i]}"
        )
    np.fill_diagonal(b, 0.0)
    parts = [sorted(part) for part in nx.connected_components(nx.from_numpy_array(b))]
    if len(parts) > 1:
        raise ValueError(
            f"bandwidth must link all workers, got no link from workers {parts[0][:8]} to the "
            "others; a positive bandwidth to one of each group would do"
        )


def drawn_bandwidth(
    n: int, seed: int, low: float = 1.0, high: float = 5.0
) -> tuple[tuple[float, ...], ...]:
    """Bandwidths uniform in [low, high), of a complete graph, in the unit of ``low``."""
    u = Key.seed(seed).fold("bandwidth").draws(torch.tensor(0), torch.arange(n))
    upper = np.triu(low + (high - low) * u.uniform(n, torch.float64).numpy(), 1)
    return tuple(tuple(float(v) for v in row) for row in upper + upper.T)
