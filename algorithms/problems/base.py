"""Problem: f(x) = (1/n) sum_i f_i(x), x in R^d, f_i held by worker i."""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from dataclasses import fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Draws
from algorithms.core.require import require_int as require_int
from algorithms.core.require import require_number as require_number
from algorithms.kernels.deferred_checks import now
from algorithms.kernels.row_parts import RowPart
from theory.constants import Constants, Kind, Statement
from theory.fields import CheckedFields

SOLVE_GRADIENTS = 10
"""Gradients that a local solve is worth: those of an inexact one; the time of any, in the model."""

_CURVATURE_ROUNDS = 30
_CURVATURE_SHIFT = 1e-3  # of the model, in units of x: differences of gradients, central
_UNKNOWN_SMOOTHNESS = 10.0  # L [f / x^2] taken for local solves where none is stated (the MLP)


class Problem(CheckedFields, ABC):
    """One objective, split over n workers.

    Members have ``name``, ``n``, ``d``, ``dtype``, ``device``, ``x_star`` (``[d]`` or None),
    ``f_star`` (or None), and ``rowwise``: True when a row's gradient does not depend, bit for bit,
    on which other rows are computed with it; ``mean_rowwise`` says so of :meth:`mean_gradient`,
    ``value_rowwise`` of :meth:`value`.
    Members are frozen dataclasses; what costs time to find (f*, eigenvalues) is found when it is
    first asked for.

    In :meth:`constants`, L, mu and pl are those of the mean f, L_max and mu_min hold for every f_i.
    ``G2_radius`` [x] is the radius of the ball around 0 in which ``G2`` holds. The minimum that is
    meant is over ||x|| <= ``within`` [x]: infinite but for constrained problems. ``heavy_tailed``
    says that noise has no variance, so that errors of plain runs have no mean.
    """

    if TYPE_CHECKING:  # read-only; a member may hold them as fields or find them when asked

        @property
        def name(self) -> str: ...
        @property
        def n(self) -> int: ...
        @property
        def d(self) -> int: ...
        @property
        def dtype(self) -> torch.dtype: ...
        @property
        def device(self) -> torch.device: ...
        @property
        def x_star(self) -> Tensor | None: ...
        @property
        def f_star(self) -> float | None: ...
        @property
        def rowwise(self) -> bool: ...
        @property
        def mean_rowwise(self) -> bool: ...
        @property
        def value_rowwise(self) -> bool: ...
        @property
        def G2_radius(self) -> float: ...
        @property
        def within(self) -> float: ...
        @property
        def heavy_tailed(self) -> bool: ...

    else:
        G2_radius = within = math.inf
        heavy_tailed = mean_rowwise = value_rowwise = False

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the tensors that x ``[d]`` holds, flat, one after another."""
        return ((self.d,),)

    @abstractmethod
    def start(self) -> Tensor:
        """The usual starting point x_0 ``[d]``."""

    @abstractmethod
    def constants(self) -> Constants:
        """n, d, L, mu, sigma2, zeta2, f_star, initial_gap, R2 ...: each with its Statement."""

    @abstractmethod
    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        """Stochastic gradients g_i(x_i) ``[..., k, d]``, i = ``draws.workers`` ``[..., k]``.

        x is ``[..., k, d]`` or ``[..., 1, d]`` (the same point for all rows). Only the rows asked
        for are computed.
        """

    def row_kernel(self) -> RowPart | None:
        """:meth:`gradient` as a compiled function (kind "gradient" of ``kernels/row_parts.py``), to
        the bit; None: blocks of steps are not for this problem.

        A subclass publishes its own: what it inherits is not asked for.
        """
        return None

    def full_row_kernel(self) -> RowPart | None:
        """:meth:`full_gradient` as :meth:`row_kernel` is :meth:`gradient`."""
        return None

    def rolled(self, shift: int) -> Problem | None:
        """The same with worker i in the place of worker (i + ``shift``) mod n, drawing as worker
        i; None: nobody has asked for it of this problem."""
        return None

    @abstractmethod
    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        """Exact gradients of f_i at x_i ``[..., k, d]``, i = ``workers`` ``[k]`` or ``[..., k]``.

        x is ``[..., k, d]`` or ``[..., 1, d]``.
        """

    def proximal_point(self, v: Tensor, weight: Tensor, workers: Tensor, start: Tensor) -> Tensor:
        r"""argmin_x f_i(x) + \frac{weight}{2} \|x - v\|^2 ``[..., k, d]`` for ``workers``
        ``[..., k]``; ``weight`` ``[k or ..., k]`` [f / x^2], positive; ``start`` a guess.

        Here ``SOLVE_GRADIENTS`` gradient steps of 1/(L + weight) from ``start``, an inexact solve:
        members that can be exact are.
        """
        smooth = self.solve_smoothness
        x, pull = start, weight[..., None]
        for _ in range(SOLVE_GRADIENTS):
            g = self.full_gradient(x, workers) + pull * (x - v)
            x = x - g / (smooth + pull)
        return x

    @property
    def solve_smoothness(self) -> float:
        """L [f / x^2] that the gradient steps of :meth:`proximal_point` are taken by."""
        return self.constants().L_max or self.constants().L or _UNKNOWN_SMOOTHNESS

    def proximal_row_kernel(self) -> RowPart | None:
        """:meth:`proximal_point` as a compiled function (kind "solve" of ``kernels/row_parts.py``),
        to the bit; None: it is gradient steps. A subclass publishes its own."""
        return None

    def tilted_minimum(self, y: Tensor, workers: Tensor, start: Tensor) -> Tensor | None:
        """argmin_x f_i(x) - <y_i, x> ``[..., k, d]`` for y of that shape, ``workers`` ``[..., k]``
        and a guess ``start``; None where one solve does not find it."""
        return None

    @abstractmethod
    def value(self, x: Tensor) -> Tensor:
        """f at points ``[..., d]``, shape ``[...]``."""

    def worker_values(self, x: Tensor, workers: Tensor) -> Tensor | None:
        """f_i at x_i ``[..., k, d]``, i = ``workers`` ``[..., k]``, shape ``[..., k]``; None: only
        their mean is known."""
        return None

    @abstractmethod
    def mean_gradient(self, x: Tensor) -> Tensor:
        """grad f at points ``[..., d]``, shape ``[..., d]``."""

    def value_and_gradient(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """:meth:`value` and :meth:`mean_gradient` at points ``[..., d]``, to the bit; members that
        read their data once for both say how."""
        return self.value(x), self.mean_gradient(x)

    @cached_property
    def curvature_at_start(self) -> float:
        """Largest |eigenvalue| of the Hessian of f at x_0 [f / x^2], by power iteration.

        A Hessian times a vector is a central difference of exact gradients. From below, and of one
        point: no Lipschitz constant, and no theorem may use it. 1 where f is flat there.
        """
        x, v = self.start(), torch.ones(self.d, dtype=self.dtype, device=self.device)
        v[1::2] = -0.5  # neither even nor odd under the symmetries of a network's units
        found = 0.0
        for _ in range(_CURVATURE_ROUNDS):
            v = v / v.norm() * _CURVATURE_SHIFT
            there, back = self.mean_gradient(torch.stack((x + v, x - v)))
            v = (there - back) / 2
            found = float(v.norm()) / _CURVATURE_SHIFT
            if not found > 0:
                return 1.0
        return found

    def lipschitz(self, radius: float = math.inf) -> float:
        r"""Bound on the norm of every gradient that any worker may draw where \|x\| <= ``radius``
        [f / x], noise included; infinite where none is known.

        :meth:`constants` states it where it holds everywhere, sets where models stay on them.
        """
        return math.inf

    def largest_entry(self, radius: float = math.inf) -> float:
        """Bound on every entry of the gradients that :meth:`lipschitz` speaks of [f / x]; infinite
        where none is known."""
        return self.lipschitz(radius)

    def kinks(self, x: Tensor) -> Tensor:
        """Coordinates (bool, shape of x) in which f has no derivative at points ``[..., d]``.

        Gradients are there those of a sub-gradient: of least norm, so that it is 0 at minimisers.
        """
        return torch.zeros_like(x, dtype=torch.bool)

    @property
    def exact_cost(self) -> float:
        """Stochastic gradients that cost as much as an exact one: 1 where gradients have no noise,
        infinite where the noise is not of samples, so that no number of them is exact."""
        return 1.0 if self.constants().sigma2 == 0 else math.inf

    @abstractmethod
    def noise(self, x: Tensor) -> Tensor:
        """Exact E||g_i(x) - grad f_i(x)||^2 at points ``[..., d]``, shape ``[..., n]``."""

    @abstractmethod
    def data(self) -> Any:
        """Identity of the problem: a JSON-ready description with every parameter."""

    @abstractmethod
    def resampled(self, factor: int) -> Self:
        """The same problem, gradients averaging ``factor`` times as many samples; made anew."""

    def enlarged(self, factor: int) -> Self:
        """The same objective and constants with sigma2 / factor, made once for each factor.

        A stochastic gradient averages ``factor`` times as many samples.

        Raises:
            ValueError: factor < 1.
        """
        require_int("factor", factor, 1)
        if factor == 1:
            return self
        if factor not in self._larger:
            self._larger[factor] = self.resampled(factor)
        return self._larger[factor]

    @cached_property
    def _larger(self) -> dict[int, Self]:
        """Problems that :meth:`enlarged` made."""
        return {}

    def to(self, device: torch.device | str) -> Self:
        """The same problem with its tensors on ``device``; where they are there already this one,
        with what it has computed of itself."""
        if torch.device(device) == self.device:
            return self
        moved = {
            field.name: value.to(device)
            for field in fields(self)  # type: ignore[arg-type]
            if isinstance(value := getattr(self, field.name), Tensor)
        }
        return replace(self, **moved)  # type: ignore[type-var]

    def double(self) -> Self:
        """The same problem, its data as they are, computing in float64."""
        return self.computing_in(torch.float64)

    def computing_in(self, dtype: torch.dtype) -> Self:
        """The same problem, its data rounded to ``dtype``, computing in it.

        Raises:
            ValueError: it computes in another type alone, or rounded data break what it asks of
                them.
        """
        cast: dict[str, Any] = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, Problem):
                cast[field.name] = value.computing_in(dtype)
            elif isinstance(value, Tensor) and value.is_floating_point():
                cast[field.name] = value.to(dtype)
            elif isinstance(value, torch.dtype):
                cast[field.name] = dtype
        made = replace(self, **cast)  # type: ignore[type-var]
        if made.dtype != dtype:
            raise ValueError(
                f"dtype must be {made.dtype} for {self.name}, which has no other, got {dtype}"
            )
        return made

    def all_gradients(self, x: Tensor) -> Tensor:
        """Exact gradients of all f_i at points ``[..., d]``, shape ``[..., n, d]``."""
        return self.full_gradient(x[..., None, :], torch.arange(self.n, device=self.device))

    def spread_at(self, x: Tensor) -> float:
        """(1/n) sum_i ||grad f_i(x)||^2 at one point ``[d]``; zeta2_star if it is a minimiser."""
        rows: Tensor = self.all_gradients(x).double()
        return rows.square().sum(-1).mean().item()

    def heterogeneity(self, x: Tensor) -> Tensor:
        """(1/n) sum_i ||grad f_i(x) - grad f(x)||^2 at points ``[..., d]``, shape ``[...]``."""
        rows = self.all_gradients(x)
        return (rows - rows.mean(-2, keepdim=True)).square().sum(-1).mean(-1)


def pair_shape(x: Tensor, workers: Tensor) -> torch.Size:
    """Shape ``[..., k]`` of the pairs that points ``[..., k or 1, d]`` and worker ids make."""
    lead = x.shape[:-1]
    if lead == workers.shape or lead == (*workers.shape[:-1], 1):
        return workers.shape
    # torch's own would import sympy, at half a second in every process
    return torch.Size(np.broadcast_shapes(x.shape[:-1], workers.shape))


def exact(why: str, where: str = "uniform") -> Statement:
    """The constant is known exactly (to rounding)."""
    return Statement(Kind.EXACT, where, why)


def upper(why: str, where: str = "uniform") -> Statement:
    """The true constant is at most the stated one."""
    return Statement(Kind.UPPER, where, why)


def lower(why: str, where: str = "uniform") -> Statement:
    """The true constant is at least the stated one."""
    return Statement(Kind.LOWER, where, why)


def require_finite(name: str, array: Tensor) -> None:
    """Refuse NaN and infinity, late where checks are.

    Raises:
        ValueError: names the array and the first offending entry.
    """
    if (late := now()) is not None:
        late.note(array, f"{name} was")
        return
    if math.isfinite(array.sum().item()):
        return  # the look at each entry holds as much as the array once more
    bad = ~torch.isfinite(array)
    if bad.any():
        where = tuple(bad.nonzero()[0].tolist())
        raise ValueError(
            f"{name} must be finite, got {name}[{', '.join(map(str, where))}] = "
            f"{array[where].item()}; drop or impute such entries first"
        )


def content_hash(*arrays: Tensor) -> str:
    """blake2b of shapes, dtypes and bytes: equal arrays, equal hash, on any device."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(repr((tuple(array.shape), str(array.dtype))).encode())
        digest.update(array.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()
