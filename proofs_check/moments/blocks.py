"""Coordinates that never meet, apart: the blocks of a course, each with small matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from proofs_check.moments.course import MapSequence
from proofs_check.moments.maps import Affine, StepMap
from theory.arrays import Floats

_NOTHING = 1e-14


@final
@dataclass(frozen=True)
class MomentBlock:
    """Numbers of the state that move together; P maps with Q coefficients each, N noise numbers, J
    outcomes of independent choices.

    Attributes:
        a: mean maps ``[P, Q, m, m]``.
        b: what they add ``[P, Q, m]``.
        noise: what normal numbers add ``[P, Q, m, N]``.
        weights: probabilities of outcomes ``[P, J]``.
        off_a: deviations of outcomes from the mean ``[P, Q, J, m, m]``.
        off_b: the same of what is added ``[P, Q, J, m]``.
        off_noise: the same of the noise ``[P, Q, J, m, N]``.
        outputs: rows of what is read off a state before a step ``[P, r, m + 1]``, constants last.
        rows: which rows of the outputs of a course these are ``[r]``.
        start: the state at the start ``[m]``.
    """

    a: Floats
    b: Floats
    noise: Floats
    weights: Floats
    off_a: Floats
    off_b: Floats
    off_noise: Floats
    outputs: Floats
    rows: NDArray[np.int64]
    start: Floats

    @property
    def size(self) -> int:
        """Number m of values that move together."""
        return len(self.start)


def blocks(course: MapSequence) -> tuple[MomentBlock, ...]:
    """The blocks of a course."""
    labels, reads = _labels(course)
    return tuple(
        _block(course, np.flatnonzero(labels == label), np.flatnonzero(reads == label))
        for label in np.unique(labels)
        if (reads == label).any()
    )


def _labels(course: MapSequence) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The block of each number ``[D]``, and of each output, -1 of constants."""
    size = course.size
    together = np.zeros((size, size), bool)
    reads = np.zeros((len(course.maps[0][0].outputs), size), bool)
    for maps in course.maps:
        for one in maps:
            parts = [one.mean.a, *(a for c in one.chances for a in c.off.a)]
            for part in parts:
                together |= _any(part)
            reads |= _any(one.outputs[:, :-1])
    together |= reads.T.astype(int) @ reads.astype(int) > 0
    _, labels = connected_components(coo_array(together), directed=False)
    first = reads.argmax(1)
    return labels.astype(np.int64), np.where(reads.any(1), labels[first], labels[0])


def _any(part: Floats) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.abs(part) > _NOTHING * (1 + np.abs(part).max(initial=0))
    return found


def _block(course: MapSequence, own: NDArray[np.int64], rows: NDArray[np.int64]) -> MomentBlock:
    maps = course.maps
    local = [
        [_local(one, own, columns, kept) for one in each]
        for each, columns, kept in zip(maps, _noise(maps, own), _kept(maps, own), strict=True)
    ]
    fields = [_stacked([[step[i] for step in each] for each in local]) for i in range(7)]
    fields[3] = fields[3][:, 0]  # probabilities do not hang on the stepsize
    read = np.stack([each[0].outputs[np.ix_(rows, np.append(own, course.size))] for each in maps])
    a, b, noise, weights, off_a, off_b, off_noise = fields
    start = course.start[own]
    return MomentBlock(a, b, noise, weights, off_a, off_b, off_noise, read, rows, start)


def _local(
    one: StepMap, own: NDArray[np.int64], columns: NDArray[np.int64], kept: Sequence[int]
) -> tuple[Floats, ...]:
    """The numbers of one map that are the block's, in the order of its fields."""
    a, b, n = one.mean
    chances = [one.chances[c] for c in kept]
    weights = np.concatenate([np.zeros(0), *(c.weights for c in chances)])
    none = Affine(*(np.zeros((0, *part.shape)) for part in one.mean))
    off = [np.concatenate(parts) for parts in zip(none, *(c.off for c in chances), strict=True)]
    return (
        a[np.ix_(own, own)], b[own], n[np.ix_(own, columns)], weights,
        off[0][:, own][:, :, own], off[1][:, own], off[2][:, own][:, :, columns],
    )  # fmt: skip


def _stacked(parts: Sequence[Sequence[Floats]]) -> Floats:
    """Arrays as one ``[P, Q, ...]``, with zeros where some are smaller."""
    every = [part for each in parts for part in each]
    shape = [max(sizes) for sizes in zip(*(part.shape for part in every), strict=True)]
    whole = np.zeros((len(parts), max(map(len, parts)), *shape))
    for p, each in enumerate(parts):
        for q, part in enumerate(each):
            whole[p, q][tuple(slice(size) for size in part.shape)] = part
    return whole


def _noise(maps: Sequence[Sequence[StepMap]], own: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Normal numbers that reach the block, map by map."""
    found = []
    for each in maps:
        reach = np.zeros(each[0].mean.noise.shape[1], bool)
        for one in each:
            for part in (one.mean.noise, *(n for c in one.chances for n in c.off.noise)):
                reach |= _any(part[own]).any(0)
        found.append(np.flatnonzero(reach))
    return found


def _kept(maps: Sequence[Sequence[StepMap]], own: NDArray[np.int64]) -> list[list[int]]:
    """Choices that change anything in the block, map by map."""
    return [
        [
            c
            for c in range(len(each[0].chances))
            if any(_any(part[:, own]).any() for one in each for part in one.chances[c].off)
        ]
        for each in maps
    ]
