"""Methods whose duals are exchanged along a graph's Laplacian every few steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.methods.base import Method, State
from algorithms.problems.base import Problem, require_int
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.laplacian import Laplacian
from theory.constants import Constants


class OverLaplacian(Method[State]):
    """Duals meet every ``period`` steps, with the Laplacian of ``topology``.

    Raises:
        ValueError: period < 1.
    """

    if TYPE_CHECKING:  # read-only; a member may hold them as fields

        @property
        def topology(self) -> StaticTopology: ...

        @property
        def period(self) -> int: ...

    def __post_init__(self) -> None:
        require_int("period", self.period, 1)

    @property
    def laplacian(self) -> Laplacian:
        """The Laplacian W that duals are exchanged with."""
        return Laplacian(self.topology)

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()
