"""Partitions: how N samples are dealt to n workers, S = N // n each.

The N - n S samples that do not fill a shard are dropped, chosen uniformly at random. No sample is
given twice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np
import scipy
import torch
from numpy.typing import NDArray

from algorithms.core.key import Key
from algorithms.problems.base import require_int, require_number
from theory.arrays import Floats

Index = NDArray[np.int64]


class Partition(ABC):
    """A rule that deals samples to workers; members are frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @abstractmethod
    def split(self, labels: NDArray[np.integer], n: int, key: Key) -> Index:
        """Sample numbers ``[n, S]`` for labels ``[N]``, a pure function of the arguments.

        Raises:
            ValueError: n < 1, n > N, or labels that are not a vector.
        """


@final
@dataclass(frozen=True)
class Iid(Partition):
    """Shards of a uniformly random permutation."""

    @property
    def name(self) -> str:
        return "iid"

    def split(self, labels: NDArray[np.integer], n: int, key: Key) -> Index:
        return _kept(labels, n, key).reshape(n, -1)


@final
@dataclass(frozen=True)
class SortedByLabel(Partition):
    """Samples sorted by label, then cut: most workers see one label (the hardest split)."""

    @property
    def name(self) -> str:
        return "sorted"

    def split(self, labels: NDArray[np.integer], n: int, key: Key) -> Index:
        kept = _kept(labels, n, key)
        return kept[np.argsort(labels[kept], kind="stable")].reshape(n, -1)


@final
@dataclass(frozen=True)
class Dirichlet(Partition):
    """Worker i's label proportions are p_i ~ Dirichlet(alpha, ..., alpha).

    Hsu, Qi, Brown 2019, arXiv:1909.06335, section 2: small alpha gives near one-label workers,
    alpha -> infinity equal proportions. Workers are served in order; when a label runs out, p_i is
    renormalised over those left, so the last workers get what remains.

    Raises:
        ValueError: alpha is not positive and finite.
    """

    alpha: float

    def __post_init__(self) -> None:
        require_number("alpha", self.alpha, strict=True)

    @property
    def name(self) -> str:
        return f"dirichlet({self.alpha:g})"

    def split(self, labels: NDArray[np.integer], n: int, key: Key) -> Index:
        kept = _kept(labels, n, key)
        classes, members = np.unique(labels[kept], return_inverse=True)
        pools = [kept[members == c] for c in range(len(classes))]
        left = np.array([len(pool) for pool in pools])
        shards = np.empty((n, len(kept) // n), dtype=np.int64)
        for i, logits in enumerate(self._logits(n, len(classes), key)):
            take = _fill(logits, left, shards.shape[1])
            ends = np.array([len(pool) for pool in pools]) - left
            shards[i] = np.concatenate(
                [pool[e : e + t] for pool, e, t in zip(pools, ends, take, strict=True)]
            )
            left = left - take
        return shards

    def _logits(self, n: int, classes: int, key: Key) -> Floats:
        """Logarithms of Gamma(alpha) variates ``[n, classes]``; their softmax is Dirichlet.

        Gamma(alpha) = Gamma(alpha + 1) U^(1/alpha) in law, which does not underflow in logarithms.
        """
        u = 1.0 - _uniforms(key.fold("proportions"), n, 2 * classes)
        shape = scipy.special.gammaincinv(self.alpha + 1.0, u[:, :classes])
        return np.asarray(np.log(shape) + np.log(u[:, classes:]) / self.alpha)


def partition_called(rule: str) -> Partition:
    """The rule called ``iid``, ``sorted``, or ``dirichlet=ALPHA``: near 0 the workers differ most.

    Raises:
        ValueError: another word, or an alpha that is not positive and finite.
    """
    word, equals, value = rule.partition("=")
    if word == "dirichlet" and equals:
        try:
            return Dirichlet(float(value))
        except ValueError as error:
            raise ValueError(
                f"dirichlet={value} must have a positive and finite number, as in dirichlet=0.3"
            ) from error
    if rule not in ("iid", "sorted"):
        raise ValueError(
            f"unknown rule {rule!r} after @; iid, sorted and dirichlet=ALPHA are known"
        )
    return Iid() if rule == "iid" else SortedByLabel()


def _uniforms(key: Key, n: int, count: int) -> Floats:
    draws = key.draws(torch.tensor(0), torch.arange(n))
    return np.asarray(draws.uniform(count, torch.float64).numpy())


def _kept(labels: NDArray[np.integer], n: int, key: Key) -> Index:
    """n S sample numbers in random order."""
    if labels.ndim != 1:
        raise ValueError(f"labels must be a vector [N], got labels of shape {labels.shape}")
    require_int("n", n, 1)
    total = len(labels)
    if n > total:
        raise ValueError(f"n must be at most the number of samples, got n={n} with N={total}")
    order = np.argsort(_uniforms(key.fold("permutation"), 1, total)[0], kind="stable")
    return order[: n * (total // n)].astype(np.int64)


def _fill(logits: Floats, left: Index, size: int) -> Index:
    """Numbers of each label in a shard of ``size``: S p rounded, within what is left."""
    take = np.zeros_like(left)
    while (wanted := size - int(take.sum())) > 0:
        free = left > take
        weights = np.exp(np.where(free, logits, -np.inf) - logits[free].max())
        share = wanted * weights / weights.sum()
        extra = np.floor(share).astype(np.int64)
        by_remainder = np.argsort(-(share - extra), kind="stable")
        extra[by_remainder[: wanted - int(extra.sum())]] += 1
        take = np.minimum(take + np.where(free, extra, 0), left)
    return take
