"""States as vectors: which parts of a method's state move with the models, and which do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import torch
from torch import Tensor

COUNTS = (11, 13)
"""Two numbers of replicas that no other axis has: they tell which axis is that of replicas."""


class Leaf(NamedTuple):
    """A tensor of the state: its name, where its axis of replicas stands, its other axes.

    Attributes:
        name: the fields that lead to it.
        axis: place of the axis of replicas.
        shape: sizes of the other axes.
    """

    name: str
    axis: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of values of one replica that it holds."""
        return int(torch.Size(self.shape).numel())


@final
@dataclass(frozen=True)
class StateShape:
    """The leaves ``moved`` with the models, which make a state's vector; the ``others`` with an
    axis of replicas follow a course of their own, as all the rest does. ``again`` are the names of
    tensors that are others of the state, by the names of those: what is written to one is in both.
    """

    moved: tuple[Leaf, ...]
    others: tuple[Leaf, ...]
    again: Mapping[str, str]

    @property
    def size(self) -> int:
        """The length D of a state's vector."""
        return sum(leaf.size for leaf in self.moved)

    @property
    def names(self) -> tuple[str, ...]:
        """Name of the leaf of each number ``[D]``."""
        return tuple(leaf.name for leaf in self.moved for _ in range(leaf.size))

    def vector(self, state: Any) -> Tensor:
        """The numbers ``[R, D]`` that are moved."""
        found = dict(walk(state))
        return torch.cat([_lines(found[f.name], f.axis) for f in self.moved], 1)

    def filled(self, state: Any, vectors: Tensor) -> Any:
        """A copy of ``state`` with ``vectors`` ``[R, D]`` in place of what is moved.

        Steps may write where they read.
        """
        parts, place = {}, 0
        for leaf in self.moved:
            flat = vectors[:, place : place + leaf.size]
            parts[leaf.name] = flat.reshape(-1, *leaf.shape).movedim(0, leaf.axis)
            place += leaf.size
        copies: dict[str, Any] = {}

        def value(name: str, old: Any) -> Any:
            if name not in self.again:
                copies[name] = _copy(parts.get(name, old))
            return copies[self.again.get(name, name)]

        return _mapped(state, "", value)

    def lost(self, state: Any) -> str:
        """Name of a leaf that the state has not, or in another shape; empty if it has all."""
        found = dict(walk(state))
        for leaf in (*self.moved, *self.others):
            value = found.get(leaf.name)
            if not isinstance(value, Tensor) or value.ndim != len(leaf.shape) + 1:
                return leaf.name
            if (*value.shape[: leaf.axis], *value.shape[leaf.axis + 1 :]) != leaf.shape:
                return leaf.name
        return ""

    def split(self, state: Any) -> str:
        """Name of what is not moved and yet differs between replicas; empty if nothing does."""
        found = dict(walk(state))
        for leaf in self.others:
            lines = _lines(found[leaf.name], leaf.axis)
            if not torch.equal(lines, lines[:1].expand_as(lines)):
                return leaf.name
        return ""

    def course(self, state: Any) -> dict[str, Any]:
        """Parts that are not moved, by name, tensors with an axis of replicas by their first."""
        moved = {f.name for f in self.moved} | set(self.again)
        axes = {f.name: f.axis for f in self.others}
        return {
            name: _lines(value, axes[name])[0] if name in axes else value
            for name, value in walk(state)
            if name not in moved
        }


def same_course(one: dict[str, Any], other: dict[str, Any], tolerance: float = 1e-11) -> bool:
    """Whether two courses stand at the same place: numbers up to ``tolerance`` of themselves."""
    for name, value in one.items():
        beside = other[name]
        if not isinstance(value, Tensor):
            if value is not beside and not (isinstance(value, int | float) and value == beside):
                return False
        elif value.shape != beside.shape or not torch.allclose(
            value.double(), beside.double(), rtol=tolerance, atol=0.0
        ):
            return False
    return True


def leaves(states: tuple[Any, Any]) -> tuple[Leaf, ...]:
    """The tensors with an axis of replicas, of two states with 11 and 13 replicas."""
    other, found = dict(walk(states[1])), []
    for name, value in walk(states[0]):
        beside = other[name]
        if isinstance(value, Tensor) and value.ndim == beside.ndim and value.numel():
            pairs = list(zip(value.shape, beside.shape, strict=True))
            if COUNTS in pairs:
                axis = pairs.index(COUNTS)
                found.append(Leaf(name, axis, (*value.shape[:axis], *value.shape[axis + 1 :])))
    return tuple(found)


def repeated(state: Any) -> dict[str, str]:
    """Names of tensors that are the very ones of an earlier name, by that name."""
    first: dict[int, str] = {}
    found = {}
    for name, value in walk(state):
        if isinstance(value, Tensor) and value.numel():
            earlier = first.setdefault(id(value), name)
            if earlier != name:
                found[name] = earlier
    return found


def walk(part: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Parts of a state one by one, with the fields that lead there."""
    if isinstance(part, tuple):
        for key, value in _named(part):
            yield from walk(value, f"{name}.{key}" if name else key)
    else:
        yield name, part


def _named(part: tuple[Any, ...]) -> list[tuple[str, Any]]:
    fields = getattr(part, "_fields", range(len(part)))
    return [(str(key), value) for key, value in zip(fields, part, strict=True)]


def _copy(part: Any) -> Any:
    return part.clone(memory_format=torch.contiguous_format) if isinstance(part, Tensor) else part


def _mapped(part: Any, name: str, value: Callable[[str, Any], Any]) -> Any:
    if not isinstance(part, tuple):
        return value(name, part)
    parts = [_mapped(v, f"{name}.{k}" if name else k, value) for k, v in _named(part)]
    return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)


def _lines(value: Tensor, axis: int) -> Tensor:
    """``[R, numbers]`` of a tensor whose replicas stand at ``axis``."""
    return value.movedim(axis, 0).reshape(value.shape[axis], -1)
