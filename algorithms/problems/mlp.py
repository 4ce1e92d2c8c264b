"""A small multilayer perceptron on scikit-learn's digits: non-convex, no smoothness constant."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import torch
from torch import Tensor
from torch.func import vmap
from torch.nn.functional import cross_entropy

from algorithms.core.key import Draws, Key
from algorithms.kernels import layers
from algorithms.problems import datasets
from algorithms.problems.base import (
    lower,
    pair_shape,
    require_int,
    upper,
)
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.partitions import Iid, Partition
from algorithms.problems.sample_noise import minibatch_noise
from algorithms.problems.samples import require_samples
from algorithms.problems.tensor_problem import Minibatch
from theory.constants import Constants

_CHUNK = 512  # points handled together: per-sample gradients are held for that many only


@final
@dataclass(frozen=True, eq=False)
class MLP(Minibatch):
    r"""f_i(x) = \frac1S \sum_s CE(W_2 \tanh(W_1 a_{is} + b_1) + b_2, y_{is}).

    ``features`` ``[n, S, p]``, ``labels`` ``[n, S]`` in {0 .. classes-1}; x = (W_1, b_1, W_2,
    b_2) lies flat in ``[d]``, d = (p + 1) hidden + (hidden + 1) classes. Gradients come from
    torch.func, vmapped over replicas and workers; their batched products depend, in the last bits,
    on how many rows are computed together: ``rowwise`` is False. A stochastic gradient averages
    ``batch`` samples drawn with replacement from the worker's own shard, 0: all of them, once
    each. (Textbook problem.)

    Attributes:
        name: what reports call it.
        seed: seed of the starting point x_0.
        source: where the data come from; empty if they are made here.
        units: W_1 of x_0 is divided by this; with features that many times as large the network
            starts as the same function of other units.

    Raises:
        ValueError: features that are not finite or not ``[n, S, p]``, labels out of range,
            batch < 0, hidden or classes < 1, units not positive.
    """

    name: str
    features: Tensor
    labels: Tensor
    batch: int
    hidden: int = 16
    classes: int = 10
    seed: int = 0
    source: str = ""
    units: float = 1.0

    rowwise = False
    x_star = None
    f_star = None

    def __post_init__(self) -> None:
        require_samples(self.features, "labels", self.labels, "p")
        for name, least in (("batch", 0), ("hidden", 1), ("classes", 1)):
            require_int(name, getattr(self, name), least)
        if not 0 < self.units < math.inf:
            raise ValueError(f"units must be positive and finite, got units={self.units}")
        require_int("labels.min()", int(self.labels.min()), 0)
        require_int("labels.max()", int(self.labels.max()), 0, self.classes - 1)

    @property
    def tensor(self) -> Tensor:
        return self.features

    @cached_property
    def d(self) -> int:
        return sum(math.prod(shape) for shape in self.shapes)

    @cached_property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        p, h, k = self.features.shape[2], self.hidden, self.classes
        return (h, p), (h,), (k, h), (k,)

    def start(self) -> Tensor:
        """Normal weights of variance 2 / (fan in + fan out) (Glorot, Bengio 2010), zero biases;
        those of the first layer over ``units``."""
        one = torch.zeros(1, dtype=torch.int64)
        parts = []
        for layer, shape in enumerate(self.shapes):
            size = math.prod(shape)
            if len(shape) == 1:
                parts.append(torch.zeros(size, dtype=self.dtype))
                continue
            draws = Key.seed(self.seed).fold("start", layer).draws(one[0], one)
            weights = draws.normal(size, self.dtype)[0] * math.sqrt(2 / sum(shape))
            parts.append(weights / self.units if layer == 0 else weights)
        return torch.cat(parts).to(self.device)

    def _scores(self, x: Tensor, features: Tensor) -> Tensor:
        """Logits ``[s, classes]`` of samples ``[s, p]`` at one x ``[d]``."""
        w1, b1, w2, b2 = self._layers(x)
        hidden = torch.tanh(features @ w1.T + b1)
        return hidden @ w2.T + b2

    def _loss(self, x: Tensor, features: Tensor, labels: Tensor) -> Tensor:
        """Mean loss of samples ``[s, p]`` at one x ``[d]``."""
        return cross_entropy(self._scores(x, features), labels)

    def minibatch_loss(self, x: Tensor, draws: Draws) -> Tensor:
        """Loss of one worker's next minibatch at x ``[d]``, for back propagation: a scalar.

        Its gradient is that worker's row of :meth:`gradient`.
        """
        worker = draws.workers.reshape(-1)[0]
        if self.batch == 0:
            return self._loss(x, self.features[worker], self.labels[worker])
        index = draws.integers(self.features.shape[1], self.batch).reshape(-1)
        return self._loss(x, self.features[worker, index], self.labels[worker, index])

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        if self.batch == 0:
            return self.full_gradient(x, draws.workers)
        places = draws.samples(self.features.shape[1], self.batch)
        return self._pairs(x, draws.workers, places)

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        samples = self.features.shape[1]
        every = torch.arange(samples, device=workers.device)
        return self._pairs(x, workers, workers[..., None] * samples + every)

    def _pairs(self, x: Tensor, workers: Tensor, place: Tensor) -> Tensor:
        """Gradients ``[..., k, d]`` at x ``[..., k or 1, d]`` of ``workers`` ``[..., k]`` on
        samples ``place`` ``[..., k, s]`` of all."""
        lead = pair_shape(x, workers)
        flat = place.expand(*lead, -1).reshape(-1, place.shape[-1])
        share = lead[-1] if x.shape[:-1] == (*lead[:-1], 1) else 1
        points = x if share > 1 else x.expand(*lead, -1)
        return self._gradients(points.reshape(-1, self.d), flat, share).view(*lead, self.d)

    def _gradients(self, points: Tensor, place: Tensor, share: int = 1) -> Tensor:
        """Gradients ``[m, d]`` of the mean loss at points ``[m / share, d]``, ``share`` pairs in
        turn at one, each on samples ``[m, s]`` of its own.

        Back propagation by hand: autograd of a batch of such small layers takes ten times as long.
        """
        features, labels = self._all
        w2, b2 = self._last(points, share)
        hidden = layers.forth(features, place, points, share, self.hidden).tanh_()
        scores = torch.baddbmm(b2, hidden, w2.mT)
        back = layers.slopes(scores, labels, place)
        out = torch.empty((place.shape[0], self.d), dtype=self.dtype, device=points.device)
        last = torch.bmm(back.mT, hidden), back.sum(1)
        layers.back(torch.bmm(back, w2), hidden, features, place, *last, out)
        return out

    def _last(self, points: Tensor, share: int) -> tuple[Tensor, Tensor]:
        """Weights ``[m, classes, hidden]`` and biases ``[m, 1, classes]`` of the last layer."""
        k, h = self.classes, self.hidden
        flat = points[:, -k * (h + 1) :]
        if share > 1 and points.shape[0] == 1:
            flat = flat.expand(share, -1)
        elif share > 1:
            flat = flat.repeat_interleave(share, 0)
        weights = flat.as_strided((flat.shape[0], k, h), (flat.stride(0), h, 1))
        return weights, flat[:, None, -k:]

    def _layers(self, x: Tensor) -> list[Tensor]:
        """Weights and biases of all layers, as views ``[..., *shape]`` of points ``[..., d]``."""
        parts = torch.split(x, [math.prod(shape) for shape in self.shapes], -1)
        shaped = zip(parts, self.shapes, strict=True)
        return [part.view(*part.shape[:-1], *shape) for part, shape in shaped]

    def _over_points(self, function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        """``function`` of one point ``[d]``, at points ``[..., d]``; a single one is not mapped, as
        the first map loads modules for a second of processor time."""
        if x.dim() == 1:
            return function(x)
        out: Tensor = vmap(function, chunk_size=_CHUNK)(x.reshape(-1, self.d))
        return out.reshape(x.shape[:-1] + out.shape[1:])

    @property
    def _all(self) -> tuple[Tensor, Tensor]:
        """All samples and labels, as views: what is made under torch.func must not be kept."""
        return self.features.flatten(0, 1), self.labels.flatten()

    def value(self, x: Tensor) -> Tensor:
        return self._over_points(lambda point: self._loss(point, *self._all), x)

    def error(self, x: Tensor) -> Tensor:
        """Share of all samples that get a wrong label at points ``[..., d]``, shape ``[...]``."""
        features, labels = self._all

        def wrong(point: Tensor) -> Tensor:
            return (self._scores(point, features).argmax(-1) != labels).to(self.dtype).mean()

        return self._over_points(wrong, x)

    def mean_gradient(self, x: Tensor) -> Tensor:
        every = torch.arange(len(self._all[1]), device=x.device)
        rows = [
            self._gradients(part, every.expand(len(part), -1))
            for part in torch.split(x.reshape(-1, self.d), _CHUNK // 8)
        ]
        return torch.cat(rows).view(x.shape)

    def noise(self, x: Tensor) -> Tensor:
        return minibatch_noise(self._loss, x, self.features, self.labels, self.batch, _CHUNK)

    @cached_property
    def _constants(self) -> Constants:
        c = Constants().state(n=self.n, d=self.d, convex=False)
        c = c.state(lower("cross-entropy is not negative"), f_star=0.0)
        gap = self.value(self.start()).item()
        return c.state(upper("f(x_0) - 0", "x_0"), initial_gap=gap)

    @cached_property
    def _data(self) -> dict[str, Any]:
        return self.described(
            "mlp", self.features, self.labels, S=self.features.shape[1], hidden=self.hidden,
            classes=self.classes, batch=self.batch, seed=self.seed, source=self.source,
            units=self.units,
        )  # fmt: skip


def digits_mlp(
    n: int, *, batch: int = 8, partition: Partition | None = None, hidden: int = 16, seed: int = 0,
    dtype: torch.dtype = torch.float64, held_out: float = 0.0,
) -> MLP:  # fmt: skip
    """64-``hidden``-10 on the ten digits, S = 1797 // n samples a worker.

    ``held_out`` is the share that :func:`digits_test` has instead, drawn by ``seed``.

    Raises:
        ValueError: n > 1797, or n or hidden below 1, batch below 0, held_out outside [0, 1).
    """
    rule = partition or Iid()
    key = Key.seed(seed)
    train, _ = datasets.digits().split(held_out, key)
    features, labels = train.deal(rule, n, key.fold("partition"), dtype)
    source = f"digits, partition {rule.name}, seed {seed}"
    source += f", {held_out:g} held out" if held_out else ""
    name = f"mlp-digits-{rule.name}"
    return MLP(name, features, labels, batch, hidden=hidden, seed=seed, source=source)


def digits_test(
    held_out: float, *, hidden: int = 16, seed: int = 0, dtype: torch.dtype = torch.float64
) -> MLP:
    """The same network on the digits that :func:`digits_mlp` holds out: one worker has them all.

    Raises:
        ValueError: held_out outside (0, 1), or so small that nothing is held out.
    """
    _, test = datasets.digits().split(held_out, Key.seed(seed))
    if not len(test.labels):
        raise ValueError(f"held_out must hold out a sample at least, got held_out={held_out}")
    features = torch.from_numpy(test.features).to(dtype)[None].contiguous()
    labels = torch.from_numpy(test.labels)[None]
    source = f"digits, {held_out:g} held out, seed {seed}"
    return MLP("mlp-digits-test", features, labels, 1, hidden=hidden, seed=seed, source=source)


def rescaled(base: MLP, units: float) -> MLP:
    """``base`` with features ``units`` times as large and first weights as much smaller."""
    return replace(base, features=units * base.features, units=units * base.units)


_LEVELS = 256.0

ENTRIES = (
    ProblemEntry(
        "mlp-digits",
        "multi-layer perceptron 64-16-10 on digits, cross-entropy, iid shards",
        lambda n: replace(digits_mlp(n), name="mlp-digits"),
        dealt=lambda n, partition: digits_mlp(n, partition=partition),
    ),
    ProblemEntry(
        "mlp-digits-levels",
        "the same with pixels as 8-bit levels: first weights 256 times smaller than the others",
        lambda n: replace(rescaled(digits_mlp(n), _LEVELS), name="mlp-digits-levels"),
        general=False,
    ),
)
