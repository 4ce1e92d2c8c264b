"""Pairwise logistic regression: a ranking objective over pairs of samples of all workers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import torch
from torch import Tensor

from algorithms.core.key import Draws, Key
from algorithms.problems import datasets, newton
from algorithms.problems.base import (
    exact,
    lower,
    require_int,
    require_number,
    upper,
)
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.partitions import Iid, Partition
from algorithms.problems.samples import require_samples, require_signs
from algorithms.problems.tensor_problem import Minibatch, Solved
from theory.constants import Constants


@final
@dataclass(frozen=True, eq=False)
class PairwiseLogistic(Solved, Minibatch):
    r"""f(x) = \frac1{N^2} \sum_{p,q} h(x; p, q) + \frac{lam}{2} \|x\|^2 over all N = nS samples.

    h(x; p, q) = |e_{pq}| \log(1 + e^{-e_{pq} (a_p - a_q)^T x}) / 2 with e_{pq} = (y_p - y_q)/2: the
    logistic surrogate of the area under the ROC curve (Colin et al. 2016, arXiv:1606.02421, section
    5), made symmetric in p and q. ``features`` ``[n, S, d]``, ``labels`` ``[n, S]`` in {-1, +1}.
    f_i takes p from worker i and q from all: f is not a sum of functions of one worker's data. A
    stochastic gradient draws ``batch`` pairs.

    Attributes:
        source: where the data come from; empty if they are made here.

    Raises:
        ValueError: shapes that do not fit, features not finite, other labels, lam <= 0, batch < 1.
    """

    features: Tensor
    labels: Tensor
    lam: float
    batch: int = 8
    source: str = ""

    rowwise = False
    name = "pairwise-logistic"

    def __post_init__(self) -> None:
        require_samples(self.features, "labels", self.labels)
        require_signs(self.labels)
        require_number("lam", self.lam, strict=True)
        require_int("batch", self.batch, 1)

    @property
    def tensor(self) -> Tensor:
        return self.features

    def between(
        self, x: Tensor, one: Tensor, y_one: Tensor, other: Tensor, y_other: Tensor
    ) -> Tensor:
        """Gradient ``[..., k, d]`` at x of the mean of h over all pairs of two sets, plus lam x.

        Samples ``[..., k, S, d]`` or ``[S, d]``, labels accordingly, points x ``[..., k or 1, d]``.
        """
        u, v = ((rows * x[..., None, :]).sum(-1) for rows in (one, other))
        e = (y_one[..., :, None] - y_other[..., None, :]).to(self.dtype) / 2
        w = -0.5 * e * torch.sigmoid(-e * (u[..., :, None] - v[..., None, :]))
        left = (w.sum(-1)[..., None] * one).sum(-2)
        right = (w.sum(-2)[..., None] * other).sum(-2)
        return (left - right) / (w.shape[-1] * w.shape[-2]) + self.lam * x

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        samples = self.features.shape[1]
        own = draws.fold("own").integers(samples, self.batch)
        any_one = draws.fold("other").integers(self.n * samples, self.batch)
        workers = draws.workers[..., None]
        p, y = self.features[workers, own], self.labels[workers, own]
        q, z = self._flat[any_one], self._signs[any_one]
        e = (y - z).to(self.dtype) / 2
        apart = p - q
        w = -0.5 * e * torch.sigmoid(-e * (apart @ x[..., None])[..., 0])
        return (w[..., None] * apart).mean(-2) + self.lam * x

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        own, labels = self.features[workers], self.labels[workers]
        return self.between(x, own, labels, self._flat, self._signs)

    def value(self, x: Tensor) -> Tensor:
        u = x @ self._flat.T
        positive, negative = u[..., self._signs > 0], u[..., self._signs < 0]
        apart = positive[..., :, None] - negative[..., None, :]
        loss = -torch.nn.functional.logsigmoid(apart).mean((-1, -2))
        return self._share * loss + 0.5 * self.lam * x.square().sum(-1)

    def mean_gradient(self, x: Tensor) -> Tensor:
        return self.all_gradients(x).mean(-2)

    def noise(self, x: Tensor) -> Tensor:
        points = x[..., None, :]
        u = (self.features @ points[..., None])[..., 0]
        v = (self._flat @ x[..., None])[..., 0][..., None, None, :]
        e = (self.labels[..., None] - self._signs).to(self.dtype) / 2
        w = 0.5 * e * torch.sigmoid(-e * (u[..., None] - v))
        second = (w.square() * self._distances).mean((-1, -2))
        first = self.all_gradients(x) - self.lam * points
        return (second - first.square().sum(-1)).clamp_min(0.0) / self.batch

    @cached_property
    def _flat(self) -> Tensor:
        return self.features.flatten(0, 1)

    @cached_property
    def _signs(self) -> Tensor:
        return self.labels.flatten()

    @cached_property
    def _distances(self) -> Tensor:
        """||a_p - a_q||^2 ``[n, S, N]``."""
        return (self.features[:, :, None] - self._flat).square().sum(-1)

    @cached_property
    def _share(self) -> float:
        """Pairs of unlike labels, in one order, among all N^2."""
        up = int((self._signs > 0).sum())
        return up * (self._signs.numel() - up) / self._signs.numel() ** 2

    @cached_property
    def _unlike(self) -> Tensor:
        """a_p - a_q of all pairs with y_p = 1, y_q = -1: ``[P, d]``."""
        up, down = self._flat[self._signs > 0], self._flat[self._signs < 0]
        return (up[:, None] - down).flatten(0, 1)

    @cached_property
    def _minimum(self) -> tuple[Tensor, float]:
        rows, lam = self._unlike.double().cpu().numpy(), self.lam / self._share
        x = newton.minimise(rows, lam)
        return torch.from_numpy(x), self._share * newton.objective(rows, lam, x)

    def lipschitz(self, radius: float = math.inf) -> float:
        return float(self._unlike.double().norm(dim=-1).max()) / 2 + self.lam * radius

    @cached_property
    def _constants(self) -> Constants:
        c = Constants().state(exact("by construction"), n=self.n, d=self.d, convex=True)
        rows = self._unlike.double()
        top = float(torch.linalg.eigvalsh(rows.T @ rows / len(rows))[-1])
        c = c.state(exact("the Hessian is largest at x = 0"), L=self._share * top / 4 + self.lam)
        own = lower("the regulariser's own curvature")
        c = c.state(own, mu=self.lam, mu_min=self.lam, pl=self.lam)
        unlike = (self.labels[..., None] != self._signs) * self._distances
        spread = float(unlike.mean((-1, -2)).max()) / 4
        c = c.state(upper("weights of pairs are at most 1/2"), L_max=spread / 2 + self.lam)
        c = c.state(upper("weights of pairs are at most 1/2"), sigma2=spread / self.batch)
        x, f_star = self._minimum
        c = c.state(exact("Newton's method, certified to 1e-12"), f_star=f_star)
        gap = self._share * math.log(2.0) - f_star
        return c.state(exact("x_0 = 0", "x_0 = 0"), initial_gap=gap, R2=float(x @ x))

    @cached_property
    def _data(self) -> dict[str, Any]:
        return self.described(
            "pairwise", self.features, self.labels, S=self.features.shape[1], batch=self.batch,
            lam=self.lam, source=self.source,
        )  # fmt: skip


def breast_cancer_pairs(
    n: int, lam: float, *, samples: int | None = None, partition: Partition | None = None,
    seed: int = 0,
) -> PairwiseLogistic:  # fmt: skip
    """Benign (+1) against malignant (-1) samples of breast_cancer, S = 569 // n a worker.

    Of these the first ``samples`` are kept. Float64.

    Raises:
        ValueError: n > 569, n < 1, samples < 1, lam <= 0.
    """
    data, key = datasets.breast_cancer(), Key.seed(seed).fold("partition")
    features, labels = data.deal(partition or Iid(), n, key, torch.float64)
    count = features.shape[1] if samples is None else samples
    require_int("samples", count, 1, features.shape[1])
    features, labels = features[:, :count].contiguous(), labels[:, :count]
    signs = torch.where(labels < 1, -1, 1).contiguous()
    source = f"breast_cancer, {count} samples a worker, seed {seed}"
    return PairwiseLogistic(features, signs, lam, source=source)


ENTRIES = (
    ProblemEntry(
        "pairwise-logistic",
        "ranking of breast-cancer: logistic loss of pairs of eight samples a worker",
        lambda n: breast_cancer_pairs(n, 0.1, samples=8),
        general=False,
    ),
)
