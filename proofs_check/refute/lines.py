"""Functions of one number whose gradients are bent lines: piecewise quadratic, convex or not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Draws
from algorithms.problems.base import exact
from algorithms.problems.tensor_problem import TensorProblem
from proofs_check.refute.instance import Instance
from theory.constants import Constants


@final
@dataclass(frozen=True, eq=False)
class BentLine(TensorProblem):
    r"""f_i' = F' + b_i s, F' continuous with F'(0) = ``rise`` and slope ``slopes``[k] between
    ``knots``[k - 1] and ``knots``[k]; the b_i ``[n, 1]`` have mean 0. s = 1, or (x -
    ``centre``)/``width`` cut off at -1 and 1: workers of different curvature whose gradients lie no
    farther apart than the b_i.

    A gradient's noise is s or -sigma^2/s with E = 0 and E noise^2 = sigma2, s with probability
    ``rare``: two points, as skewed as one likes.

    Attributes:
        name: what reports call it.
        b: the workers' own slopes.

    Raises:
        ValueError: the outer slopes are negative, or 0 without a minimum inside.
    """

    name: str
    b: Tensor
    slopes: tuple[float, ...]
    knots: tuple[float, ...]
    rise: float
    sigma2: float = 0.0
    rare: float = 0.5
    width: float = 0.0
    centre: float = 0.0

    rowwise = True

    def __post_init__(self) -> None:
        if len(self.slopes) != len(self.knots) + 1 or list(self.knots) != sorted(self.knots):
            raise ValueError(f"knots must increase, one less than slopes, got {self.knots}")
        if not 0 < self.rare < 1:
            raise ValueError(f"rare must lie in (0, 1), got rare={self.rare}")
        _, grad, _, _ = self._pieces
        outer = ((self.slopes[0], -float(grad[0])), (self.slopes[-1], float(grad[-1])))
        if not all(slope > 0 or (slope == 0 and away >= 0) for slope, away in outer):
            raise ValueError(
                f"the outer slopes must be positive, or 0 where f rises outwards, got "
                f"slopes={self.slopes}"
            )

    @property
    def tensor(self) -> Tensor:
        return self.b

    @cached_property
    def _pieces(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Of each piece a point of it, F' and F there, and its slope."""
        knots = np.array(self.knots)
        at = int(np.searchsorted(knots, 0.0))
        points = np.concatenate(([self.knots[0]] if len(knots) else [0.0], knots))
        points[at] = 0.0  # the piece of 0 is anchored there
        grad, value = np.zeros(len(points)), np.zeros(len(points))
        grad[at] = self.rise
        for k in range(at + 1, len(points)):
            grad[k], value[k] = self._moved(points, grad, value, k - 1, knots[k - 1])
            points[k] = knots[k - 1]
        for k in range(at - 1, -1, -1):
            grad[k], value[k] = self._moved(points, grad, value, k + 1, knots[k])
            points[k] = knots[k]
        found = (points, grad, value, np.array(self.slopes))
        return tuple(torch.tensor(part, dtype=torch.float64) for part in found)  # type: ignore[return-value]

    def _moved(self, points: Any, grad: Any, value: Any, k: int, x: float) -> tuple[float, float]:
        """F' and F at x of piece k."""
        u = x - points[k]
        return grad[k] + self.slopes[k] * u, value[k] + grad[k] * u + self.slopes[k] * u * u / 2

    def _piece(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        knots = torch.tensor(self.knots, dtype=torch.float64)
        k = torch.searchsorted(knots, x.contiguous())
        points, grad, value, slopes = self._pieces
        return x - points[k], grad[k], value[k], slopes[k]

    def mean_gradient(self, x: Tensor) -> Tensor:
        u, grad, _, slope = self._piece(x)
        return grad + slope * u

    def value(self, x: Tensor) -> Tensor:
        u, grad, value, slope = self._piece(x)
        found: Tensor = (value + grad * u + slope * u.square() / 2).sum(-1)
        return found

    def worker_values(self, x: Tensor, workers: Tensor) -> Tensor | None:
        return None if self.width else self.value(x) + (self.b[workers] * x).sum(-1)

    def lipschitz(self, radius: float = math.inf) -> float:
        if self.slopes[0] or self.slopes[-1]:
            return math.inf
        steep = float(self._pieces[1].abs().max())  # at every knot and at 0
        return steep + float(self.b.abs().max()) + max(map(abs, self._noise))

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        own = self.b[workers]
        if self.width:
            own = own * ((x - self.centre) / self.width).clamp(-1, 1)
        return self.mean_gradient(x) + own

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        g = self.full_gradient(x, draws.workers)
        if self.sigma2 == 0:
            return g
        high, low = self._noise
        return g + torch.where(draws.uniform(1, self.dtype) < self.rare, high, low)

    @property
    def _noise(self) -> tuple[float, float]:
        """The two points of the noise."""
        p = self.rare
        return (self.sigma2 * (1 - p) / p) ** 0.5, -((self.sigma2 * p / (1 - p)) ** 0.5)

    def noise(self, x: Tensor) -> Tensor:
        return torch.full((*x.shape[:-1], self.n), self.sigma2, dtype=x.dtype)

    def resampled(self, factor: int) -> BentLine:
        """The same law with variance sigma2 / factor."""
        return replace(self, sigma2=self.sigma2 / factor)

    @cached_property
    def _minimum(self) -> tuple[float, float]:
        """Point where F' is 0 and F least, and F there."""
        points, grad, _, slopes = (part.numpy() for part in self._pieces)
        edges = (-np.inf, *self.knots, np.inf)
        best = (float("nan"), float("inf"))
        for k, slope in enumerate(slopes):
            x = points[k] - grad[k] / slope if slope else points[k]
            if edges[k] <= x <= edges[k + 1] and slope >= 0:
                f = float(self.value(torch.tensor([x], dtype=torch.float64)))
                best = min(best, (float(x), f), key=lambda pair: pair[1])
        return best

    @property
    def x_star(self) -> Tensor:
        return torch.tensor([self._minimum[0]], dtype=torch.float64)

    @property
    def f_star(self) -> float:
        return self._minimum[1]

    @cached_property
    def _constants(self) -> Constants:
        largest, least = max(map(abs, self.slopes)), min(self.slopes)
        bent = float(self.b.abs().max()) / self.width if self.width else 0.0
        known = exact("by construction")
        zeta2 = float(self.b.square().mean())
        c = Constants().state(
            known, n=self.n, d=1, convex=least >= bent, L=largest, L_max=largest + bent,
            sigma2=self.sigma2, zeta2=zeta2, f_star=self.f_star, initial_gap=-self.f_star,
            L_one=largest,
        )  # fmt: skip
        c = c.state(known, sigma_one=self.sigma2**0.5, R2=self._minimum[0] ** 2)
        c = c.state(known, mu=least) if least > 0 else c
        steep = self.lipschitz()
        c = c.state(known, lipschitz=steep) if math.isfinite(steep) else c
        return c.state(known, mu_min=least - bent) if least > bent else c

    @cached_property
    def _data(self) -> dict[str, Any]:
        return self.described(
            "bent line",
            self.b,
            slopes=self.slopes,
            knots=self.knots,
            width=self.width,
            centre=self.centre,
        )


@final
@dataclass(frozen=True)
class LineInstance(Instance):
    """A bent line over n workers, whose b_i go evenly from -zeta to zeta, from x = 0.

    Attributes:
        n: workers.
        slopes: of the gradient, piece by piece.
        knots: where it bends.
        rise: the gradient at 0.
        zeta: how far gradients lie apart.
        sigma: deviation of the noise.
        rare: the probability of the one of its two points that is above 0.
        gamma: the stepsize; None: by the theorem's rule.
        steps: length of the run.
        width: how far from ``centre`` workers' curvatures differ, where their gradients then lie
            zeta apart; 0: they do everywhere.
        centre: where workers' gradients are equal then.
        parts: numbers that the method's parts are changed by; none: they stay.
    """

    n: int
    slopes: tuple[float, ...]
    knots: tuple[float, ...]
    rise: float
    zeta: float
    sigma: float
    rare: float
    gamma: float | None
    steps: int
    width: float = 0.0
    centre: float = 0.0
    parts: tuple[float, ...] = ()

    def problem(self) -> BentLine:
        """The problem.

        Raises:
            ValueError: as :class:`BentLine`.
        """
        evenly = torch.linspace(-self.zeta, self.zeta, self.n, dtype=torch.float64)
        b = (evenly if self.n > 1 else torch.zeros(1, dtype=torch.float64))[:, None]
        return BentLine(
            "bent line", b, self.slopes, self.knots, self.rise, self.sigma**2, self.rare,
            self.width, self.centre,
        )  # fmt: skip

    def in_units(self, x: float, f: float) -> LineInstance:
        slope, curvature = f / x, f / x**2
        return replace(
            self, rise=slope * self.rise, zeta=slope * self.zeta, sigma=slope * self.sigma,
            slopes=tuple(curvature * a for a in self.slopes),
            knots=tuple(x * k for k in self.knots), width=x * self.width, centre=x * self.centre,
            gamma=None if self.gamma is None else self.gamma / curvature,
        )  # fmt: skip

    def simpler(self) -> Iterator[LineInstance]:
        for k in range(len(self.knots)):
            for gone in (k, k + 1):
                yield replace(
                    self, knots=(*self.knots[:k], *self.knots[k + 1 :]),
                    slopes=(*self.slopes[:gone], *self.slopes[gone + 1 :]),
                )  # fmt: skip
        for n in range(1, self.n):
            yield replace(self, n=n)
        if self.parts:
            yield replace(self, parts=())
        yield from self.rounded()
