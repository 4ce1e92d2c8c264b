"""Length of a message: the bits in memory of what a user's compress returns."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

_SCALAR = 64
_DEPTH = 20
_DIMENSION = {"d", "n", "dim", "dims", "dimension", "numel", "length", "size", "num_elements"}
_VECTOR = {"x", "v", "vec", "vector", "tensor", "array", "grad", "gradient", "g", "input", "data"}


@final
@dataclass(frozen=True)
class Part:
    """One array, string of bytes or number of a message.

    Attributes:
        what: its type and shape, as ``float32[100]``.
        bits: its length in memory [bits].
        packed: its length [bits] if each integer took the bits of the range that it is in.
    """

    what: str
    bits: float
    packed: float


@final
@dataclass(frozen=True)
class Message:
    """One message; ``unknown`` names the types in it whose length nobody can tell.

    Attributes:
        parts: what it is made of.
        own: what the object itself says of the length [bits], by ``bits``, ``size`` or ``nbytes``.
        own_name: which of these said it.
        sent: whether there is a message apart from x_hat.
    """

    parts: tuple[Part, ...]
    unknown: tuple[str, ...]
    own: float | None = None
    own_name: str = ""
    sent: bool = False

    @property
    def measured(self) -> float | None:
        """Length in memory [bits]; None where nothing is seen, or a part of it cannot be told."""
        if not self.parts or self.unknown:
            return None
        return sum(part.bits for part in self.parts)

    @property
    def silent(self) -> bool:
        """Whether a message was made and nothing is in it, nor does it say its length."""
        return self.sent and not self.parts and not self.unknown and self.own is None

    @property
    def length(self) -> float | None:
        """Length that the object states, else the measured one [bits]."""
        return self.measured if self.own is None else self.own

    @property
    def description(self) -> str:
        """Parts of it, in words."""
        if self.own is not None:
            return f"by its own {self.own_name}"
        return " + ".join(part.what for part in self.parts) or "empty"


def message_of(payload: Any, d: int) -> Message:
    """The length of a payload: arrays, bytes, numbers, and tuples, lists, dicts, objects of them.

    Numbers of Python count 64 bits, booleans one. What the receiver knows counts nothing: shapes of
    d entries, the number d, None, types, and words that are keys of a dict.
    """
    parts, unknown = [], []
    for leaf in _leaves(payload, d, _DEPTH):
        part = _part(leaf)
        if part is None:
            unknown.append(type(leaf).__name__)
        else:
            parts.append(part)
    return Message(tuple(parts), tuple(dict.fromkeys(unknown)))


def own_length(thing: Any, payload: Any, x: Any) -> tuple[float | None, str]:
    """Length [bits] that the payload, else the compressor itself, states, and by which name.

    ``bits`` is in bits, ``size`` and ``nbytes`` in bytes; each a number, or a method of nothing, of
    d, of x or of the payload, told apart by the name of its argument.
    """
    holders = [] if _plain(payload) else [payload]
    for holder in (*holders, thing):
        for name, unit in (("bits", 1), ("size", 8), ("nbytes", 8)):
            said = _number(getattr(holder, name, None), payload, x)
            if said is not None:
                return unit * said, f"{name}{'()' if callable(getattr(holder, name)) else ''}"
    return None, ""


def _plain(payload: Any) -> bool:
    """Whether a payload is of a kind whose ``size`` means something else."""
    kinds = (Tensor, np.ndarray, np.generic, tuple, list, Mapping, bytes, bytearray, memoryview)
    return payload is None or isinstance(payload, kinds)


def _number(said: Any, payload: Any, x: Any) -> float | None:
    if callable(said):
        try:
            said = said(*_arguments(said, payload, x))
        except Exception:  # a stranger's method may raise anything; it says nothing then
            return None
    if isinstance(said, Tensor | np.ndarray | np.generic):
        said = said.item() if np.size(said) == 1 else None
    if isinstance(said, bool) or not isinstance(said, int | float):
        return None
    return float(said) if math.isfinite(said) else None


def _arguments(method: Any, payload: Any, x: Any) -> tuple[Any, ...]:
    needed = [
        p for p in inspect.signature(method).parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]  # fmt: skip
    if not needed:
        return ()
    name = needed[0].name
    if name in _DIMENSION:
        return (len(x),)
    return (x,) if name in _VECTOR else (payload,)


def _leaves(payload: Any, d: int, depth: int) -> Iterator[Any]:
    """Leaves of a payload, inside out, but for what the receiver knows."""
    if depth == 0 or _known(payload, d):
        return
    if isinstance(payload, Mapping):
        keys = [key for key in payload if not isinstance(key, str)]
        inside: Any = [*keys, *payload.values()]
    elif isinstance(payload, list | tuple | Set):
        inside = list(payload)
    elif isinstance(payload, Tensor) and payload.layout is not torch.strided:
        inside = _sparse(payload)
    elif is_dataclass(payload) and not isinstance(payload, type):
        inside = [getattr(payload, field.name) for field in fields(payload)]
    elif not _is_leaf(payload) and getattr(payload, "__dict__", None):
        inside = list(vars(payload).values())
    else:
        yield payload
        return
    for item in inside:
        yield from _leaves(item, d, depth - 1)


def _known(payload: Any, d: int) -> bool:
    """None, a type, a device, d itself, or a shape of d entries."""
    if payload is None or isinstance(payload, torch.dtype | np.dtype | torch.device | type):
        return True
    if type(payload) is int:
        return payload == d
    whole = isinstance(payload, tuple) and all(type(size) is int for size in payload)
    return whole and math.prod(payload) == d


def _is_leaf(payload: Any) -> bool:
    kinds = (Tensor, np.ndarray, np.generic, bytes, bytearray, memoryview, str, int, float, complex)
    return isinstance(payload, kinds)


def _sparse(payload: Tensor) -> list[Tensor]:
    if payload.layout is torch.sparse_coo:
        return [payload._indices(), payload._values()]
    if payload.layout in (torch.sparse_csc, torch.sparse_bsc):
        return [payload.ccol_indices(), payload.row_indices(), payload.values()]
    return [payload.crow_indices(), payload.col_indices(), payload.values()]


def _part(leaf: Any) -> Part | None:
    if isinstance(leaf, Tensor):
        return _tensor_part(leaf)
    if isinstance(leaf, np.ndarray) and leaf.dtype != object:
        bits = 8.0 * leaf.nbytes
        packed = _packed(leaf) if leaf.dtype.kind in "biu" else bits
        return Part(f"{leaf.dtype}{_shape(leaf.shape)}", bits, min(packed, bits))
    if isinstance(leaf, np.generic):
        return Part(str(leaf.dtype), 8.0 * leaf.nbytes, 8.0 * leaf.nbytes)
    if isinstance(leaf, bytes | bytearray | memoryview):
        size = memoryview(leaf).nbytes
        return Part(f"bytes[{size}]", 8.0 * size, 8.0 * size)
    if isinstance(leaf, str):
        size = len(leaf.encode())
        return Part(f"str[{size}]", 8.0 * size, 8.0 * size)
    if isinstance(leaf, bool):
        return Part("bool", 1, 1)
    if isinstance(leaf, int | float):
        return Part(type(leaf).__name__, _SCALAR, _SCALAR)
    return None


def _tensor_part(leaf: Tensor) -> Part:
    bits = 8.0 * leaf.numel() * leaf.element_size()
    name = str(leaf.dtype).removeprefix("torch.")
    what = f"{name}{_shape(tuple(leaf.shape))}"
    if leaf.is_quantized or leaf.is_floating_point() or leaf.is_complex():
        return Part(what, bits, bits)
    return Part(what, bits, min(bits, _packed(leaf.detach().cpu().numpy())))


def _packed(values: np.ndarray[Any, Any]) -> float:
    """Integers at the bits of the range that they lie in."""
    if values.size == 0:
        return 0.0
    return float(values.size * (int(values.max()) - int(values.min())).bit_length())


def _shape(shape: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, shape))}]" if shape else ""
