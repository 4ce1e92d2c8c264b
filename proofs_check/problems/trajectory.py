"""Trajectories of runs on a problem: points at which its constants are estimated."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
import scipy
import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.engine.run import one_thread
from algorithms.methods.base import NonFiniteGradient
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from proofs_check.instruments.paths import path
from proofs_check.problems.curvature import pairs
from proofs_check.problems.extremes import rayleigh_ends
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_RECORDS = 11  # points kept of a run, besides its start
_FACTORS = (0.25, 1.0)  # stepsizes, in 1/L as found at the start
_BEYOND = (3.0, 10.0, 30.0)  # how many times as far as a run went it is followed
_STEEPEST = 1e30  # derivatives beyond which a run has left for good [f / x]
_RAY = "times as far as"
_FLAT, _STEP = 1e-9, 0.1  # curvature below which the stepsize is this [x^2 / f]
_BUDGET, _PATIENCE = 3_000_000, 500  # numbers that L-BFGS may go through; iterations at most


class MinimumFound(NamedTuple):
    """The lowest point found: the minimiser where it is known, else where L-BFGS ended.

    Attributes:
        x: the point ``[d]``.
        value: f there [f].
        slope: ||grad f|| there [f / x].
        known: whether it is the problem's own minimiser.
    """

    x: Tensor
    value: float
    slope: float
    known: bool


@final
@dataclass(frozen=True)
class Trajectory:
    """Points of runs, and some beyond them, each with a name.

    Attributes:
        points: ``[P, d]``; the start first.
        labels: what each is, in words.
        ticks: the step of each point of the first run, in the order of ``points``.
        gammas: stepsizes of the runs [x^2 / f].
        steps: steps of each run.
        lowest: the lowest point found.
        seed: seed of the runs.
    """

    points: Tensor
    labels: tuple[str, ...]
    ticks: tuple[int, ...]
    gammas: tuple[float, ...]
    steps: int
    lowest: MinimumFound
    seed: int

    @property
    def on_runs(self) -> Tensor:
        """Mask of the ``points`` that lie on runs and not beyond them ``[P]``."""
        return torch.tensor([_RAY not in label for label in self.labels])

    def near(self, count: int) -> tuple[Tensor, tuple[str, ...]]:
        """About ``count`` points of runs, evenly chosen, and the lowest: with their names."""
        runs = self.on_runs.nonzero()[:, 0].tolist()
        kept = [runs[k] for k in np.linspace(0, len(runs) - 1, min(count, len(runs))).astype(int)]
        kept = list(dict.fromkeys(kept))
        points = torch.cat((self.points[kept], self.lowest.x[None]))
        return points, (*(self.labels[k] for k in kept), "the lowest point found")


def sampled_trajectory(problem: Problem, *, seed: int, steps: int = 200) -> Trajectory:
    """Two runs of BSP-SGD from the start, of stepsizes 1/(4L) and 1/L with L as found there.

    And points on the rays from the start through where they ended. A run that leaves the range of
    floats is kept up to there.

    Raises:
        ValueError: steps < 1.
    """
    if steps < 1:
        raise ValueError(f"steps must be at least 1, got steps={steps}")
    start = problem.start()
    gammas = _stepsizes(problem, start, seed)
    times = np.unique(np.geomspace(1, steps, _RECORDS).round().astype(int))
    points, labels, ticks = [start], ["the start"], [0]
    with one_thread():
        for number, gamma in enumerate(gammas):
            method = BSP(ConstantStep(gamma))
            last = start
            with suppress(NonFiniteGradient):
                for moment in path(method, problem, steps, seed=seed):
                    if moment.t in times:
                        last = method.models(moment.state)[0, 0]
                        points.append(last)
                        labels.append(f"step {moment.t} of a run with gamma = {gamma:.3g}")
                        ticks += [moment.t] if number == 0 else []
            for factor in _BEYOND:
                points.append(start + factor * (last - start))
                labels.append(f"{factor:g} {_RAY} a run with gamma = {gamma:.3g} went")
        lowest = _lowest(problem, torch.stack(points))
    fine = [bool(problem.mean_gradient(p).abs().max() < _STEEPEST) for p in points]
    kept = torch.stack([p for p, good in zip(points, fine, strict=True) if good])
    named = tuple(label for label, good in zip(labels, fine, strict=True) if good)
    first = tuple(tick for tick, good in zip(ticks, fine, strict=False) if good)
    return Trajectory(kept, named, first, gammas, steps, lowest, seed)


def _stepsizes(problem: Problem, start: Tensor, seed: int) -> tuple[float, ...]:
    """1/(4L) and 1/L, L the largest curvature and slope of gradients near the start."""
    drawn = Key.seed(seed).fold("near").draws(torch.tensor(0), torch.arange(4))
    near = start + drawn.normal(problem.d, problem.dtype) / problem.d**0.5
    ends = rayleigh_ends(problem, start)
    smooth = max(abs(ends[0]), abs(ends[1]), pairs(problem, near).norm_worker)
    return tuple(factor / smooth if smooth > _FLAT else factor * _STEP for factor in _FACTORS)


def _lowest(problem: Problem, points: Tensor) -> MinimumFound:
    """The problem's minimiser, or where scipy's L-BFGS ends from the lowest of ``points``."""
    if problem.x_star is not None:
        return _at(problem, problem.x_star, known=True)
    values = problem.value(points).nan_to_num(nan=torch.inf)
    best = points[int(values.argmin())]

    def objective(x: Floats) -> tuple[float, Floats]:
        point = torch.from_numpy(x).to(problem.dtype)
        return float(problem.value(point)), problem.mean_gradient(point).double().numpy()

    found = scipy.optimize.minimize(
        objective, best.double().numpy(), jac=True, method="L-BFGS-B",
        options={"maxiter": max(50, min(_PATIENCE, _BUDGET // problem.d)), "gtol": 1e-9},
    )  # fmt: skip
    return _at(problem, torch.from_numpy(found.x).to(problem.dtype), known=False)


def _at(problem: Problem, x: Tensor, *, known: bool) -> MinimumFound:
    slope = float(problem.mean_gradient(x).norm())
    return MinimumFound(x, float(problem.value(x)), slope, known)
