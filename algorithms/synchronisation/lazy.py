"""Lazy triggers: who tells the server its gradient anew, and who leaves it as it was."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.kernels import row_norms
from algorithms.kernels.devices import put


class Opening(ABC):
    """Start of a lazy method: the stored gradients, and the steps in which no trigger is asked.

    ``steps`` is how many those are.
    """

    steps: int

    @property
    @abstractmethod
    def speak(self) -> bool:
        """Whether all workers send in these steps, or none."""

    @property
    @abstractmethod
    def value(self) -> float:
        """Every coordinate of the gradients that the server starts from [f / x]."""

    def forced(self, t: int) -> bool | None:
        """Whether all send at step t; None: the trigger decides."""
        return self.speak if t < self.steps else None


@final
@dataclass(frozen=True)
class AllSend(Opening):
    """All workers send in the first ``steps`` steps, a warm start.

    Raises:
        ValueError: steps < 1.
    """

    steps: int = 1

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ValueError(f"steps must be at least 1, got steps={self.steps}")

    @property
    def speak(self) -> bool:
        return True

    @property
    def value(self) -> float:
        return 0.0


@final
@dataclass(frozen=True)
class NoneSends(Opening):
    """None sends in the first ``steps`` steps: the server walks along gradients given to it.

    Each stored gradient is ``given`` in every coordinate, as in the experiments of Chen et al.
    2018 (arXiv:1805.09965): ones, ten steps.

    Raises:
        ValueError: steps < 1.
    """

    given: float = 1.0
    steps: int = 10

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ValueError(f"steps must be at least 1, got steps={self.steps}")

    @property
    def speak(self) -> bool:
        return False

    @property
    def value(self) -> float:
        return self.given


class View(NamedTuple):
    """Inputs of a trigger on the server.

    Attributes:
        t: the step.
        x: the model ``[..., 1, d]``.
        incoming: the models that the workers received last ``[..., n, d]``.
        allowed: the allowance ``[..., 1]`` [(f / x)^2].
    """

    t: int
    x: Tensor
    incoming: Tensor
    allowed: Tensor


class Trigger(ABC):
    """Two questions: whom the server asks, and who of them sends."""

    @abstractmethod
    def asks(self, view: View) -> Tensor:
        """Workers given the model, ``[..., n]`` (bool): the same on every rank."""

    @abstractmethod
    def sends(self, change: Tensor, allowed: Tensor) -> Tensor:
        """Asked workers that send, ``[..., m]``; change ``[..., m, d]`` of their gradients."""

    def forces(self, view: View, speak: bool) -> Tensor:
        """Workers given the model in the opening: all if ``speak``."""
        return torch.full(view.incoming.shape[:-1], speak, device=view.incoming.device)


@final
@dataclass(frozen=True)
class WorkerRule(Trigger):
    r"""All hear the model; worker i sends if \|\nabla f_i(x_t) - \nabla f_i(\hat x_i)\|^2 is above
    the allowance (Chen et al. 2018, arXiv:1805.09965, Eq. 15a, LAG-WK)."""

    def asks(self, view: View) -> Tensor:
        return torch.ones(view.incoming.shape[:-1], dtype=torch.bool, device=view.incoming.device)

    def sends(self, change: Tensor, allowed: Tensor) -> Tensor:
        return above(square(change), allowed)

    def forces(self, view: View, speak: bool) -> Tensor:
        return self.asks(view)


@final
@dataclass(frozen=True)
class ServerRule(Trigger):
    r"""The server asks worker i if L_i^2 \|\hat x_i - x_t\|^2 is above the allowance (Chen et al.
    2018, arXiv:1805.09965, Eq. 15b, LAG-PS). Only those asked hear the model and compute.

    ``smoothness`` are the L_i [f / x^2], one for all or one each.

    Raises:
        ValueError: an L_i that is not positive.
    """

    smoothness: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.smoothness or not min(self.smoothness) > 0:
            raise ValueError(
                f"smoothness must hold L_i > 0, one or n of them, got smoothness={self.smoothness}"
            )

    def asks(self, view: View) -> Tensor:
        own = put(torch.tensor(self.smoothness, dtype=view.x.dtype), view.x.device)
        return above(own * own * square(view.incoming - view.x), view.allowed)

    def sends(self, change: Tensor, allowed: Tensor) -> Tensor:
        return torch.ones(change.shape[:-1], dtype=torch.bool, device=change.device)


@final
@dataclass(frozen=True)
class InTurn(Trigger):
    """At step t the server asks worker (t + first) mod n alone: cyclic incremental aggregated
    gradient (Blatt, Hero, Gauchman 2007; Gurbuzbalaban, Ozdaglar, Parrilo 2017, 1506.02081)."""

    first: int = 0

    def asks(self, view: View) -> Tensor:
        ids = torch.arange(view.incoming.shape[-2], device=view.incoming.device)
        turn = ids == (view.t + self.first) % ids.numel()
        return turn.expand(view.incoming.shape[:-1])

    def sends(self, change: Tensor, allowed: Tensor) -> Tensor:
        return torch.ones(change.shape[:-1], dtype=torch.bool, device=change.device)


def square(x: Tensor) -> Tensor:
    """Squared norms ``[..., m]`` of rows ``[..., m, d]``, in a fixed order."""
    norms = row_norms.norms(x)[..., 0]
    return norms * norms


def above(value: Tensor, allowed: Tensor) -> Tensor:
    """Mask where a value is above the allowance, or this has left the range of its type: a run that
    diverges must go on to say so."""
    return (value > allowed) | ~torch.isfinite(allowed)
