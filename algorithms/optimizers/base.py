"""Optimizer: turns a step gamma g into the move of the model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar, final

import torch
from torch import Tensor

from algorithms.kernels.row_parts import RowPart
from algorithms.kernels.scaled_sum import add_scaled
from theory.fields import CheckedFields

State = TypeVar("State")


def rounded(gamma: float, dtype: torch.dtype) -> float:
    """A stepsize as the numbers of a run hold it."""
    return torch.tensor(gamma, dtype=dtype).item()


class Optimizer(CheckedFields, ABC, Generic[State]):
    """init/update pair over rows ``[..., m, d]`` (m = 1 for a shared model); frozen dataclasses.

    It works on steps rather than gradients, so that it composes with memories that hold steps.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @abstractmethod
    def init(self, x: Tensor) -> State:
        """State at the starting models ``[..., m, d]``."""

    @abstractmethod
    def update(self, state: State, step: Tensor, x: Tensor, gamma: float) -> tuple[State, Tensor]:
        """The next state, and the move: the model x ``[..., m, d]`` becomes x - move.

        ``step`` ``[..., m, d]`` is gamma g; ``gamma`` is the stepsize it was made with.
        """

    def descend(self, state: State, g: Tensor, x: Tensor, gamma: float) -> tuple[State, Tensor]:
        """The next state and the next models: :meth:`update` with the step gamma g, taken off x."""
        state, move = self.update(state, gamma * g, x, gamma)
        return state, x - move

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        """:meth:`update` as a compiled function (kind "move" of ``kernels/row_parts.py``), to the
        bit, the state's tensors in order; None: there is none. A subclass publishes its own."""
        return None


@final
@dataclass(frozen=True)
class SGD(Optimizer[Tensor]):
    """Plain gradient steps: the model moves by the step itself, nothing is remembered."""

    @property
    def name(self) -> str:
        return "SGD"

    def init(self, x: Tensor) -> Tensor:
        return torch.zeros(0, dtype=x.dtype, device=x.device)

    def update(self, state: Tensor, step: Tensor, x: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
        return state, step

    def descend(self, state: Tensor, g: Tensor, x: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
        return state, add_scaled(x, -gamma, g)
