"""Looks at a rate: a metric over horizons, once more with more replicas, and what the first saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.methods.sweep_points import HORIZONS
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats

CHECK = "rate in T"
LOOK_ERROR = TEST_ERROR / 2
FEWER_REPLICAS = 16  # of a longer look, whose noise is averaged over more steps
_MORE_REPLICAS = 4
_BATCH = 64  # replicas of one run: schedules are drawn for as many


class HorizonCurve(NamedTuple):
    """A metric over horizons.

    Attributes:
        x: horizons ``[K]``.
        samples: the metric there ``[R, K]``.
        bound: the bound there ``[K]``.
        groups: independent groups of replicas, neighbours in ``samples``.
    """

    x: Floats
    samples: Floats
    bound: Floats
    groups: int


def joined(curves: Sequence[HorizonCurve]) -> HorizonCurve:
    """Batches of replicas; those of one number may share a schedule, and form a group."""
    samples = np.stack([one.samples for one in curves], axis=1)
    first = curves[0]
    return first._replace(samples=samples.reshape(-1, first.x.size), groups=len(first.samples))


def batched(measure: Callable[[int, int], HorizonCurve], replicas: int, seed: int) -> HorizonCurve:
    """Four times the replicas, in runs of at most :data:`_BATCH`, each under a seed of its own."""
    batch = min(_MORE_REPLICAS * replicas, _BATCH)
    runs = _MORE_REPLICAS * replicas // batch
    return joined([measure(batch, seed + HORIZONS * k) for k in range(1, runs + 1)])


def after_first(first: Verdict, second: Verdict) -> Verdict:
    """The second look, with what the first one saw."""
    met = {Outcome.REFUTED: "slower", Outcome.COMPARED: "too coarse"}[first.outcome]
    return replace(
        second,
        evidence=f"{second.evidence}; at the first look {met}: {first.statistic} +- "
        f"{first.uncertainty} against {first.bound}",
    )
