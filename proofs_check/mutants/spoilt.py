"""Spoilt: a method that runs another and spoils its state."""

from __future__ import annotations

from typing import Any, ClassVar

from torch import Tensor

from algorithms.methods.base import Method, World
from algorithms.problems.base import Problem
from theory.constants import Constants


class Spoilt(Method[Any]):
    """Everything as in ``right``; members override the step."""

    shared_model: ClassVar[bool] = True
    right: Method[Any]

    @property
    def name(self) -> str:
        return f"{type(self).__name__} posing as {self.right.name}"

    def constants(self, problem: Problem) -> Constants:
        return self.right.constants(problem)

    def init(self, x0: Tensor, world: World) -> Any:
        return self.right.init(x0, world)

    def models(self, state: Any) -> Tensor:
        return self.right.models(state)
