"""Methods whose duals are exchanged along a graph's Laplacian, every step or every few steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from algorithms.methods.base import Method, State, World
from algorithms.problems.base import Problem, require_int
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.laplacian import Laplacian, Multiply
from theory.constants import Constants


class OverLaplacian(Method[State]):
    """Duals are exchanged with the Laplacian of ``topology``."""

    if TYPE_CHECKING:  # read-only; a member may hold it as a field

        @property
        def topology(self) -> StaticTopology: ...

    @property
    def laplacian(self) -> Laplacian:
        """The Laplacian W that duals are exchanged with."""
        return Laplacian(self.topology)

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()


class PeriodicOverLaplacian(OverLaplacian[State]):
    """Duals meet every ``period`` steps.

    Raises:
        ValueError: period < 1.
    """

    if TYPE_CHECKING:  # read-only; a member may hold it as a field

        @property
        def period(self) -> int: ...

    def __post_init__(self) -> None:
        require_int("period", self.period, 1)


def multiplier(laplacian: Laplacian, t: int, world: World, purpose: str = "gossip") -> Multiply:
    """Multiplication of rows by W: each worker sends to its neighbours, uncompressed."""

    def multiply(x: Tensor, number: int) -> Tensor:
        return world.mixed(x, laplacian.neighbours, t, f"{purpose} {number}")

    return multiply
