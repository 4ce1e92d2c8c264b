"""What a parameter server does about the age of a gradient."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar, final

import torch
from torch import Tensor

from algorithms.problems.base import Problem

State = TypeVar("State")


class Correction(ABC, Generic[State]):
    """Acts on gradients that were taken at an older model; members are frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> State:
        """The server's state; ``shape`` ``[..., 1, d]`` is that of its model."""

    @abstractmethod
    def apply(
        self,
        state: State,
        g: Tensor,
        x_now: Tensor,
        x_read: Tensor,
        problem: Problem,
        workers: Tensor,
    ) -> tuple[State, Tensor]:
        """The next state, and what is used of gradients g ``[..., k, d]`` of ``workers``.

        They were taken at ``x_read`` ``[..., k, d]``; the model is ``x_now`` ``[..., 1, d]``.
        """


@final
@dataclass(frozen=True)
class NoCorrection(Correction[None]):
    """Gradients are used as they come."""

    @property
    def name(self) -> str:
        return "no correction"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> None:
        return None

    def apply(
        self,
        state: None,
        g: Tensor,
        x_now: Tensor,
        x_read: Tensor,
        problem: Problem,
        workers: Tensor,
    ) -> tuple[None, Tensor]:
        return None, g
