r"""Runs for a cell of Table IV, and their stepsizes.

The stepsizes are those at which the order can show, stated with every verdict:

- convex: \gamma_t = c / (\mu (a + t)), the rule behind every 1/T of the column (Bottou, Curtis,
  Nocedal 2018, arXiv:1606.04838, Theorem 4.7, whose bound is \nu / (a + T)). The power law is in
  T + a, so that is what is fitted: in T alone the slope is that times T / (T + a);
- non-convex: \gamma = c \sqrt{n / T}, constant in a run: both terms of
  \Delta / (\gamma T) + \gamma L \sigma^2 / n are then of order 1 / \sqrt{n T}.

A theorem of the row that covers these stepsizes speaks of the run and is held to; where none does,
the exponent is compared with the order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import final

from algorithms.catalogue import Row, problem
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from algorithms.topologies.hypercube import Hypercube
from proofs_check.methods.sweep_points import SIZES, SweepPoint, put
from proofs_check.problems.copies import copies
from theory.claims import Confidence
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize
from theory.survey.classification import Objective, Scheme
from theory.theorem import Metric, OrderOnly, Result, Theorem

_NAMES = {"gap": "lam"}  # of constants, where they differ from the variable's
GROUPS = 32  # of the jackknife: 16 give intervals half as wide again
_SHORT = 0.125  # L times the largest stepsize where n is varied
_FEW = 4  # of the sizes: a run of twice the workers costs as much as those before it
_COPIED = 2  # workers that are copied where n is varied
METRICS = {
    Objective.CONVEX: Metric.SUBOPTIMALITY,
    Objective.NONCONVEX: Metric.AVERAGE_SQUARED_GRADIENT,
}
"""What is measured where no theorem says what."""
OCTAVES = 8  # the shortest horizon of a non-convex cell is an eighth of the longest


class Unstated(StrEnum):
    """Kinds of reasons why a cell has no order in a variable."""

    NOBODY = "no source states a rate of this cell"
    ABSENT = "the cell's result has no such constant"
    PARAMETER = "a parameter of the operator, of which results know omega or delta alone"


@final
@dataclass(frozen=True)
class TableTrial:
    """The evidence for a cell: a row on a problem, and which exponents are fitted.

    Attributes:
        line: the line's name, as ``ConvergenceLine.name``; all-reduce has the server's iterates.
        objective: the column.
        row: the row, or a composition of its method that the catalogue does not list.
        problem: name of the problem of the catalogue.
        result: what theory says of the cell; None: no source states a rate.
        n: workers.
        steps: T, the longest horizon in steps of the method (one worker's gradient each where
            ``single``).
        variables: what is varied: T, n, H, tau, omega, delta, gap, and s: levels of a quantiser, or
            the share of coordinates (or how many) that a sparsifier keeps.
        first: L times the largest stepsize, \\gamma_0 of convex cells and that of the shortest
            horizon of the others.
        single: whether a step is one worker's gradient and moves the mean model by its n-th part.
        peers: messages that a worker sends for one of its gradients where it meets others.
        note: what a reader should know of the choice.
        also: theorems whose bound is set beside an exponent where that of the result says nothing.
    """

    line: str
    objective: Objective
    row: Row
    problem: str
    result: Result | None
    n: int
    steps: int
    variables: tuple[str, ...]
    first: float = 0.5
    single: bool = False
    peers: int = 1
    note: str = ""
    also: tuple[Theorem, ...] = ()

    def cell_name(self, variable: str) -> str:
        """Name of the survey's cell that fits the exponent of ``variable``."""
        return f"{self.name} in {variable}"

    @property
    def replicas(self) -> int:
        """More for the error of one step than for the mean over a run."""
        if self.objective is Objective.NONCONVEX:
            return 32
        return 64 if self.scheduled else 128

    @property
    def scheduled(self) -> bool:
        """Whether a schedule says who arrives when, so that a step is not everybody's gradient."""
        return Scheme.SSP in self.line or Scheme.ASP in self.line

    @property
    def name(self) -> str:
        """``PS, BSP, Null, convex``."""
        return f"{self.line}, {self.objective}"

    def build(self, n: int) -> Problem:
        """The problem for n workers."""
        return problem(self.problem, n)

    def of_sizes(self) -> TableTrial:
        """The trial with which n is varied: in a non-convex cell steps so short, however many
        workers there are, that terms of a higher order in the stepsize stay small."""
        convex = self.objective is Objective.CONVEX
        return self if convex else replace(self, first=min(self.first, _SHORT))

    def sizes(self) -> Iterator[SweepPoint]:
        """Sweep of n alone: copies of the same two workers, so that no shard shrinks, and in
        gossip on a graph whose gap falls as 1/log n (a ring's falls as 1/n^2)."""
        base = self.build(_COPIED)
        for n in SIZES[:_FEW]:
            one = put(self.row, Topology, Hypercube(n)) if self.gossips else self.row
            yield SweepPoint(one, copies(base, n // _COPIED), self.steps)

    def rule(self, objective: Problem, steps: int) -> Stepsize:
        """The stepsizes of a run of so many steps on a problem, as this file's docstring says.

        Raises:
            ValueError: the problem states no L, or, in a convex cell, no mu.
        """
        c = objective.constants()
        smooth, mu = c.L_max or c.L, c.mu
        if not smooth or (self.objective is Objective.CONVEX and not mu):
            raise ValueError(f"{objective.name} states no L or mu; a smooth problem would do")
        largest = self.first / smooth
        if self.objective is Objective.CONVEX:
            scale = 2.0 * (objective.n if self.single else 1) / (mu or 1.0)
            return InverseTimeStep(scale, scale / largest)
        shortest = self.steps / OCTAVES
        return ConstantStep(largest * (shortest / steps * objective.n / self.n) ** 0.5)

    def order_in(self, variable: str) -> float | None:
        """The exponent that theory states: of the cell's result, in T else of its column.

        What a theorem's bound has and its leading term does not, enters with the power 0.
        """
        result = self.result
        order = result.order if isinstance(result, (Theorem, OrderOnly)) else None
        if order is not None and variable in order.exponents:
            return float(order.exponents[variable])
        if isinstance(result, Theorem) and _NAMES.get(variable, variable) in result.needs:
            return 0.0
        if variable == "s":  # it enters through the operator's constant, if at all
            through = [at for at in ("omega", "delta") if self.order_in(at) is not None]
            return 0.0 if through and not any(self.order_in(at) for at in through) else None
        return float(self.objective.power) if variable == "T" else None

    @property
    def gossips(self) -> bool:
        """Whether workers meet along a graph."""
        return self.line.startswith("Gossip")

    @property
    def drifts(self) -> bool:
        """Whether workers' models differ, so that Hessians of their own show it."""
        return self.gossips or "L-SGD" in self.line

    def unstated(self, variable: str) -> Unstated | None:
        """Reason why no order is stated in ``variable``; None where one is."""
        if self.order_in(variable) is not None:
            return None
        if self.result is None:
            return Unstated.NOBODY
        return Unstated.PARAMETER if variable == "s" else Unstated.ABSENT

    @property
    def basis(self) -> str:
        """Basis of the order, in words."""
        if self.result is None:
            return "no source states a rate here; the order is that of the column"
        sure = self.result.confidence in (Confidence.MEMORY, Confidence.ORDER)
        return f"{self.result.source}" + (", order only" if sure else "")
