"""Decentralised methods over constrained sets: a mixture of rows, a step in a set's geometry."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from algorithms.methods.base import Method, State
from algorithms.methods.parts.gradients import Gradients, Sampled
from algorithms.problems.base import Problem
from algorithms.sets.geometry import Euclidean, Geometry
from algorithms.topologies.base import Topology
from theory.constants import Constants
from theory.stepsizes import Stepsize


@dataclass(frozen=True)
class BregmanSteps(Method[State]):
    r"""Rows are mixed over ``topology``; models step in ``geometry`` and stay in its set X.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: who hears whom, and the mixing matrices W.
        geometry: the Bregman divergence D of the steps and the set X that models stay in.
        gradients: which gradients are taken, stochastic or exact.
    """

    step_rule: Stepsize
    topology: Topology
    geometry: Geometry = field(default_factory=Euclidean)
    gradients: Gradients = field(default_factory=Sampled)

    kind: ClassVar[str]
    """What reports call the method, without its parameters."""

    @property
    def name(self) -> str:
        where = self.geometry.name
        return f"{self.kind}, {where}, {self.topology.name}{self.gradients.note}"

    def reach(self, d: int) -> float:
        return self.geometry.radius(d)

    def constants(self, problem: Problem) -> Constants:
        own = self.geometry.within(self.gradients.constants(problem), problem)
        return own.merge(self.topology.each_step())
