"""A block in other coordinates, where the same numbers are rounded in another way.

Moments of many steps are products of many roundings, and a bound on them by norms is far too large
where powers of a map grow before they fall. So the recursion is run again in orthonormal
coordinates that were drawn, in which nothing but the rounding is another: the difference is a
sample of it (Parker 1997, Monte Carlo arithmetic, technical report CSD-970002, UCLA; Higham 2002,
section 2.8).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proofs_check.moments.blocks import MomentBlock
from theory.arrays import Floats


def turned(block: MomentBlock) -> MomentBlock:
    """The block's state y as Q y, with Q orthogonal and the same at every call."""
    q = rotation(block.size)
    read = block.outputs.copy()
    read[..., :-1] = read[..., :-1] @ q.T
    return replace(
        block,
        a=q @ block.a @ q.T,
        b=block.b @ q.T,
        noise=q @ block.noise,
        off_a=q @ block.off_a @ q.T,
        off_b=block.off_b @ q.T,
        off_noise=q @ block.off_noise,
        outputs=read,
        start=q @ block.start,
    )


def rotation(size: int) -> Floats:
    """An orthogonal matrix ``[size, size]``, drawn once for each size."""
    q, r = np.linalg.qr(np.random.default_rng(size).normal(size=(size, size)))
    found: Floats = q * np.sign(np.diag(r))
    return found
