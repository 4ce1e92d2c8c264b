"""Messages of unequal length on one wire: their bytes end to end, without padding."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad


def byte_mask(lengths: Tensor, width: int) -> Tensor:
    """Mask of ``width`` bytes that belong to messages of ``lengths`` [bits]: ``[..., width]``."""
    return torch.arange(width, device=lengths.device) < -(-lengths // 8)[..., None]


def joined(packed: Tensor, lengths: Tensor) -> Tensor:
    """The bytes of rows ``[..., B]`` of ``lengths`` ``[...]`` [bits], one after the other."""
    if lengths.numel() == 1:  # no mask: it holds eight bytes for one
        return packed.reshape(-1)[: -(-int(lengths) // 8)]
    return packed[byte_mask(lengths, packed.shape[-1])]


def parted(flat: Tensor, lengths: Tensor) -> Tensor:
    """The inverse of :func:`joined`: rows padded with zeros to the longest."""
    if lengths.numel() == 1:
        return flat.reshape(*lengths.shape, -1)
    width = int(lengths.max()) + 7 >> 3 if lengths.numel() else 0
    rows = torch.zeros((*lengths.shape, width), dtype=torch.uint8, device=flat.device)
    rows[byte_mask(lengths, width)] = flat
    return rows


class WireMessage(NamedTuple):
    """Packed rows ``[m, ..., B]`` and their lengths [bits] ``[m, ...]``; None: all are ``bits``.

    Attributes:
        packed: the bytes, filled up with zeros to the longest row ``[m, ..., B]``.
    """

    packed: Tensor
    lengths: Tensor | None
    bits: int

    def flat(self) -> Tensor:
        """The bytes that go on the wire."""
        if self.lengths is None:
            return self.packed.reshape(-1)
        return joined(self.packed, self.lengths)

    def blank(self) -> Tensor:
        """Room for the bytes of a message of these lengths."""
        return (
            torch.empty_like(self.packed).reshape(-1)
            if self.lengths is None
            else (self.packed.new_empty(int(self.bytes().sum())))
        )

    def filled(self, flat: Tensor) -> WireMessage:
        """The message with these bytes."""
        if self.lengths is None:
            return self._replace(packed=flat.view(self.packed.shape))
        return self._replace(packed=parted(flat, self.lengths))

    def bits_by_row(self) -> Tensor:
        """Bits of each row ``[m, ...]``."""
        if self.lengths is None:
            return torch.full(self.packed.shape[:-1], self.bits, device=self.packed.device)
        return self.lengths

    def bytes(self) -> Tensor:
        """Bytes of each row ``[m, ...]``."""
        return -(-self.bits_by_row() // 8)

    def bytes_by_row(self) -> Tensor:
        """Bytes of each sender ``[m]``, all replicas together."""
        return self.bytes().reshape(self.packed.shape[0], -1).sum(-1).cpu()

    def take(self, ids: Tensor) -> WireMessage:
        """The rows at places ``ids``."""
        lengths = None if self.lengths is None else self.lengths[ids].contiguous()
        return self._replace(packed=self.packed[ids].contiguous(), lengths=lengths)

    def empty_like(self, rows: int, *, flat: bool = False) -> WireMessage:
        """An empty message of so many rows; ``flat``: without further axes."""
        middle = () if flat else self.packed.shape[1:-1]
        lengths = None if self.lengths is None else self.lengths.new_empty((rows, *middle))
        packed = self.packed.new_empty((rows, *middle, self.packed.shape[-1]))
        return self._replace(packed=packed, lengths=lengths)

    def select(self, mask: Tensor) -> WireMessage:
        """The rows chosen by ``mask`` ``[m, ...]`` (bool), without further axes."""
        lengths = None if self.lengths is None else self.lengths[mask]
        return self._replace(packed=self.packed[mask], lengths=lengths)

    def scatter(self, flat: WireMessage, mask: Tensor) -> WireMessage:
        """Rows ``[m, ...]`` in which ``flat`` fills the places of ``mask``, blank elsewhere."""
        packed = self.packed.new_zeros((*mask.shape, flat.packed.shape[-1]))
        packed[mask] = flat.packed
        lengths = None
        if flat.lengths is not None:
            lengths = flat.lengths.new_zeros(mask.shape)
            lengths[mask] = flat.lengths
        return self._replace(packed=packed, lengths=lengths)

    def take_per_replica(self, ids: Tensor) -> WireMessage:
        """The rows ``ids`` ``[k, ...]`` of each replica ``[...]``."""
        where = ids[..., None].expand(*ids.shape, self.packed.shape[-1])
        lengths = None if self.lengths is None else self.lengths.gather(0, ids)
        return self._replace(packed=self.packed.gather(0, where), lengths=lengths)

    @staticmethod
    def cat(parts: list[WireMessage]) -> WireMessage:
        """Rows of several messages under each other."""
        width = max(part.packed.shape[-1] for part in parts)
        packed = torch.cat([pad(p.packed, (0, width - p.packed.shape[-1])) for p in parts])
        lengths = [part.lengths for part in parts if part.lengths is not None]
        return parts[0]._replace(packed=packed, lengths=torch.cat(lengths) if lengths else None)

    @staticmethod
    def take_by_owner(parts: list[WireMessage], owner: Tensor) -> WireMessage:
        """Row by row that of the rank ``owner`` ``[k, ...]``."""
        width = max(part.packed.shape[-1] for part in parts)
        stacked = torch.stack([pad(p.packed, (0, width - p.packed.shape[-1])) for p in parts])
        where = owner[None, ..., None].expand(1, *stacked.shape[1:])
        lengths = [part.lengths for part in parts if part.lengths is not None]
        chosen = None
        if lengths:
            chosen = torch.stack(lengths).gather(0, owner[None])[0]
        return parts[0]._replace(packed=stacked.gather(0, where)[0], lengths=chosen)
