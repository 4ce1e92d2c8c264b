"""Metrics of theorems, read off the moments of a block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.problems.quadratic import Quadratic
from proofs_check.moments.blocks import MomentBlock
from proofs_check.moments.recursion import BlockMoments
from proofs_check.moments.roots import RootMoments
from theory.arrays import Floats

Moments = BlockMoments | RootMoments
"""Means and second moments of a block's numbers."""


@final
@dataclass(frozen=True)
class Forms:
    """Rows that are read off a state, (y, 1) -> reads (y, 1), and what their squares weigh.

    f is sum_j curvature_j z_j^2 / 2 + slope_j z_j + its value at x*, z = x - x*.

    Attributes:
        mean: distance z_j of the mean model, a coordinate j each ``[P, r, m + 1]``.
        rows: distance of each worker's model.
        spread: each worker's model less the mean one.
        curvature: of the coordinates of ``mean`` ``[r]``.
        slope: of the same at x*.
        row_curvature: as ``curvature``, of the coordinates of ``rows``, over n.
        row_slope: as ``slope``, of those, over n.
        workers: how many model rows there are.
    """

    mean: Floats
    rows: Floats
    spread: Floats
    curvature: Floats
    slope: Floats
    row_curvature: Floats
    row_slope: Floats
    workers: int

    def gradient(self) -> Floats:
        """The gradient's coordinates as rows ``[P, r, m + 1]`` of (state, 1)."""
        read = self.mean * self.curvature[:, None]
        read[..., -1] += self.slope
        return read

    def summed(self) -> Floats:
        """The squared gradient as quadratic forms ``[P, m + 1, m + 1]`` in (state, 1)."""
        read = self.gradient()
        found: Floats = np.einsum("pri,prj->pij", read, read)
        return found


def forms(block: MomentBlock, problem: Quadratic, workers: int) -> Forms:
    """The forms of a block: which coordinates it holds is told by ``block.rows``."""
    centre = problem.x_star
    slope = problem.mean_gradient(centre)
    curvature = (problem.mean_gradient(centre + 1) - slope).numpy()
    d, star, slopes = problem.d, centre.numpy(), slope.numpy()
    is_mean = block.rows < d
    coordinates = block.rows % d
    own, theirs = coordinates[is_mean], coordinates[~is_mean]
    outputs = block.outputs.copy()
    outputs[..., -1] -= star[coordinates]
    mean, rows = outputs[:, is_mean], outputs[:, ~is_mean]
    place = {int(j): i for i, j in enumerate(own)}
    spread = rows - mean[:, [place[int(j)] for j in theirs]]
    return Forms(
        mean, rows, spread, curvature[own], slopes[own], curvature[theirs], slopes[theirs], workers
    )


def values(read: Forms, moments: Moments, place: int, steps: int) -> Floats:
    """Contribution of a block to the metrics of :class:`ExactCurve` after so many steps ``[6]``."""
    z, z2 = _read(read.mean[place], moments)
    rows, rows2 = _read(read.rows[place], moments)
    _, apart = _read(read.spread[place], moments)
    gradient = read.curvature**2 * z2 + 2 * read.curvature * read.slope * z + read.slope**2
    squared = float(gradient.sum())
    of_rows = 0.5 * read.row_curvature * rows2 + read.row_slope * rows
    average = moments.total / steps if steps else squared
    found = suboptimality(read, read.mean[place], moments), squared, average, z2.sum()
    return np.array([*found, apart.sum() / read.workers, of_rows.sum() / read.workers])


def suboptimality(read: Forms, mean: Floats, moments: Moments) -> float:
    """Part of f - f* from the block's coordinates where ``mean`` ``[r, m + 1]`` gives x - x*."""
    z, z2 = _read(mean, moments)
    return float((0.5 * read.curvature * z2 + read.slope * z).sum())


def _read(read: Floats, moments: Moments) -> tuple[Floats, Floats]:
    """Means and second moments of rows ``[r, m + 1]`` of (state, 1)."""
    mean = read[:, :-1] @ moments.mean + read[:, -1]
    return mean, mean**2 + moments.variances(read[:, :-1])
