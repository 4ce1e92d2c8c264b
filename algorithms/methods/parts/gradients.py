"""Gradient sources: which gradients a method's workers take."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

from torch import Tensor

from algorithms.kernels.row_parts import RowPart
from algorithms.methods.base import RunContext
from algorithms.pipeline.base import Place
from algorithms.pipeline.gradients import drawn_gradient, exact_gradient
from algorithms.problems.base import Problem, exact
from theory.constants import Constants


class Gradients(ABC):
    """Gradient that a worker computes at its point; members are frozen dataclasses.

    ``note`` stands in the names of methods that take them.
    """

    note: ClassVar[str]

    @abstractmethod
    def compute(self, x: Tensor, t: int, context: RunContext) -> Tensor:
        """Gradients ``[..., m, d]`` of the rows held here at x ``[..., m or 1, d]``.

        Raises:
            NonFiniteGradient: names the step, replica and worker.
        """

    def row_kernel(self, place: Place) -> RowPart | None:
        """:meth:`compute` as a compiled function of kind "gradient", for blocks; None: there is
        none."""
        return None

    @abstractmethod
    def constants(self, problem: Problem) -> Constants:
        """The problem's constants as these gradients see them."""


@final
@dataclass(frozen=True)
class Sampled(Gradients):
    """g_i(x), the problem's stochastic gradients."""

    note = ""

    def compute(self, x: Tensor, t: int, context: RunContext) -> Tensor:
        return context.gradient(x, t)

    def row_kernel(self, place: Place) -> RowPart | None:
        return drawn_gradient(place)

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()


@final
@dataclass(frozen=True)
class Full(Gradients):
    r""":math:`\nabla f_i(x)` without noise: sigma2 is 0."""

    note = ", full gradients"

    def compute(self, x: Tensor, t: int, context: RunContext) -> Tensor:
        return context.checked(context.problem.full_gradient(x, context.network.workers), t)

    def row_kernel(self, place: Place) -> RowPart | None:
        return exact_gradient(place)

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().state(exact("gradients without noise"), sigma2=0.0)
