"""Budget of an audit, how often it samples, and how many draws of slow calls are made."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import final

from proofs_check.audit.runner import Runner
from proofs_check.audit.subject import Subject
from proofs_check.audit.traits import ordinary

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


# Number of draws of a subject whose calls are slow, so that an audit ends in about a minute.
#
# An audit makes some hundred thousand calls of what is random. Where a call is slow, a share of
# them is made: intervals are then wider, at the same error, and the audit says how many samples
# it had.

CALLS = 350_000
"""About the calls that an audit makes of a random subject in five dimensions."""

_TRIED, _TRYING = 3, 0.5  # calls at least, and seconds, before a subject counts as slow
_LEAST = 1 / 120


@final
@dataclass(frozen=True)
class SamplingBudget:
    """``share`` in (0, 1] of the usual draws are made; a call takes ``seconds``.

    Attributes:
        seconds: the time of a call, as it was measured.
    """

    share: float = 1.0
    seconds: float = 0.0

    def draws(self, usual: int, least: int) -> int:
        """The share of a usual number of draws, ``least`` at least."""
        return min(usual, max(least, math.ceil(self.share * usual)))

    def dims(self, usual: tuple[int, ...]) -> tuple[int, ...]:
        """All dimensions, or of a slow subject the second and the largest."""
        return usual if self.share > 1 / 8 or len(usual) < 3 else (usual[1], usual[-1])

    @property
    def description(self) -> str:
        """The pace in words, "" where all is drawn as usual."""
        if self.share == 1:
            return ""
        return (
            f"a call takes {1000 * self.seconds:.3g} ms, so a share of {self.share:.2g} is drawn; "
        )


USUAL = SamplingBudget()


def pace_of(subject: Subject, dims: tuple[int, ...], seconds: float) -> SamplingBudget:
    """The pace at which ``CALLS`` calls would end in so many ``seconds``, by the quickest one.

    It is asked at the largest dimension that the subject takes.
    Three calls and half a second are tried before one counts as slow: on a busy machine single
    calls wait for others.
    """
    bench, took = Runner(subject), math.inf
    for d in sorted(dims, reverse=True):
        if not bench.takes(ordinary(d)):
            continue
        first, seed = time.perf_counter(), 0
        while seed < _TRIED or time.perf_counter() - first < _TRYING:
            start = time.perf_counter()
            bench(ordinary(d), seed)
            took, seed = min(took, time.perf_counter() - start), seed + 1
            if took * CALLS <= seconds:
                return USUAL
        break
    if not math.isfinite(took):
        return USUAL
    return SamplingBudget(max(_LEAST, seconds / (took * CALLS)), took)
