"""numpy arrays and torch tensors, as a stranger's code takes and returns them."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from proofs_check.audit.faults import BadAnswer

_PLAIN = (torch.float32, torch.float64)


class NotNumeric(BadAnswer, TypeError):
    """Error that the output is no array of numbers."""


class Arrays(ABC):
    """One kind of array; ``name`` and ``plural`` as they stand in reports."""

    name: str
    plural: str

    @abstractmethod
    def give(self, x: Tensor) -> Any:
        """A fresh array of its own memory, equal to x."""

    @abstractmethod
    def give_rows(self, x: Tensor) -> Iterator[Any]:
        """:meth:`give` of every row of x ``[P, d]``."""

    @abstractmethod
    def plain(self, y: object) -> np.ndarray[Any, Any] | None:
        """y as an array of numpy where that takes no thought: floats of this kind on the CPU."""

    @abstractmethod
    def owns(self, y: object) -> bool:
        """Whether y is of this kind."""

    @abstractmethod
    def raw(self, y: Any) -> bytes:
        """The bytes of an array of this kind."""

    @abstractmethod
    def shares(self, x: Any, y: Any) -> bool:
        """Whether two arrays of this kind share memory."""


@final
class NumpyArrays(Arrays):
    """Subjects that take and give numpy arrays."""

    name = "numpy"
    plural = "numpy arrays"

    def give(self, x: Tensor) -> Any:
        return x.numpy().copy()

    def give_rows(self, x: Tensor) -> Iterator[Any]:
        return (row.copy() for row in x.numpy())

    def plain(self, y: object) -> np.ndarray[Any, Any] | None:
        return y if isinstance(y, np.ndarray) and y.dtype.kind == "f" else None

    def owns(self, y: object) -> bool:
        return isinstance(y, np.ndarray)

    def raw(self, y: Any) -> bytes:
        return bytes(np.asarray(y).tobytes())

    def shares(self, x: Any, y: Any) -> bool:
        return bool(np.shares_memory(x, y))


@final
class TorchTensors(Arrays):
    """Subjects that take and give torch tensors."""

    name = "torch"
    plural = "torch tensors"

    def give(self, x: Tensor) -> Any:
        return x.clone()

    def give_rows(self, x: Tensor) -> Iterator[Any]:
        return (row.clone() for row in x)

    def plain(self, y: object) -> np.ndarray[Any, Any] | None:
        if type(y) is not Tensor or y.dtype not in _PLAIN or y.requires_grad:
            return None
        return y.numpy() if y.device.type == "cpu" else None

    def owns(self, y: object) -> bool:
        return isinstance(y, Tensor)

    def raw(self, y: Any) -> bytes:
        return bytes(y.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())

    def shares(self, x: Any, y: Any) -> bool:
        return bool(x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr())


NUMPY, TORCH = NumpyArrays(), TorchTensors()
BOTH: tuple[Arrays, ...] = (NUMPY, TORCH)


def tensor_of(y: Any) -> Tensor:
    """Output, of either kind, as a detached tensor on the CPU.

    Raises:
        NotNumeric: it is no array of real numbers.
    """
    if inspect.iscoroutine(y):
        y.close()  # else Python warns that nobody awaited it
        raise NotNumeric("returns a coroutine, not an array; a function without async would do")
    if inspect.isgenerator(y):
        raise NotNumeric("returns a generator, not an array; return in place of yield would do")
    if y is None:
        raise NotNumeric("returns None, not an array; a return of x_hat would do")
    try:
        found = y.detach().cpu() if isinstance(y, Tensor) else torch.as_tensor(np.asarray(y))
    except (TypeError, ValueError, RuntimeError) as error:
        raise NotNumeric(f"returns {type(y).__name__}, not an array ({error})") from error
    if found.is_complex():
        raise NotNumeric(f"returns complex numbers ({found.dtype})")
    return found
