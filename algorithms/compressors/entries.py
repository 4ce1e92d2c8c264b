"""Lists of entries: messages that name the coordinates they speak of, as many as there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.compressors.base import StatedLength
from algorithms.kernels import distances, mask_to_indices, row_norms
from algorithms.kernels import entries as kernel
from algorithms.kernels.compiled import by_torch
from theory import bits


@final
@dataclass(frozen=True, eq=False)
class Entries:
    """``count`` ``[..., m, 1]`` of the slots ``[..., m, cap]`` are meant, ``positions`` rise."""

    count: Tensor
    positions: Tensor

    @property
    def meant(self) -> Tensor:
        """Mask of the slots in use, ``[..., m, cap]`` (bool)."""
        slots = torch.arange(self.positions.shape[-1], device=self.positions.device)
        return slots < self.count

    def pick(self, x: Tensor) -> Tensor:
        """Values of rows ``[..., m, d]`` there; zeros in the slots that are not in use."""
        cap, d = self.positions.shape[-1], x.shape[-1]
        places = self.positions.reshape(-1, cap)
        rows = x.expand(*self.positions.shape[:-1], d).reshape(-1, d)
        return kernel.pick(self.count.reshape(-1), places, rows).reshape(self.positions.shape)

    def spread(self, values: Tensor, d: int) -> Tensor:
        """Rows ``[..., m, d]`` with ``values`` ``[..., m, cap]`` at the positions, else zero."""
        return self.spread_onto(values.new_zeros((*values.shape[:-1], d)), values)

    def spread_onto(self, rows: Tensor, values: Tensor) -> Tensor:
        """``rows`` itself (contiguous), ``values`` added at the positions; either may have
        slots that are not meant and that the other has not."""
        places, held = (part.reshape(-1, part.shape[-1]) for part in (self.positions, values))
        kernel.spread_onto(self.count.reshape(-1), places, held, rows.view(-1, rows.shape[-1]))
        return rows


def entries_of(mask: Tensor, most: int | None = None) -> Entries:
    """The coordinates set in ``mask`` ``[..., m, d]`` (bool), in ascending order.

    There are as many slots as the fullest row needs, one at least; ``most``, or d, where nobody
    may look how many that are (``kernels.entries.places``).
    """
    count, places = kernel.places(mask.reshape(-1, mask.shape[-1]), most)
    return Entries(count.reshape(*mask.shape[:-1], 1), places.reshape(*mask.shape[:-1], -1))


def listed(mask: Tensor, x: Tensor) -> tuple[Entries, Tensor]:
    """:func:`entries_of` of a mask, and what rows x ``[..., m, d]`` hold there."""
    rows = (part.reshape(-1, x.shape[-1]) for part in (mask.expand(x.shape), x))
    count, *lists = mask_to_indices.listed(*rows)
    places, values = (part.reshape(*x.shape[:-1], -1) for part in lists)
    return Entries(count.reshape(*x.shape[:-1], 1), places), values


def all_of(positions: Tensor) -> Tensor:
    """The count ``[..., m, 1]`` of lists ``[..., m, cap]`` of which every slot is meant."""
    return torch.full_like(positions[..., :1], positions.shape[-1], dtype=torch.int64)


def first(count: Tensor, cap: int) -> Tensor:
    """Mask ``[..., m, cap]`` of the first ``count`` ``[..., m, 1]`` slots."""
    return torch.arange(cap, device=count.device) < count


def gaps(entries: Entries) -> Tensor:
    """Distances ``[..., m, cap]``, at least 1, from one position to the next, from -1 on."""
    return distances.between(entries.count, entries.positions)


def from_gaps(count: Tensor, gaps: Tensor) -> Entries:
    """The inverse of :func:`gaps`."""
    return Entries(count, distances.summed(count, gaps))


def sums(x: Tensor) -> Tensor:
    """Sum of magnitudes ``[..., m, 1]`` (float64) of rows, in a fixed order (``row_norms``)."""
    flat = x.reshape(-1, x.shape[-1]).contiguous()
    total = row_norms.abs_sums_torch(flat) if by_torch(x) else row_norms.abs_sums_numba(flat)
    return total.reshape(*x.shape[:-1], 1)


def signed_sums(x: Tensor) -> Tensor:
    """Sum ``[..., m, 1]`` (float64) of rows: what is above zero less what is below."""
    return sums(x.clamp_min(0)) - sums(x.clamp_max(0))


def golomb_lengths(sent: Tensor, k: int, head: int) -> StatedLength:
    """``head`` bits and the positions of k equal magnitudes; the first k where all are zero."""
    held = (sent != 0).reshape(-1, sent.shape[-1])
    places = [row.nonzero()[:, 0].tolist() or list(range(k)) for row in held]
    lengths = [head + bits.golomb_positions(at, sent.shape[-1]) for at in places]
    length = torch.tensor(lengths, dtype=torch.float64).reshape(sent.shape[:-1])
    return StatedLength(length, length)
