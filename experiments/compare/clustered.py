"""A row's run with the seconds of a cluster: a model of real size, a schedule, an architecture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, final

import torch

from algorithms.catalogue import Row
from algorithms.clusters.cluster import Cluster
from algorithms.clusters.files import cluster_of
from algorithms.clusters.steps import ModelOnCluster
from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from algorithms.engine.trace import Trace
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stopwatch import STANDARD, ClockDependent, Timing
from theory.stepsizes import Stepsize

_DRAWN = 64  # replicas and gradients of which a mean compute time is taken


@final
class OnCluster(NamedTuple):
    """Cluster in whose seconds a run is timed.

    Attributes:
        cluster: built-in name or file; empty: the standard links of the survey.
        model: name of the model that the run stands for.
        schedule: when gradients are sent.
        architecture: how they are summed.
    """

    cluster: str = ""
    model: str = "bert-large"
    schedule: str = "mg-wfbp"
    architecture: str = "ring"

    def rounds(self, row: Row, problem: Problem) -> ModelOnCluster | None:
        """Cost of a row's rounds; None on the standard links.

        Raises:
            ValueError: as :class:`ModelOnCluster`, a row whose operator the cluster does not know,
                or something that only a cluster heeds, without one.
        """
        if not self.cluster:
            self._require_standard()
            return None
        made = self.rounds_on(cluster_of(self.cluster), row, problem, problem.n)
        assert made.step_seconds > 0  # asks for the operator's times now, not amid a run
        return made

    def _require_standard(self) -> None:
        defaults = OnCluster._field_defaults
        for name in ("model", "schedule", "architecture"):
            value = getattr(self, name)
            if value != defaults[name]:
                raise ValueError(
                    f"{name} is heeded on a cluster alone, got {name}={value!r} without one; a "
                    "cluster's name would do"
                )

    def rounds_on(self, cluster: Cluster, row: Row, problem: Problem, n: int) -> ModelOnCluster:
        """Cost of rounds of a row's run on a problem with n workers of a cluster.

        Raises:
            ValueError: as :class:`ModelOnCluster`.
        """
        bits = torch.finfo(problem.dtype).bits
        operator = row.operators[0] if row.operators else None
        return ModelOnCluster(
            cluster, self.model, n, self.schedule, self.architecture, operator,
            float(bits * problem.d), _message(row, problem, operator, bits),
        )  # fmt: skip

    def timing(self, row: Row, problem: Problem) -> Timing:
        """The model of time of a row's run.

        Raises:
            ValueError: as :meth:`rounds`.
        """
        rounds = self.rounds(row, problem)
        return STANDARD if rounds is None else Timing(Constant(rounds.compute), rounds=rounds)


def _message(row: Row, problem: Problem, operator: Compressor | None, bits: int) -> float:
    """Length of a message of the run [bits], by closed form; 0 where nothing is compressed."""
    if operator is None:
        return 0.0
    stated = row.recipe.message_bits if row.recipe else None
    return stated(problem, bits) if stated else operator.stated_bits(problem.d, bits)


def clocked(row: Row, timing: Timing) -> Row:
    """The row, its methods' own clocks set to a cluster's time.

    Raises:
        ValueError: the row is planned.
    """
    recipe, rounds = row.ready(), timing.rounds
    if not isinstance(rounds, ModelOnCluster):
        return row

    def build(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
        method = recipe.build(step, problem, steps)
        if not isinstance(method, ClockDependent):
            return method
        slower = rounds.compute / _mean(method.timing.times, problem.n)
        made: Method[Any] = method.timed_by(timing, slower)
        return made

    return replace(row, recipe=replace(recipe, build=build))


def in_cluster_time(trace: Trace, method: Method[Any], timing: Timing) -> Trace:
    """A trace whose seconds are the cluster's, also where the method has a schedule of its own.

    Such a schedule is of gradients and their round trips; it is kept, and its unit becomes what a
    gradient takes with push and pull over servers that all workers use at once.

    Raises:
        ValueError: the method keeps a clock that no cluster can set.
    """
    rounds = timing.rounds
    if not isinstance(rounds, ModelOnCluster):
        return trace
    if isinstance(method, ClockDependent) and method.timing == timing:
        return trace
    mean = mean_seconds(method, rounds.n)
    if mean is None:
        return trace
    return replace(trace, seconds=trace.seconds * (round_trip(rounds) / mean))


def round_trip(rounds: ModelOnCluster) -> float:
    """Seconds of a gradient with push and pull, over servers that all workers use at once."""
    return replace(rounds, schedule="bsp", architecture="servers").step_seconds


def mean_seconds(method: Method[Any], n: int) -> float | None:
    """Mean seconds of a gradient of a method that has a schedule of its own; None: it has none.

    Raises:
        ValueError: the method keeps a clock that no cluster can set.
    """
    while isinstance(getattr(method, "method", None), Method):
        method = method.method  # type: ignore[attr-defined]
    if type(method).seconds is Method.seconds:
        return None
    times = getattr(method, "times", None)
    if not isinstance(times, ComputeTimes):
        raise ValueError(
            f"{method.name} keeps a clock of its own that no cluster sets; a row that sums, "
            "gossips or has a schedule of gradients would do"
        )
    return _mean(times, n)


def _mean(times: ComputeTimes, n: int) -> float:
    """Mean seconds of a gradient."""
    ids = torch.arange(_DRAWN)
    return float(times.seconds(Key.seed(0).draws(ids, torch.arange(n)), _DRAWN).mean())
