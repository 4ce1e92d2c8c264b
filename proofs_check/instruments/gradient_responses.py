"""Responses of a method to gradients that do not depend on its models, as its own code has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn, final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Draws
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.instruments.paths import path
from theory.arrays import Floats
from theory.constants import Constants
from theory.rules.gradient_responses import reach_by_responses
from theory.rules.virtual_iterate_deviation import Reach
from theory.stepsizes import ConstantStep, Stepsize

Make = Callable[[Stepsize, Problem, int], Method[Any]]

_TOLERANCE = 1e-9
_ALIKE = 1e-6
_GAMMA, _SEED, _COORDINATES = 0.5, 7, 3


@final
@dataclass(frozen=True, eq=False)
class PlannedGradients(Problem):
    """Gradients of call s are ``rows[s]``, wherever they are asked for; one row is whoever's.

    (Planned by the caller: no objective has them, so that nothing else is told.)

    Attributes:
        n: number of workers.
        rows: the gradients ``[T, n or 1, d]`` of all calls.
        origin: x_0 ``[d]``.
        read: the points ``[n or 1, d]`` that each call so far asked at.
    """

    n: int
    rows: Tensor
    origin: Tensor
    read: list[Tensor] = field(default_factory=list)

    name = "planned gradients"
    f_star = x_star = None
    rowwise = True

    @property
    def d(self) -> int:
        return self.rows.shape[2]

    @property
    def dtype(self) -> torch.dtype:
        return self.rows.dtype

    @property
    def device(self) -> torch.device:
        return self.rows.device

    def start(self) -> Tensor:
        return self.origin

    def constants(self) -> Constants:
        return Constants().state(n=self.n, d=self.d)

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        self.read.append(x[0].expand(self.rows.shape[1], -1).clone())
        return self.rows[len(self.read) - 1].expand(*x.shape[:-2], -1, -1).clone()

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        self._refuse()

    def value(self, x: Tensor) -> Tensor:
        self._refuse()

    def mean_gradient(self, x: Tensor) -> Tensor:
        self._refuse()

    def noise(self, x: Tensor) -> Tensor:
        self._refuse()

    def resampled(self, factor: int) -> PlannedGradients:
        self._refuse()

    def data(self) -> Any:
        return {"gradients": self.rows.tolist(), "start": self.origin.tolist()}

    def _refuse(self) -> NoReturn:
        raise ValueError(
            "planned gradients are of no objective: a method may ask for stochastic gradients of "
            "its workers alone"
        )


@final
class LinearMethod:
    """The method of ``make`` for n workers, seen to be linear in its gradients for so many calls.

    ``points`` ``[T, T, m, m]`` and ``mean`` ``[T, T, m]`` are P and m of
    :mod:`theory.rules.gradient_responses`, read off one run in which gradient j of call s is 1 in a
    coordinate of its own. Another run, of random gradients, start and another stepsize, must be
    their sum. A step makes so many ``calls``, each of m = n gradients, or of one, whosoever it is
    (``in_turn``).

    Raises:
        ValueError: it is not their sum, or a step makes other calls.
    """

    def __init__(
        self, make: Make, n: int, steps: int, *, in_turn: bool = False, calls: int = 1
    ) -> None:
        m, self.calls = 1 if in_turn else n, calls
        T = steps * calls
        planned = torch.eye(T * m, dtype=torch.float64).reshape(T, m, T * m)
        origin = torch.zeros_like(planned[0, 0])
        read, means = self._followed(make, 1.0, PlannedGradients(n, planned, origin))
        self.points: Floats = -read.reshape(T, m, T, m).transpose(0, 2, 1, 3)
        self.mean: Floats = -means.reshape(T, T, m)
        draws = torch.Generator().manual_seed(_SEED)
        rows = torch.randn((T, m, _COORDINATES), generator=draws, dtype=torch.float64)
        origin = torch.randn(_COORDINATES, generator=draws, dtype=torch.float64)
        read, means = self._followed(make, _GAMMA, PlannedGradients(n, rows, origin))
        g, x0 = rows.numpy(), origin.numpy()
        _require_equal(read, x0 - _GAMMA * np.einsum("tsij,sjd->tid", self.points, g))
        _require_equal(means, x0 - _GAMMA * np.einsum("tsj,sjd->td", self.mean, g))

    def reach(self) -> Reach:
        """Distances from the virtual iterate whose gain is what m gradients of the second quarter
        of the calls add to the mean model in the end.

        Raises:
            ValueError: they do not all add the same, or distances still grow.
        """
        T = len(self.mean)
        late = self.mean[-1, T // 4 : T // 2] * self.mean.shape[-1]
        gain = float(late.mean())
        if not np.abs(late - gain).max() <= _ALIKE * gain:
            raise ValueError(
                f"gradients must all move the mean model alike in the end, got {late.min():.6g} to "
                f"{late.max():.6g}; more steps would do if responses are slow"
            )
        return reach_by_responses(self.points, self.mean, gain)

    def _followed(
        self, make: Make, gamma: float, problem: PlannedGradients
    ) -> tuple[Floats, Floats]:
        """Points that gradients were asked at ``[T, m, d]``, and the mean model at each call."""
        steps = len(problem.rows) // self.calls
        method = make(ConstantStep(gamma), problem, steps)
        means: list[Tensor] = []
        for t, state, _ in path(method, problem, steps):
            if len(problem.read) != t * self.calls:
                raise ValueError(
                    f"a step must ask for gradients {self.calls} times, got {len(problem.read)} "
                    f"calls in {t} steps"
                )
            means += [method.models(state)[0].mean(0).clone()] * self.calls
        return torch.stack(problem.read).numpy(), torch.stack(means[: -self.calls]).numpy()


def _require_equal(made: Floats, due: Any) -> None:
    error, size = float(np.abs(made - due).max()), float(np.abs(made).max())
    if not error <= _TOLERANCE * max(1.0, size):
        raise ValueError(
            f"the method must be linear in its gradients, got a run that is {error:.3g} from the "
            "sum of its responses; one that sends exact messages would do"
        )
