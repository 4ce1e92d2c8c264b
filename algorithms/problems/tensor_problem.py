"""Problems by what they share: data in one tensor, minibatches of it, no noise at all."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import torch
from torch import Tensor

from algorithms.core.key import Draws
from algorithms.problems.base import Problem, content_hash, pair_shape
from theory.constants import Constants


class TensorProblem(Problem):
    """A problem whose type, place and sizes are those of one tensor ``tensor`` ``[n, ..., d]``.

    x_0 = 0. Rows are independent bit for bit where the tensor lives on a CPU: kernels run there.
    Members find ``_constants`` and ``_data`` once, as cached properties, and override the rest
    where it differs.
    """

    if TYPE_CHECKING:

        @property
        def _constants(self) -> Constants: ...
        @property
        def _data(self) -> dict[str, Any]: ...

    @property
    @abstractmethod
    def tensor(self) -> Tensor: ...

    @property
    def n(self) -> int:
        return self.tensor.shape[0]

    @property
    def d(self) -> int:
        return self.tensor.shape[-1]

    @property
    def dtype(self) -> torch.dtype:
        return self.tensor.dtype

    @property
    def device(self) -> torch.device:
        return self.tensor.device

    @property
    def rowwise(self) -> bool:
        return self.tensor.device.type == "cpu"

    def start(self) -> Tensor:
        return torch.zeros(self.d, dtype=self.dtype, device=self.device)

    def constants(self) -> Constants:
        return self._constants

    def data(self) -> Any:
        return self._data

    def described(self, kind: str, *arrays: Tensor, **more: Any) -> dict[str, Any]:
        """Identity of a problem of this kind: its name, sizes and arrays, and ``more``."""
        return {
            "problem": kind, "name": self.name, "n": self.n, "d": self.d,
            "dtype": str(self.dtype), "arrays": content_hash(*arrays), **more,
        }  # fmt: skip


class Minibatch(TensorProblem):
    """A stochastic gradient averages ``batch`` samples."""

    if TYPE_CHECKING:

        @property
        def batch(self) -> int: ...

    @property
    def exact_cost(self) -> float:
        return self.tensor.shape[1] / self.batch if self.batch else 1.0

    def resampled(self, factor: int) -> Self:
        return replace(self, batch=self.batch * factor)  # type: ignore[type-var]


class SharedSamples(TensorProblem):
    """All n = ``workers`` workers share the data of ``tensor``, which has no axis of workers."""

    if TYPE_CHECKING:

        @property
        def workers(self) -> int: ...

    @property
    def n(self) -> int:
        return self.workers


class Linear(Minibatch):
    r"""f_i(x) = \frac1S \sum_s l_{is}(a_{is}^T x) + r(x), a the rows of ``tensor`` ``[n, S, d]``.

    A stochastic gradient averages ``batch`` samples drawn with replacement from the worker's own,
    0: all of them, once each.
    """

    @abstractmethod
    def averaged(self, x: Tensor, workers: Tensor, index: Tensor) -> Tensor:
        """Gradients ``[..., k, d]`` of ``workers`` ``[..., k]`` at x ``[..., k or 1, d]``, over
        their samples ``index`` ``[..., k, b]``."""

    @abstractmethod
    def slopes(self, x: Tensor) -> Tensor:
        """l' of all samples, up to a common sign, at x ``[..., d]``: ``[..., n S]``."""

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        if self.batch == 0:
            return self.full_gradient(x, draws.workers)
        index = draws.integers(self.tensor.shape[1], self.batch)
        return self.averaged(x, draws.workers, index)

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        lead = pair_shape(x, workers)
        samples = torch.arange(self.tensor.shape[1], device=self.device)
        return self.averaged(x, workers.expand(lead), samples.expand(*lead, samples.numel()))

    def noise(self, x: Tensor) -> Tensor:
        if self.batch == 0:
            return torch.zeros((*x.shape[:-1], self.n), dtype=x.dtype, device=x.device)
        n, samples, _ = self.tensor.shape
        slopes = self.slopes(x).reshape(*x.shape[:-1], n, samples)
        second = (slopes.square() * self.tensor.square().sum(-1)).mean(-1)
        mean = torch.einsum("...ns,nsd->...nd", slopes, self.tensor) / samples
        return (second - mean.square().sum(-1)).clamp_min(0.0) / self.batch

    @cached_property
    def _flat(self) -> Tensor:
        """All rows ``[n S, d]``."""
        return self.tensor.flatten(0, 1)


class Solved(TensorProblem):
    """Its minimiser ``[d]`` and minimum are known: members find ``_minimum`` once."""

    if TYPE_CHECKING:

        @property
        def _minimum(self) -> tuple[Tensor, float]: ...

    @cached_property
    def x_star(self) -> Tensor:
        return self._minimum[0].to(self.tensor)

    @cached_property
    def f_star(self) -> float:
        return self._minimum[1]


class Noiseless(Problem):
    """Every gradient is exact."""

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        return self.full_gradient(x, draws.workers)

    def noise(self, x: Tensor) -> Tensor:
        return torch.zeros((*x.shape[:-1], self.n), dtype=x.dtype, device=x.device)

    def resampled(self, factor: int) -> Self:
        """Itself: there is no noise to average."""
        return self
