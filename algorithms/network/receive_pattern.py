"""Links of one exchange that differs from replica to replica, and their cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.deferred_checks import now


@final
@dataclass(frozen=True)
class ReceivePattern:
    """Worker i hears ``sources[..., i, s]`` in slot s; its own id there is no message.

    sources  worker ids ``[..., n, s]`` (int64), with all replica axes
    arrives  ``[..., n, s]`` (bool): which messages arrive; those that do not are paid by the sender
    """

    sources: Tensor
    arrives: Tensor

    @staticmethod
    def from_sources(
        sources: Tensor, arrives: Tensor | None, n: int, replicas: torch.Size | tuple[int, ...]
    ) -> ReceivePattern:
        """With all replica axes.

        Raises:
            ValueError: not int64 ``[..., n, s]``, or an id outside [0, n), which is not looked at
                on a device where checks are late.
        """
        shape = tuple(sources.shape)
        if sources.dtype != torch.int64 or sources.dim() < 2 or shape[-2] != n:
            raise ValueError(
                f"sources must be int64 [..., n={n}, s], got {sources.dtype} of shape {shape}"
            )
        looked_at = sources.is_cpu or now() is None  # a device has its own check
        if looked_at and sources.numel() and (int(sources.min()) < 0 or int(sources.max()) >= n):
            raise ValueError(
                f"sources must be worker ids in [0, {n}), got {int(sources.min())} to "
                f"{int(sources.max())}; a worker's own id means no message"
            )
        full = (*replicas, *shape[-2:])
        there = torch.ones_like(sources, dtype=torch.bool) if arrives is None else arrives
        return ReceivePattern(sources.expand(full), there.expand(full))

    @property
    def apart(self) -> Tensor:
        """Slots ``[..., n, s]`` (bool) in which a message is sent."""
        own = torch.arange(self.sources.shape[-2], device=self.sources.device)
        return self.sources != own[:, None]

    def sent(self) -> Tensor:
        """Messages that each worker sends ``[..., n]`` (int64)."""
        flat, charge = self.sources.flatten(-2), self.apart.flatten(-2).to(torch.int64)
        empty = torch.zeros(self.sources.shape[:-1], dtype=torch.int64, device=flat.device)
        return empty.scatter_add(-1, flat, charge)

    def received(self, per_source: int | Tensor) -> Tensor:
        """Sum ``[..., n]`` of ``per_source`` (one number or ``[..., n]``) over messages heard."""
        incoming = (self.apart & self.arrives).to(torch.int64)
        if isinstance(per_source, int):
            return incoming.sum(-1) * per_source
        amounts = per_source.expand(self.sources.shape[:-1])
        return (incoming * pick(amounts[..., None], self.sources)[..., 0]).sum(-1)

    def links(self) -> Tensor:
        """``[..., n, n]`` (int64): 1 where the row's worker waits for the column's."""
        shape = (*self.sources.shape[:-1], self.sources.shape[-2])
        links = torch.zeros(shape, dtype=torch.int64, device=self.sources.device)
        links.scatter_(-1, self.sources, 1)
        return links * (1 - torch.eye(shape[-1], dtype=torch.int64, device=links.device))

    def needed(self, first: int, count: int) -> Tensor:
        """Whom the ``count`` workers from ``first`` on hear ``[..., n]`` (bool)."""
        flat = self.sources[..., first : first + count, :].flatten(-2)
        empty = torch.zeros(self.sources.shape[:-1], dtype=torch.bool, device=flat.device)
        return empty.scatter(-1, flat, True)

    def only_arrived(self, rows: Tensor, held: slice) -> Tensor:
        """Rows ``[..., m, s, d]`` of the listeners ``held``, zero where nothing came."""
        there = (self.arrives | ~self.apart)[..., held, :]
        if now() is None and bool(there.all()):
            return rows
        return torch.where(there[..., None], rows, 0)


def pick(rows: Tensor, sources: Tensor) -> Tensor:
    """Rows ``[..., k, s, d]`` of ``rows`` ``[..., n, d]`` named by ``sources`` ``[..., k, s]``."""
    flat = sources.flatten(-2)[..., None].expand(*rows.shape[:-2], -1, rows.shape[-1])
    return rows.gather(-2, flat).view(*rows.shape[:-2], *sources.shape[-2:], rows.shape[-1])
