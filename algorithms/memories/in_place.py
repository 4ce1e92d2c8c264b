"""Memories over one long row: slice by slice and in place, so that no further row is held."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from algorithms.core.row_slices import row_slices
from algorithms.memories.base import Memory, Round

_NOWHERE = torch.empty(0)


def leaves(state: Any) -> list[Tensor]:
    """The tensors of a memory's state, in order."""
    if isinstance(state, Tensor):
        return [state]
    return [leaf for part in state for leaf in leaves(part)]


def mapped(state: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """A state of this structure with every tensor changed."""
    if isinstance(state, Tensor):
        return change(state)
    parts = [mapped(part, change) for part in state]
    return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)


def filled(state: Any, saved: list[Tensor]) -> Any:
    """A state of this structure with copies of other tensors.

    Raises:
        ValueError: one has another shape.
    """
    rest = iter(saved)

    def replaced(old: Tensor) -> Tensor:
        leaf = next(rest)
        if leaf.shape != old.shape:
            raise ValueError(
                f"the saved memory has shape {list(leaf.shape)}, this model needs "
                f"{list(old.shape)}; load it into the model it was saved from"
            )
        return leaf.to(old, copy=True)

    return mapped(state, replaced)


def before(memory: Memory[Any], state: Any, x: Tensor, out: Tensor) -> None:
    """Write ``memory.before(state, x)`` for rows ``[..., m, d]`` to ``out``, which may be x."""
    for here in row_slices(x.shape[-1]):
        wanted = memory.before(part(state, here), x[..., here])
        out[..., here].copy_(wanted)


def after(memory: Memory[Any], state: Any, round_: Round) -> None:
    """Make ``state`` into ``memory.after(state, round_)``; no tensor in it may share memory.

    Fields of the round that ``after_reads`` does not name may be empty; so may ``wanted`` where x
    is there, of which it is made again.
    """
    for here in row_slices(round_.sent.shape[-1]):
        old = part(state, here)
        seen = Round(*(_at(field, here) for field in round_))
        if not seen.wanted.numel() and seen.x.numel():
            seen = seen._replace(wanted=memory.before(old, seen.x))
        new = memory.after(old, seen)
        for kept, leaf in zip(leaves(old), leaves(new), strict=True):
            kept.copy_(leaf)


def distance(x: Tensor, y: Tensor) -> float:
    """||x - y|| of two rows ``[..., d]``."""
    parts = [
        torch.linalg.vector_norm(x[..., here] - y[..., here], dtype=torch.float64)
        for here in row_slices(x.shape[-1])
    ]
    return float(torch.linalg.vector_norm(torch.stack(parts)))


def nothing(like: Tensor) -> Tensor:
    """Placeholder in a round for a field that is not read."""
    return _NOWHERE.to(like)


def _at(row: Tensor, here: slice) -> Tensor:
    return row[..., here] if row.numel() else row


def part(state: Any, here: slice) -> Any:
    """The state of some coordinates, which shares its memory."""
    return mapped(state, lambda leaf: _at(leaf, here))
