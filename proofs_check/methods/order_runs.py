"""Runs of a row as a stated order asks for them: its stepsizes, its parameters, its problem.

The stepsizes are those of the source, whatever power it states, so that another power is held
against the same runs. Each run is made once, however many powers are asked of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from algorithms.catalogue import Row
from algorithms.engine.run import Diverged, run
from algorithms.engine.trace import Trace
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.hypercube import Hypercube
from algorithms.topologies.lazy import Lazy
from proofs_check.methods.order_places import (
    ERGODIC,
    Stated,
    copied,
    end_of,
    ergodic,
    pair_of,
    place_of,
)
from proofs_check.methods.rate_looks import HorizonCurve
from proofs_check.methods.sweep_points import HORIZONS, put
from proofs_check.methods.tuned_run import TunedRun, measured
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize
from theory.theorem import Metric, OrderOnly

WORKERS = (2, 4, 8, 16)
"""Numbers of workers behind an exponent of n, copies of two."""
MARGIN = 4.0
"""How far below the edge of what a few replicas find steady stepsizes are."""


class _Effort(NamedTuple):
    steps: int
    replicas: int


_CHEAP = _Effort(1000, 32)  # at least, on a quadratic in the place of another problem
_LOUDER = 16  # times the variance of the noise
_FIXED = 2.0  # of stepsizes that do not fall
_TRIED = 12  # stepsizes: 1/L and its halvings
_PILOT_REPLICAS, _PILOT_SEED = 4, 1_000_007  # no run that is fitted has that seed
_EVERY_STEP = (
    Metric.MINIMUM_SQUARED_GRADIENT, Metric.AVERAGE_GRADIENT_NORM, Metric.AVERAGE_SUBOPTIMALITY,
)  # fmt: skip
_OF_GRADIENTS = (
    Metric.AVERAGE_SQUARED_GRADIENT, Metric.MINIMUM_SQUARED_GRADIENT, Metric.AVERAGE_GRADIENT_NORM,
)  # fmt: skip


@final
@dataclass(frozen=True)
class StepLaw:
    """Stepsizes of an order.

    Attributes:
        falls: constant ones fall with that power of the number of steps, negated.
        grows: they grow with that power of the number of workers.
        inverse_time: whether they fall as 1/t where f is strongly convex.
    """

    falls: float = 0.5
    grows: float = 0.5
    inverse_time: bool = False

    @staticmethod
    def of(stated: Stated | None) -> StepLaw:
        """As an order states it; of a theorem whose constants say nothing, by its power."""
        if isinstance(stated, OrderOnly):
            powers = float(stated.step_power), float(stated.step_workers)
            return StepLaw(*powers, stated.inverse_time)
        return StepLaw(inverse_time=stated is not None and stated.order.exponents.get("T") == -1)

    def step(self, gamma: float, c: Constants, horizon: int, shortest: int) -> Stepsize:
        """``gamma`` at the shortest horizon, falling as the order asks for."""
        if self.inverse_time and c.mu:
            return InverseTimeStep(2 / c.mu, 2 / (c.mu * gamma))
        return ConstantStep(gamma * (shortest / horizon) ** self.falls)


@final
class OrderRuns:
    """Runs of one row on the problem that an order speaks of, from that of ``result`` on."""

    def __init__(self, result: TunedRun, stated: Stated | None) -> None:
        self.law = StepLaw.of(stated)
        self.metric = (stated and stated.metric) or Metric.AVERAGE_SQUARED_GRADIENT
        self.row = as_stated(result.row) if isinstance(stated, OrderOnly) else result.row
        self.problem = place_of(result, stated)
        self.stepless, self.seed = result.tuned.stepless, result.trace.seed
        cheap = self.problem is not result.problem and isinstance(self.problem, Quadratic)
        self.steps = max(result.steps, _CHEAP.steps) if cheap else result.steps
        self.replicas = max(result.replicas, _CHEAP.replicas) if cheap else result.replicas
        self._kept: dict[tuple[str, int, int, int], HorizonCurve] = {}

    @cached_property
    def constants(self) -> Constants:
        """Constants of the method there."""
        return constants_of(self.row, self.problem, self.steps)

    def curve(self, steps: int, many: int, first: int) -> HorizonCurve:
        """The metric after ``steps`` steps, a half, a quarter and an eighth, each of ``many`` runs
        of its own; over T + a where stepsizes are 2/(mu (a + t)).

        Raises:
            Diverged: a run left the range of its number type.
            ValueError: with none of the stepsizes tried do runs end below their start.
        """
        key = "T", steps, many, first
        if key not in self._kept:
            lengths = [max(1, steps >> k) for k in range(HORIZONS - 1, -1, -1)]
            if self.metric in ERGODIC:
                samples = self._ergodic(lengths, many, first)
            else:
                ends = [
                    self._end(self.row, self.problem, self.gamma, length, first + k, many)
                    for k, length in zip(range(HORIZONS - 1, -1, -1), lengths, strict=True)
                ]
                samples = np.stack(ends, axis=1)
            x = np.array(lengths, dtype=np.float64) + self.shift
            self._kept[key] = HorizonCurve(x, samples, np.ones_like(x), many)
        return self._kept[key]

    @cached_property
    def shift(self) -> float:
        """The a of stepsizes 2/(mu (a + t)); 0 of others."""
        step = None if self.stepless else self._step(self.gamma, self.constants, self.longest)
        return step.shift if isinstance(step, InverseTimeStep) else 0.0

    def workers_curve(self, steps: int, many: int, first: int) -> HorizonCurve:
        """The metric over n at ``steps`` steps: workers are copies of two, stepsizes grow as the
        root of n, gossip is over hypercubes.

        Raises:
            Diverged: a run left the range of its number type.
            ValueError: the problem is none whose workers can be copied, or as :meth:`curve`.
        """
        key = "n", steps, many, first
        if key not in self._kept:
            places = self._of_sizes()
            row, problem = places[-1]
            largest = self._steady(row, problem)
            ends = [
                self._end(
                    one, at, largest * (at.n / problem.n) ** self.law.grows, steps, first + k, many
                )
                for k, (one, at) in enumerate(places)
            ]
            x = np.array(WORKERS, dtype=np.float64)
            self._kept[key] = HorizonCurve(x, np.stack(ends, axis=1), np.ones_like(x), many)
        return self._kept[key]

    def _of_sizes(self) -> list[tuple[Row, Quadratic]]:
        if not isinstance(self.problem, Quadratic):
            raise ValueError(f"workers of {self.problem.name} cannot be copied")
        pair = pair_of(self.problem)
        return [
            (put(self.row, Topology, Lazy(Hypercube(n))), copied(pair, n // 2)) for n in WORKERS
        ]

    @cached_property
    def loud(self) -> OrderRuns:
        """The same with 16 times the variance of the noise, where terms of the start are small."""
        other = copy(self)
        for name in ("constants", "gamma", "shift", "loud"):
            vars(other).pop(name, None)
        other._kept = {}
        if isinstance(self.problem, Quadratic) and self.problem.sigma2:
            other.problem = replace(self.problem, sigma2=_LOUDER * self.problem.sigma2)
        return other

    @property
    def margin(self) -> float:
        """How far the stepsize is below the largest that was found steady: fixed ones are as long
        as sources have them, averages of ADMM need no room at all."""
        if self.metric in ERGODIC:
            return 1.0
        return _FIXED if self.law.falls == 0 and not self.law.inverse_time else MARGIN

    @property
    def longest(self) -> int:
        """Steps of the longest run of a first look."""
        return self.steps // 2

    @cached_property
    def gamma(self) -> float:
        """The first stepsize of the runs; of no meaning where the method takes none."""
        return self._steady(self.row, self.problem)

    def _step(self, gamma: float, c: Constants, steps: int) -> Stepsize:
        return self.law.step(gamma, c, steps, max(1, self.longest >> (HORIZONS - 1)))

    def _steady(self, row: Row, problem: Problem) -> float:
        """A quarter of the first stepsize with which a short and a long run end below their start.

        Raises:
            ValueError: with none of those tried they do.
        """
        if self.stepless:
            return 1.0
        c, longest = constants_of(row, problem, self.steps), self.longest
        largest = 1 / ((1 + (c.omega or 0.0)) * (c.L_max or c.L or problem.curvature_at_start))
        if row.recipe is not None and row.recipe.relative_move:
            largest = 1 / row.recipe.relative_move
        for gamma in (largest * 2.0**-k for k in range(_TRIED)):
            lengths = (max(1, longest >> (HORIZONS - 1)), longest)
            if all(self._falls(row, problem, gamma, steps) for steps in lengths):
                return gamma / self.margin
        raise ValueError(
            f"with no stepsize from {largest:.3g} down to {gamma:.3g} do runs of {longest} steps "
            "end below their start"
        )

    def _falls(self, row: Row, problem: Problem, gamma: float, steps: int) -> bool:
        try:
            trace = self._trace(row, problem, gamma, steps, _PILOT_SEED, _PILOT_REPLICAS)
        except Diverged:
            return False
        gradients = self.metric in _OF_GRADIENTS
        start = trace.squared_gradient if gradients else trace.suboptimality
        pilot = Metric.AVERAGE_SQUARED_GRADIENT if gradients else self.metric
        pilot = pilot if measured(trace, pilot) is not None else Metric.SUBOPTIMALITY
        end = measured(trace, pilot)
        assert end is not None
        return float(end[:, -1].mean()) < float(start[:, 0].mean())

    def _trace(
        self, row: Row, problem: Problem, gamma: float, steps: int, seed: int, replicas: int
    ) -> Trace:
        c = constants_of(row, problem, self.steps)
        own = None if self.stepless else self._step(gamma, c, steps)
        tuned = row.tune(problem, steps, own)
        weighted = self.metric is Metric.WEIGHTED_SUBOPTIMALITY
        weight: Callable[[int], float] | None = (lambda t: float(t + 1)) if weighted else None
        return run(
            tuned.method, problem, steps=steps, seed=seed, replicas=replicas,
            points=steps + 1 if self.metric in _EVERY_STEP else 2,
            every=int(self.metric in _OF_GRADIENTS), weight=weight,
        )  # fmt: skip

    def _end(
        self, row: Row, problem: Problem, gamma: float, steps: int, seed: int, replicas: int
    ) -> Floats:
        return end_of(self._trace(row, problem, gamma, steps, seed, replicas), self.metric)

    def _ergodic(self, lengths: Sequence[int], many: int, first: int) -> Floats:
        """The metric ``[R, K]`` along one run, whose stepsize is the same for all lengths."""
        own = None if self.stepless else self._step(self.gamma, self.constants, self.longest)
        method = self.row.tune(self.problem, lengths[-1], own).method
        return ergodic(method, self.problem, lengths, first, many, self.metric)


def as_stated(row: Row) -> Row:
    """The row with the parameters that its order asks for, where the recipe says which."""
    recipe = row.ready()
    if recipe.as_stated is None:
        return row
    return replace(row, recipe=replace(recipe, build=recipe.as_stated, practice=None))


def constants_of(row: Row, problem: Problem, steps: int) -> Constants:
    """Constants of a row's method on a problem."""
    return row.ready().build(ConstantStep(1.0), problem, steps).constants(problem).completed()
