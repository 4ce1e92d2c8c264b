"""Variants of an effect: other seeds, stepsizes, numbers of workers, dimensions."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, final

LONGER = 1.5
"""How much longer a variant may run towards a target, so that it is missed by the method and not by
the end of the run."""


MORE = 4
"""Times as many replicas measure a variant again under which an effect did not hold, so that it is
lost by the method and not by their number."""


class Fixed(StrEnum):
    """Reason why an effect has no variant in a size."""

    DATA = "the data set has one size"
    NAMED = "the catalogue's problem has one dimension"
    LAYERS = "the layers have their sizes"
    GRAPH = "the graph needs this number of workers"
    ALONE = "the effect is of one worker"
    INSTANCE = "the instance is made for this size"
    CODE = "the code or the transform needs this length"
    STEPLESS = "no side has a stepsize"
    DRAWN_ONCE = "what is measured has no workers of a number"


class NoSuchVariant(ValueError):
    """An effect has no such variant; ``reason`` says why."""

    def __init__(self, reason: Fixed) -> None:
        super().__init__(f"no such variant: {reason}; leave it out")
        self.reason = reason


@final
class Variant(NamedTuple):
    """Change of an effect's setting.

    Attributes:
        name: the change in words.
        seed: of the measured runs instead; None: the setting's own.
        step: factor of all stepsizes, grids included.
        n: factor of the number of workers.
        d: factor of the dimension.
        replicas: times as many are measured, where anything is drawn.
    """

    name: str
    seed: int | None = None
    step: float = 1.0
    n: float = 1.0
    d: float = 1.0
    replicas: int = 1


def variants(seed: int) -> tuple[Variant, ...]:
    """Those that an effect is to survive; ``seed`` measures the first, and tunes apart from it."""
    return (
        Variant(f"seed {seed}", seed=seed),
        Variant("stepsizes x 1.3", seed=seed, step=1.3),
        Variant("stepsizes x 0.7", seed=seed, step=0.7),
        Variant("n x 1.5", seed=seed, n=1.5),
        Variant("n x 0.67", seed=seed, n=2 / 3),
        Variant("d x 1.25", seed=seed, d=1.25),
    )
