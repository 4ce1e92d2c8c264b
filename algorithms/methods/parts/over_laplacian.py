"""Methods whose duals are exchanged along a graph's Laplacian, every step or every few steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from torch import Tensor

from algorithms.methods.base import Method, RunContext, State
from algorithms.pipeline.row_programs import (
    Operation,
    Register,
    blend,
    mixed,
    plus_scaled,
    subtract,
)
from algorithms.problems.base import Problem, require_int
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.laplacian import Laplacian, Multiply, check_polynomial
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


def gossip_on_rows(out: Register, x: Register, gamma: float, degree: int) -> tuple[Operation, ...]:
    """:func:`~algorithms.topologies.laplacian.accelerated_gossip` as operations on rows."""
    check_polynomial(gamma, degree)
    c3, c2 = 2 / (1 + gamma), (1 + gamma) / (1 - gamma) if degree > 1 else math.inf
    turns, incoming = [Register(), Register(), Register()], Register()
    done = [mixed(incoming, x), plus_scaled(turns[0], x, -c3, incoming)]
    before, z, ratio = x, turns[0], 1 / c2
    for k in range(1, degree):
        following, ahead, incoming, less = (
            1 / (2 * c2 - ratio),
            turns[k % 3],
            Register(),
            Register(),
        )
        done += [mixed(incoming, z), plus_scaled(less, z, -c3, incoming)]
        done.append(blend(ahead, 2 * c2 * following, less, -(ratio * following), before))
        before, z, ratio = z, ahead, following
    return (*done, subtract(out, x, z))


def multiplier(
    laplacian: Laplacian, t: int, context: RunContext, purpose: str = "gossip"
) -> Multiply:
    """Multiplication of rows by W: each worker sends to its neighbours, uncompressed."""

    def multiply(x: Tensor, number: int) -> Tensor:
        return context.mixed(x, laplacian.neighbours, t, f"{purpose} {number}")

    return multiply
