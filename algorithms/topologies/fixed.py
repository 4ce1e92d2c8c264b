"""A mixing matrix of the user's own."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from algorithms.topologies.base import StaticTopology, checked
from theory.arrays import Floats


@final
@dataclass(frozen=True, eq=False)
class FixedMatrix(StaticTopology):
    """Any connected doubly stochastic ``w`` ``[n, n]``, symmetric or not; kept as a copy.

    Two are equal if their entries are; ``label`` names it in reports, by default its digest.
    The caller's own matrix, from no paper.

    Raises:
        MixingError: see :func:`theory.networks.mixing.check_sequence`.
    """

    w: ArrayLike = field(repr=False)
    label: str = ""
    n: int = field(init=False)

    def __post_init__(self) -> None:
        copy = checked((np.asarray(self.w, dtype=np.float64),))[0]
        digest = hashlib.blake2b(copy.tobytes(), digest_size=4).hexdigest()
        object.__setattr__(self, "w", copy)
        object.__setattr__(self, "n", copy.shape[0])
        object.__setattr__(self, "label", self.label or digest)

    @property
    def name(self) -> str:
        return f"fixed matrix {self.label}(n={self.n})"

    def build(self) -> Floats:
        return np.asarray(self.w)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FixedMatrix) and bool(np.array_equal(self.build(), other.w))

    def __hash__(self) -> int:
        return hash(self.build().tobytes())


EXAMPLES = (FixedMatrix([[0.25, 0.75], [0.75, 0.25]], label="of two workers"),)
