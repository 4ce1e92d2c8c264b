"""Spoilt: a method that runs another and spoils its state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from torch import Tensor

from algorithms.methods.base import Method, World
from algorithms.problems.base import Problem
from theory.constants import Constants

Arguments = ParamSpec("Arguments")
Right = TypeVar("Right")
Wrong = TypeVar("Wrong")


class Spoilt(Method[Any]):
    """Everything as in ``right``; members override the step."""

    if TYPE_CHECKING:  # read-only; a member may hold it as a field

        @property
        def right(self) -> Method[Any]: ...

    @property
    def shared_model(self) -> bool:  # type: ignore[override]
        return self.right.shared_model

    @property
    def name(self) -> str:
        return f"{type(self).__name__} posing as {self.right.name}"

    def constants(self, problem: Problem) -> Constants:
        return self.right.constants(problem)

    def init(self, x0: Tensor, world: World) -> Any:
        return self.right.init(x0, world)

    def models(self, state: Any) -> Tensor:
        return self.right.models(state)


def posing(
    wrong: Callable[[Right], Wrong], right: Callable[Arguments, Right]
) -> Callable[Arguments, Wrong]:
    """Builds ``wrong`` around what ``right`` builds of the same arguments."""
    return lambda *args, **options: wrong(right(*args, **options))
