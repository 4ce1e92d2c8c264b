"""Budget of an audit, and how often it samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from proofs_check.audit.pace import SamplingBudget

DIMS = (1, 4, 16, 100)
SAMPLES = 2500
SEARCH = 20_000
SECONDS = 60.0
_FEW = 24


@final
@dataclass(frozen=True)
class Plan:
    """Audit budget: dimensions beside :data:`DIMS`, samples a vector, calls of each search.

    Attributes:
        d: the largest dimension beside :data:`DIMS`.
        seed: seed of the samples and the search.
        seconds: that an audit aims to end in, with fewer draws where calls are slow.

    Raises:
        ValueError: d < 1, samples < 100 or search < 1.
    """

    d: int = 1000
    seed: int = 0
    samples: int = SAMPLES
    search: int = SEARCH
    seconds: float = SECONDS

    def __post_init__(self) -> None:
        for name, least in (("d", 1), ("samples", 100), ("search", 1)):
            if getattr(self, name) < least:
                raise ValueError(
                    f"{name} must be at least {least}, got {name}={getattr(self, name)}"
                )

    def samples_at(self, pace: SamplingBudget) -> int:
        """Samples a vector of a subject of this pace."""
        return pace.draws(self.samples, min(self.samples, _FEW))

    @property
    def dims(self) -> tuple[int, ...]:
        """Dimensions, smallest first."""
        return tuple(sorted({*DIMS, self.d}))
