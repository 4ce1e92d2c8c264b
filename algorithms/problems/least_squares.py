"""Least squares on shards of unequal size, without noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import torch
from torch import Tensor

from algorithms.kernels import problem_rows
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.squares import squares_gradient
from algorithms.problems.base import exact, pair_shape, require_finite
from algorithms.problems.tensor_problem import Noiseless, Solved
from algorithms.problems.top_eigenvalue import squared_norms
from theory.constants import Constants


@final
@dataclass(frozen=True, eq=False)
class LeastSquares(Noiseless, Solved):
    r"""f_i(x) = \frac12 \|A_i x - y_i\|^2, gradients A_i^T (A_i x - y_i), exact: sigma2 = 0.

    ``features`` ``[n, S, d]`` and ``targets`` ``[n, S]``, of which worker i has the first
    ``counts`` ``[n]`` (int64). f is their mean; a sum over workers, as Chen et al. 2018
    (arXiv:1805.09965) have it, is n f. Build it with :meth:`from_data`. x_0 = 0.

    Attributes:
        name: what reports call it.
        source: where the data come from; empty if they are made here.

    Raises:
        ValueError: shapes that do not fit, entries that are not finite, an A of rank below d.
    """

    name: str
    features: Tensor
    targets: Tensor
    counts: Tensor
    source: str = ""

    def __post_init__(self) -> None:
        require_finite("features", self.features)
        require_finite("targets", self.targets)
        if self.curvatures[0] <= 1e-12 * self.curvatures[-1]:
            raise ValueError(
                f"features must have full column rank over all workers, got a smallest eigenvalue "
                f"of A^T A of {self.curvatures[0].item():.3g} with d={self.d}; fewer columns would "
                "do"
            )

    @staticmethod
    def from_data(
        features: Sequence[Tensor], targets: Sequence[Tensor], *, name: str = "least-squares",
        source: str = "",
    ) -> LeastSquares:  # fmt: skip
        """From A_i ``[S_i, d]`` and y_i ``[S_i]`` of each worker, float64.

        Raises:
            ValueError: no worker, or shapes that do not fit.
        """
        if not features or len(features) != len(targets):
            raise ValueError(
                f"features and targets must hold one tensor a worker, got {len(features)} and "
                f"{len(targets)}"
            )
        for i, (a, y) in enumerate(zip(features, targets, strict=True)):
            if a.ndim != 2 or a.shape != (*y.shape, features[0].shape[-1]) or not a.numel():
                raise ValueError(
                    f"features[{i}] must be [S, d] and targets[{i}] [S], got shapes "
                    f"{tuple(a.shape)} and {tuple(y.shape)}"
                )
        counts = torch.tensor([len(y) for y in targets])
        pad = torch.nn.utils.rnn.pad_sequence
        rows = pad([a.double() for a in features], batch_first=True).contiguous()
        wanted = pad([y.double() for y in targets], batch_first=True).contiguous()
        return LeastSquares(name, rows, wanted, counts, source)

    @property
    def tensor(self) -> Tensor:
        return self.features

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        held = workers.expand(pair_shape(x, workers))
        return squares_gradient(self.features, self.targets, self.counts, x, held)

    def full_row_kernel(self) -> RowPart:
        return self.row_kernel()

    def row_kernel(self) -> RowPart:
        most = self.features.shape[1]
        ints = (most, *self.counts.tolist())
        packed = numbers(self.dtype, self.features, self.targets, ints=ints)
        return RowPart(problem_rows.least_squares, packed, draws=False, work=2 * most * self.d)

    def value(self, x: Tensor) -> Tensor:
        away = (x - self._minimum[0]) @ self._stacked.T
        return self._minimum[1] + 0.5 * away.square().sum(-1) / self.n

    def mean_gradient(self, x: Tensor) -> Tensor:
        return (x - self._minimum[0]) @ self._hessian

    @cached_property
    def _stacked(self) -> Tensor:
        """All A_i, one above another; padding rows are zero."""
        return self.features.flatten(0, 1)

    @cached_property
    def _hessian(self) -> Tensor:
        return self._stacked.T @ self._stacked / self.n

    @cached_property
    def _minimum(self) -> tuple[Tensor, float]:
        wanted = self.targets.flatten()
        x = torch.linalg.lstsq(self._stacked.cpu(), wanted.cpu()[:, None], driver="gelsd").solution
        x = x[:, 0].to(self.device)
        return x, 0.5 * (self._stacked @ x - wanted).square().sum().item() / self.n

    @cached_property
    def curvatures(self) -> Tensor:
        """Eigenvalues ``[d]`` of the Hessian of f, ascending [f / x^2]."""
        values: Tensor = torch.linalg.eigvalsh(self._hessian)
        return values

    @cached_property
    def smoothness(self) -> tuple[float, ...]:
        """L_i of each worker: the largest eigenvalue of A_i^T A_i [f / x^2]."""
        return tuple(squared_norms(self.features).tolist())

    @cached_property
    def _constants(self) -> Constants:
        c = Constants().state(exact("by construction"), n=self.n, d=self.d, convex=True, sigma2=0.0)
        low, high = self.curvatures[0].item(), self.curvatures[-1].item()
        c = c.state(exact("eigenvalues of the mean Hessian"), L=high, mu=low, pl=low)
        c = c.state(exact("largest eigenvalue of any Hessian"), L_max=max(self.smoothness))
        c = c.state(exact("solved by least squares"), f_star=self.f_star)
        gap = self.value(self.start()).item() - self.f_star
        c = c.state(exact("closed form", "x_0 = 0"), initial_gap=gap)
        known = exact("solved by least squares", "x*")
        c = c.state(known, zeta2_star=self.spread_at(self.x_star))
        return c.state(exact("closed form", "x_0 = 0"), R2=self.x_star.square().sum().item())

    @cached_property
    def _data(self) -> dict[str, Any]:
        arrays = self.features, self.targets, self.counts
        return self.described("least squares", *arrays, source=self.source)
