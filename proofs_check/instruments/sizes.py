"""Effects that are measured over several sizes, such as the error of a mean over workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, final

import numpy as np

from proofs_check.instruments.effect_check import Arm, EffectCheck, StepsizeChoice
from proofs_check.instruments.measurement import Measurement
from proofs_check.instruments.tuned_arm import MEASURED_ON
from proofs_check.instruments.variants import Fixed, NoSuchVariant, Variant
from theory.arrays import Floats


@final
class SweepPlace(NamedTuple):
    """Point at which an arm is measured.

    Attributes:
        size: value of the variable.
        n: number of workers, where it is not the variable.
        d: dimension, where it is not the variable.
        seed: of the runs.
    """

    size: int
    n: int
    d: int
    seed: int


@final
class Sizes(NamedTuple):
    """Sizes at which an effect is measured; what counts is the last size.

    Attributes:
        title: the problem in words.
        sizes: of the variable.
        variable: its name, with unit.
        quantity: what is measured at a size, with unit.
        note: replicas and what else makes it again.
        n: number of workers, the sizes where it is the variable (None), or why there is no other.
        d: dimension, likewise.
        seed: of the runs.
    """

    title: str
    sizes: tuple[int, ...]
    variable: str
    quantity: str
    note: str = ""
    n: int | Fixed | None = Fixed.INSTANCE
    d: int | Fixed | None = Fixed.INSTANCE
    seed: int = MEASURED_ON

    def varied(self, variant: Variant) -> Sizes:
        """The same under a variant.

        Raises:
            NoSuchVariant: there is no such variant, for the reason that it names.
        """
        if variant.step != 1:
            raise NoSuchVariant(Fixed.STEPLESS)
        here = self._replace(seed=self.seed if variant.seed is None else variant.seed)
        return here._larger("n", variant.n)._larger("d", variant.d)

    def _larger(self, name: str, factor: float) -> Sizes:
        value = getattr(self, name)
        if factor == 1:
            return self
        if isinstance(value, Fixed):
            raise NoSuchVariant(value)
        if value is None:
            grown = tuple(max(1, round(size * factor)) for size in self.sizes)
            return self._replace(sizes=tuple(sorted(set(grown))))
        return self._replace(**{name: round(value * factor)})

    def place_of(self, size: int) -> SweepPlace:
        """The place of one of the sizes."""
        n, d = (value if isinstance(value, int) else 0 for value in (self.n, self.d))
        return SweepPlace(size, n, d, self.seed)


@final
class _Sweep(NamedTuple):
    """Arguments of :func:`swept`, less the sizes."""

    key: str
    effect: str
    value: Callable[[Any, SweepPlace], Floats]
    arms: Mapping[Arm, tuple[str, Any]]
    at_most: float
    source: str
    scales: tuple[str, str]
    tuning: StepsizeChoice


def swept(
    key: str, effect: str, sizes: Sizes, value: Callable[[Any, SweepPlace], Floats], *,
    method: tuple[str, Any], baseline: tuple[str, Any], without: tuple[str, Any], at_most: float,
    source: str, scales: tuple[str, str] = ("log", "log"),
    tuning: StepsizeChoice = StepsizeChoice.STEPLESS,
) -> EffectCheck:  # fmt: skip
    """Apply :func:`contrast` to ``value`` ``[R]`` of an arm at a place; arms are words and whatever
    ``value`` takes."""
    arms = {Arm.METHOD: method, Arm.BASELINE: baseline, Arm.FAULT: without}
    return _checked(_Sweep(key, effect, value, arms, at_most, source, scales, tuning), sizes)


def _checked(sweep: _Sweep, sizes: Sizes) -> EffectCheck:
    words = {side: description for side, (description, _) in sweep.arms.items()}
    return EffectCheck(
        row=sweep.key, problem=sizes.title, effect=sweep.effect,
        quantity=f"{sizes.quantity}, {sizes.variable} = {sizes.sizes[-1]}",
        method=words[Arm.METHOD], baseline=words[Arm.BASELINE], fault=words[Arm.FAULT],
        at_most=sweep.at_most, measure=partial(_measure, sweep, sizes), x_label=sizes.variable,
        y_label=sizes.quantity, source=sweep.source,
        description=f"{sizes.note} of seed {sizes.seed}",
        scales=sweep.scales, tuning=sweep.tuning,
        vary=lambda variant: _checked(sweep, sizes.varied(variant)),
    )  # fmt: skip


def _measure(sweep: _Sweep, sizes: Sizes, which: Arm) -> Measurement:
    made = sweep.arms[which][1]
    y = np.stack([sweep.value(made, sizes.place_of(size)) for size in sizes.sizes], axis=-1)
    return Measurement(y[:, -1], np.array(sizes.sizes, dtype=np.float64), y)
