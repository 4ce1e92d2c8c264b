"""A block with the weighted sum of its mean models beside its numbers."""

from __future__ import annotations

import numpy as np

from proofs_check.moments.blocks import MomentBlock
from proofs_check.moments.metrics import Forms
from proofs_check.moments.recursion import StepClock
from theory.arrays import Floats


def with_sums(block: MomentBlock, read: Forms) -> tuple[MomentBlock, Floats]:
    """``block`` with a sum for each coordinate of ``read.mean``, which takes in the distances to
    x* times what a clock of :func:`with_weights` says last; and ``read.mean`` of its state."""
    m, r = block.size, len(read.curvature)

    def wider(part: Floats, matrix: bool) -> Floats:
        """With one more coefficient and r more numbers that nothing reaches."""
        sizes = [(0, 0)] * part.ndim
        sizes[1], sizes[-1] = (0, 1), (0, r)
        if matrix:
            sizes[-2] = (0, r)
        return np.pad(part, sizes)

    a, b = wider(block.a, True), wider(block.b, False)
    a[:, 0, m:, m:] = np.eye(r)
    a[:, -1, m:, :m], b[:, -1, m:] = read.mean[..., :-1], read.mean[..., -1]
    noise = np.pad(block.noise, [(0, 0), (0, 1), (0, r), (0, 0)])
    off_noise = np.pad(block.off_noise, [(0, 0), (0, 1), (0, 0), (0, r), (0, 0)])
    off_a, off_b = wider(block.off_a, True), wider(block.off_b, False)
    start = np.append(block.start, np.zeros(r))
    sums = np.pad(np.eye(r), [(0, 0), (m, 1)])
    wide = MomentBlock(
        a, b, noise, block.weights, off_a, off_b, off_noise, block.outputs, block.rows, start
    )
    return wide, sums


def with_weights(clock: StepClock, weights: Floats) -> StepClock:
    """``clock`` with each step's weight ``[T]`` beside its powers."""
    return StepClock(clock.places, np.column_stack((clock.powers, weights)))
