"""Clock: what a network tells of time, if anybody listens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import NamedTuple

from torch import Tensor


class Clocked(NamedTuple):
    """Reading of a stopwatch.

    Attributes:
        seconds: when the last worker is done ``[...]``.
        worked: gradients that each worker computed ``[..., n]``.
    """

    seconds: Tensor
    worked: Tensor


class Clock(ABC):
    """Adds up modelled seconds beside the ledger's bits.

    Attributes:
        worked: gradients that each worker computed ``[..., n]``.
    """

    worked: Tensor

    @property
    @abstractmethod
    def seconds(self) -> Tensor:
        """Time when the last worker is done ``[...]`` [s]."""

    @abstractmethod
    def work(self, gradients: int = 1, subset: Tensor | None = None) -> None:
        """Workers ``subset`` ``[..., n]`` (bool; None: all) compute so many gradients in turn."""

    @abstractmethod
    def paused(self) -> AbstractContextManager[None]:
        """Gradients computed within take no time."""

    @abstractmethod
    def up(self, bits: int | Tensor, messages: int | Tensor, subset: Tensor | None = None) -> None:
        """Workers send to the server; ``subset`` ``[..., n]`` (bool; None: all) go on when the last
        message is there."""

    @abstractmethod
    def down(self, bits: int | Tensor, messages: int | Tensor = 1) -> None:
        """The server's message reaches every worker."""

    @abstractmethod
    def exchange(self, bits: int | Tensor, incoming: Tensor) -> None:
        """Neighbours' messages; ``incoming`` ``[..., n, n]`` is 1 where the row's worker hears the
        column's."""

    @abstractmethod
    def merging(self) -> AbstractContextManager[None]:
        """Messages within are lists that were merged from others: as short as what crosses, so
        nothing is selected among all entries again, and nothing overlaps with computing."""

    @abstractmethod
    def overlapped(self) -> AbstractContextManager[None]:
        """Messages within were sent when the last such block ended (at first: at the start);
        workers go on from whichever is later, what they computed since or what arrives."""
