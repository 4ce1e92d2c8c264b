"""FaultyMethod: a method that runs another and spoils its state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, final

import torch
from torch import Tensor

from algorithms.methods.base import Method, RunContext
from algorithms.problems.base import Problem
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from theory.constants import Constants

Arguments = ParamSpec("Arguments")
Right = TypeVar("Right")
Wrong = TypeVar("Wrong")


class FaultyMethod(Method[Any]):
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

    def init(self, x0: Tensor, context: RunContext) -> Any:
        return self.right.init(x0, context)

    def models(self, state: Any) -> Tensor:
        return self.right.models(state)


@final
@dataclass(frozen=True)
class FirstMeeting(FaultyMethod):
    """Every step meets, and draws, as the first one does.

    Attributes:
        right: the method whose first meeting stays.
    """

    right: Method[Any]

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        return self.right.step(state, 0, context)


@final
@dataclass(frozen=True)
class LastStepAlone(FaultyMethod):
    """Of the local steps between two meetings only the last, before the meeting, is kept.

    Attributes:
        right: a method with a ``period`` H, whose workers meet when H | t+1.
    """

    right: Any

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        return state if (t + 1) % self.right.period else after


@final
@dataclass(frozen=True)
class OnLinks(FaultyMethod):
    """The method as it is, with links of a given bandwidth: its modelled time is theirs.

    Attributes:
        right: any method.
        bandwidth: of the link between two workers ``[n][n]``, multiples of the timing's.
    """

    right: Method[Any]
    bandwidth: tuple[tuple[float, ...], ...]

    @property
    def link_speeds(self) -> Tensor:
        return torch.tensor(self.bandwidth, dtype=torch.float64)

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        return self.right.step(state, t, context)


@final
@dataclass(frozen=True, eq=False)
class OneWrongStep(FaultyMethod):
    """The method with ``wrong`` in place of its step.

    Attributes:
        right: any method.
        wrong: called as ``wrong(right, state, t, context)``; its name is that of the fault.
    """

    right: Method[Any]
    wrong: Callable[[Any, Any, int, RunContext], Any]

    @property
    def name(self) -> str:
        return f"{self.wrong.__name__} posing as {self.right.name}"

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        return self.wrong(self.right, state, t, context)


def wrapped(
    wrong: Callable[[Right], Wrong], right: Callable[Arguments, Right]
) -> Callable[Arguments, Wrong]:
    """Builds ``wrong`` around what ``right`` builds of the same arguments."""
    return lambda *args, **options: wrong(right(*args, **options))


# A barrier whose decisions are spoilt.


Spoil = Callable[[WorkerStates, Decision], Decision]


@final
@dataclass(frozen=True)
class SpoiltBarrier(Barrier):
    """Everything as in ``right``, whose decisions ``spoil`` changes."""

    right: Barrier
    spoil: Spoil

    @property
    def name(self) -> str:
        return f"spoilt {self.right.name}"

    def decide(self, now: WorkerStates) -> Decision:
        return self.spoil(now, self.right.decide(now))
