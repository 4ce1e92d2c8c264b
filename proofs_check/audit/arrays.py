"""numpy arrays and torch tensors, as a stranger's code takes and returns them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, final

import numpy as np
import torch
from torch import Tensor


class NotNumbers(TypeError):
    """What came back is no array of numbers."""


class Arrays(ABC):
    """One kind of array; ``name`` and ``plural`` as they stand in reports."""

    name: str
    plural: str

    @abstractmethod
    def give(self, x: Tensor) -> Any:
        """A fresh array of its own memory, equal to x."""

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

    def owns(self, y: object) -> bool:
        return isinstance(y, Tensor)

    def raw(self, y: Any) -> bytes:
        return bytes(y.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())

    def shares(self, x: Any, y: Any) -> bool:
        return bool(x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr())


NUMPY, TORCH = NumpyArrays(), TorchTensors()
BOTH: tuple[Arrays, ...] = (NUMPY, TORCH)


def tensor_of(y: Any) -> Tensor:
    """What came back, of either kind, as a detached tensor on the CPU.

    Raises:
        NotNumbers: it is no array of real numbers.
    """
    try:
        found = y.detach().cpu() if isinstance(y, Tensor) else torch.as_tensor(np.asarray(y))
    except (TypeError, ValueError, RuntimeError) as error:
        raise NotNumbers(f"returns {type(y).__name__}, not an array ({error})") from error
    if found.is_complex():
        raise NotNumbers(f"returns complex numbers ({found.dtype})")
    return found
