"""Losses: which messages are sent and do not arrive, or are not sent at all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.core.key import Key


class Delivery(NamedTuple):
    """``sent`` and ``arrives`` ``[..., n, s]`` (bool) for each slot; a worker's own row is none."""

    sent: Tensor
    arrives: Tensor


class Losses(ABC):
    """Loss of messages, the same on all ranks; members are frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name with its parameters."""

    @abstractmethod
    def delivery(self, t: int, key: Key, replicas: Tensor, sources: Tensor) -> Delivery:
        """Messages from ``sources`` ``[..., n, s]`` that are lost at step t; ``key`` is that of
        losses at t, ``replicas`` ``[...]`` the ids of the leading axes."""


@final
@dataclass(frozen=True)
class RandomLosses(Losses):
    """Every message is lost with ``probability``, independently of all others.

    Raises:
        ValueError: probability outside [0, 1].
    """

    probability: float

    def __post_init__(self) -> None:
        if not 0 <= self.probability <= 1:
            raise ValueError(f"probability must lie in [0, 1], got probability={self.probability}")

    @property
    def name(self) -> str:
        return f"losses p={self.probability:g}"

    def delivery(self, t: int, key: Key, replicas: Tensor, sources: Tensor) -> Delivery:
        everyone = torch.arange(sources.shape[-2], device=sources.device)
        coins = key.draws(replicas, everyone).uniform(sources.shape[-1], torch.float64)
        return Delivery(torch.ones_like(sources, dtype=torch.bool), coins >= self.probability)


@final
@dataclass(frozen=True)
class LostMessage(Losses):
    """The one message from ``sender`` to ``receiver`` at ``step`` is lost."""

    sender: int
    receiver: int
    step: int

    @property
    def name(self) -> str:
        return f"message {self.sender} to {self.receiver} lost at step {self.step}"

    def delivery(self, t: int, key: Key, replicas: Tensor, sources: Tensor) -> Delivery:
        everyone = torch.arange(sources.shape[-2], device=sources.device)[:, None]
        hit = (sources == self.sender) & (everyone == self.receiver) & (t == self.step)
        return Delivery(torch.ones_like(hit), ~hit)


@final
@dataclass(frozen=True)
class DeadNode(Losses):
    """From step ``start`` on ``worker`` sends nothing, and what is sent to it is lost."""

    worker: int
    start: int

    @property
    def name(self) -> str:
        return f"worker {self.worker} dead from step {self.start}"

    def delivery(self, t: int, key: Key, replicas: Tensor, sources: Tensor) -> Delivery:
        everyone = torch.arange(sources.shape[-2], device=sources.device)[:, None]
        alive = t < self.start
        return Delivery(
            (sources != self.worker) | alive, ((everyone != self.worker) | alive).expand_as(sources)
        )
