"""Effects that are measured over several sizes, such as the error of a mean over workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, final

import numpy as np

from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from theory.arrays import Floats


@final
class Sizes(NamedTuple):
    """What an effect over several sizes is measured on; what counts is the last size.

    Attributes:
        title: the problem in words.
        sizes: of the variable.
        variable: its name, with unit.
        quantity: what is measured at a size, with unit.
        note: replicas, seeds and what else makes it again.
    """

    title: str
    sizes: tuple[int, ...]
    variable: str
    quantity: str
    note: str = ""


def swept(
    key: str, effect: str, sizes: Sizes, value: Callable[[Any, int], Floats], *,
    method: tuple[str, Any], baseline: tuple[str, Any], without: tuple[str, Any], at_most: float,
    source: str, scales: tuple[str, str] = ("log", "log"),
) -> EffectCheck:  # fmt: skip
    """As :func:`contrast`, of ``value`` ``[R]`` of an arm at a size; arms are words and whatever
    ``value`` takes."""
    arms = {Arm.METHOD: method[1], Arm.BASELINE: baseline[1], Arm.FAULT: without[1]}

    def measure(which: Arm) -> Measurement:
        y = np.stack([value(arms[which], size) for size in sizes.sizes], axis=-1)
        return Measurement(y[:, -1], np.array(sizes.sizes, dtype=np.float64), y)

    return EffectCheck(
        row=key, problem=sizes.title, effect=effect,
        quantity=f"{sizes.quantity}, {sizes.variable} = {sizes.sizes[-1]}", method=method[0],
        baseline=baseline[0], fault=without[0], at_most=at_most, measure=measure,
        x_label=sizes.variable, y_label=sizes.quantity, source=source, told=sizes.note,
        scales=scales,
    )  # fmt: skip
