"""Memory: wraps any compressor on the sender's side."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, NamedTuple, TypeVar, final

import torch
from torch import Tensor

from algorithms.kernels.row_parts import MemoryPart
from theory.fields import CheckedFields

State = TypeVar("State")


class Round(NamedTuple):
    """One round as a sender saw it: ``x`` was to be sent, the memory made it ``wanted``, ``sent``
    went out as others read it (all ``[..., m, d]``), and ``mean`` ``[..., 1, d]`` came back."""

    x: Tensor
    wanted: Tensor
    sent: Tensor
    mean: Tensor


class Memory(CheckedFields, ABC, Generic[State]):
    """Memory of a sender: message = C(before(state, x)).

    The state is a tensor ``[..., m, d]`` or a NamedTuple of such. ``holds_steps`` says that x is to
    be a step gamma g rather than a gradient g. Every coordinate is treated by itself, so a row may
    be given in slices; ``after_reads`` names what of a round :meth:`after` looks at, so that the
    rest need not be kept for it.
    """

    holds_steps: ClassVar[bool] = False
    after_reads: ClassVar[frozenset[str]] = frozenset(Round._fields)

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @property
    def steady(self) -> bool:
        """Whether :meth:`at_step` gives the memory itself at every step."""
        return type(self).at_step is Memory.at_step

    def at_step(self, t: int) -> Memory[State]:
        """The memory in use at step t (t = 0, 1, ...), of the same state; differs from self where
        something happens at intervals."""
        return self

    @abstractmethod
    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> State:
        """State before the first message, for rows of ``shape`` ``[..., m, d]``."""

    @abstractmethod
    def before(self, state: State, x: Tensor) -> Tensor:
        """Input of the compressor when x ``[..., m, d]`` is to be sent."""

    def guide(self, state: State, x: Tensor) -> Tensor:
        """Further information for compressors that ask: the fresh x."""
        return x

    @abstractmethod
    def after(self, state: State, round_: Round) -> State:
        """The state after a round of messages."""

    def row_kernel(self, dtype: torch.dtype) -> MemoryPart | None:
        """:meth:`before` and :meth:`after` as compiled functions (``kernels/row_parts.py``), to the
        bit, the state's tensors in order; None: there are none. A subclass publishes its own."""
        return None


@final
@dataclass(frozen=True)
class NoMemory(Memory[Tensor]):
    """Forgets at once: every message is compressed by itself."""

    after_reads: ClassVar[frozenset[str]] = frozenset()

    @property
    def name(self) -> str:
        return "no memory"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
        return torch.zeros(0, dtype=dtype, device=device)

    def before(self, state: Tensor, x: Tensor) -> Tensor:
        return x

    def after(self, state: Tensor, round_: Round) -> Tensor:
        return state
