"""Anybody's ``torch.nn.Module`` with a loss and data as a problem: a model of one's own."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, final

import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap
from torch.nn.functional import mse_loss

from algorithms.core.key import Draws
from algorithms.problems.base import lower, pair_shape, require_finite, require_int
from algorithms.problems.bundled import bundled
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.sample_noise import gradients, minibatch_noise
from algorithms.problems.tensor_problem import Minibatch
from theory.constants import Constants

Loss = Callable[[Tensor, Tensor], Tensor]
"""From outputs ``[s, ...]`` and labels ``[s, ...]`` to the mean loss of these samples, a scalar."""

_CHUNK = 64  # per-sample gradients held together
_POINTS = 4  # points at which all samples are gone through together
_MEAN = 1e-6  # relative: the loss of two samples against the mean of their losses


@final
@dataclass(frozen=True, eq=False)
class ModuleProblem(Minibatch):
    r"""f_i(x) = \frac1S \sum_s loss(module_x(a_{is}), y_{is}), x the module's parameters, flat.

    ``features`` ``[n, S, ...]`` and ``labels`` ``[n, S, ...]`` are the samples of each worker. A
    stochastic gradient averages ``batch`` of them, drawn with replacement, 0: all of them. The
    start is the module's parameters as they are. The module computes in float64 and as it is
    evaluated: no drop-out, batch norms by their stored statistics. Build it with :meth:`from_data`.
    (The caller's own problem.)

    Attributes:
        name: what reports call it.
        module: the model; a copy, whose parameters are never written to.
        loss: mean loss of samples from outputs and labels.
        stated: constants that the caller states of f; what is not stated can be estimated
            (``rateproof assumptions``).

    Raises:
        ValueError: features that are not finite, sizes that do not fit, batch < 0, a module without
            parameters to train, or a loss that is not the mean over its samples.
    """

    name: str
    module: nn.Module
    loss: Loss
    features: Tensor
    labels: Tensor
    batch: int
    stated: Constants = field(default_factory=Constants)

    rowwise = False
    x_star = None

    def __post_init__(self) -> None:
        if self.features.shape[:2] != self.labels.shape[:2] or self.features.ndim < 2:
            raise ValueError(
                "features and labels must be [n, S, ...] of the same n and S, got "
                f"{list(self.features.shape)} and {list(self.labels.shape)}"
            )
        require_int("batch", self.batch, 0)
        if self.features.is_floating_point():
            require_finite("features", self.features)
        if not self._parameters:
            raise ValueError("module must have parameters that require a gradient, got none")
        some = (self.features[0, :2], self.labels[0, :2])
        x, pairs = self.start(), zip(*some, strict=True)
        try:
            with warnings.catch_warnings():  # labels that are broadcast make another loss
                warnings.filterwarnings("error", "Using a target size")
                both = self._loss(x, *some)
                single = [self._loss(x, a[None], y[None]) for a, y in pairs]
        except (RuntimeError, IndexError, TypeError, UserWarning) as error:  # torch's own words
            raise ValueError(
                f"module and loss must take features of {list(some[0].shape)} and labels of "
                f"{list(some[1].shape)}, got {type(error).__name__}: {error}"
            ) from error
        mean = torch.stack(single).mean()
        if both.ndim or not torch.allclose(both, mean, rtol=_MEAN, atol=_MEAN):
            raise ValueError(
                "loss must be the mean over the samples it is given, a scalar: of two samples it "
                f"is {both.tolist()}, of each alone {[one.tolist() for one in single]}"
            )

    @staticmethod
    def from_data(
        module: nn.Module, loss: Loss, features: Tensor, labels: Tensor, *, n: int, batch: int = 8,
        name: str = "own module", seed: int = 0, stated: Constants | None = None,
    ) -> ModuleProblem:  # fmt: skip
        """Deal samples ``features`` ``[N, ...]``, ``labels`` ``[N, ...]`` to n workers, alike many.

        They are shuffled by ``seed`` first. Workers whose samples differ in kind are given to the
        class itself, as ``[n, S, ...]``.

        Raises:
            ValueError: n < 1 or n > N, or as the class.
        """
        for title, given in (("features", features), ("labels", labels)):
            if not isinstance(given, Tensor) or given.ndim < 1:
                raise ValueError(f"{title} must be a tensor [N, ...], got {title}={given!r}")
        if len(features) != len(labels):
            raise ValueError(
                f"features and labels must be of the same N, got {len(features)} and {len(labels)}"
            )
        require_int("n", n, 1, len(features))
        require_int("batch", batch, 0)
        size = len(features) // n
        order = torch.randperm(len(features), generator=torch.Generator().manual_seed(seed))
        kept = order[: n * size]
        dealt = [a[kept].reshape(n, size, *a.shape[1:]) for a in (features, labels)]
        wide = [a.double() if a.is_floating_point() else a for a in dealt]
        own = copy.deepcopy(module).double().eval()
        return ModuleProblem(name, own, loss, wide[0], wide[1], batch, stated or Constants())

    def to(self, device: torch.device | str) -> ModuleProblem:
        if torch.device(device) == self.device:
            return self
        module = copy.deepcopy(self.module).to(device)
        features, labels = self.features.to(device), self.labels.to(device)
        return replace(self, module=module, features=features, labels=labels)

    @property
    def tensor(self) -> Tensor:
        return self.features

    @property
    def dtype(self) -> torch.dtype:
        return self.start().dtype

    @cached_property
    def _parameters(self) -> dict[str, Tensor]:
        """Those that are trained, by name."""
        named = self.module.named_parameters()
        return {name: p.detach() for name, p in named if p.requires_grad}

    @cached_property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(p.shape) for p in self._parameters.values())

    @cached_property
    def d(self) -> int:
        return sum(math.prod(shape) for shape in self.shapes)

    @property
    def f_star(self) -> float | None:
        return self.stated.f_star

    def start(self) -> Tensor:
        return torch.cat([p.reshape(-1) for p in self._parameters.values()])

    def _loss(self, x: Tensor, features: Tensor, labels: Tensor) -> Tensor:
        """Mean loss of samples ``[s, ...]`` at one x ``[d]``."""
        parts = torch.split(x, [math.prod(shape) for shape in self.shapes])
        named = zip(self._parameters, parts, self.shapes, strict=True)
        weights = {name: part.view(shape) for name, part, shape in named}
        outputs = functional_call(self.module, weights, (features,))
        return self.loss(outputs, labels)

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        if self.batch == 0:
            return self.full_gradient(x, draws.workers)
        index = draws.integers(self.features.shape[1], self.batch)
        rows = draws.workers[..., None]
        return self._pairs(x, self.features[rows, index], self.labels[rows, index])

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        return self._pairs(x, self.features[workers], self.labels[workers])

    def _pairs(self, x: Tensor, features: Tensor, labels: Tensor) -> Tensor:
        """Gradients ``[..., k, d]`` at x ``[..., k or 1, d]``, samples ``[..., k, s, ...]``."""
        kinds = self.features.ndim - 1, self.labels.ndim - 1
        lead = pair_shape(x, features.flatten(features.ndim - kinds[0])[..., 0])
        points = x.expand(*lead, self.d).reshape(-1, self.d)
        flat = [
            a.expand(*lead, *a.shape[a.ndim - k :]).reshape(-1, *a.shape[a.ndim - k :])
            for a, k in zip((features, labels), kinds, strict=True)
        ]
        rows: Tensor = gradients(self._loss, points, *flat, chunk=_CHUNK)
        return rows.view(*lead, self.d)

    def value(self, x: Tensor) -> Tensor:
        features, labels = self.features.flatten(0, 1), self.labels.flatten(0, 1)
        one = vmap(lambda point: self._loss(point, features, labels), chunk_size=_POINTS)
        out: Tensor = one(x.reshape(-1, self.d))
        return out.reshape(x.shape[:-1])

    def mean_gradient(self, x: Tensor) -> Tensor:
        features, labels = self.features.flatten(0, 1), self.labels.flatten(0, 1)
        loss = partial(self._loss, features=features, labels=labels)
        return gradients(loss, x.reshape(-1, self.d), chunk=_POINTS).reshape(x.shape)

    def noise(self, x: Tensor) -> Tensor:
        return minibatch_noise(self._loss, x, self.features, self.labels, self.batch, _CHUNK)

    @cached_property
    def _constants(self) -> Constants:
        c = self.stated.state(n=self.n, d=self.d)
        if c.f_star is not None and c.initial_gap is None:
            gap = self.value(self.start()).item() - c.f_star
            c = c.state(lower("f(x_0) - f*, f* as it is stated", "x_0"), initial_gap=gap)
        return c

    @cached_property
    def _data(self) -> dict[str, Any]:
        return self.described(
            "module", self.features, self.labels, *self._parameters.values(),
            module=repr(self.module), loss=getattr(self.loss, "__name__", repr(self.loss)),
            batch=self.batch,
        )  # fmt: skip


def diabetes_module(n: int, *, hidden: int = 6, batch: int = 8) -> ModuleProblem:
    """Least squares of a network 10-``hidden``-1 on scikit-learn's diabetes, as anybody's module.

    Features have variance 1, targets are divided by 100; 442 // n samples a worker, shuffled.

    Raises:
        ValueError: n > 442, or n or hidden below 1, batch below 0.
    """
    require_int("hidden", hidden, 1)
    table, progress = bundled("diabetes")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = nn.Sequential(nn.Linear(10, hidden), nn.Tanh(), nn.Linear(hidden, 1))
    features = torch.from_numpy(table * len(table) ** 0.5)
    targets = torch.from_numpy(progress / 100)[:, None]
    told = Constants().state(lower("squares are not negative"), f_star=0.0)
    return ModuleProblem.from_data(
        network, mse_loss, features, targets, n=n, batch=batch,
        name="module-diabetes", stated=told,
    )  # fmt: skip


ENTRIES = (
    ProblemEntry(
        "module-diabetes",
        "least squares of a torch module 10-6-1 (tanh) on diabetes, iid shards",
        diabetes_module,
        general=False,
    ),
)
