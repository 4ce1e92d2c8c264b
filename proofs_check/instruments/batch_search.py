"""Steps to a target, for every batch with its best stepsize.

For each batch the stepsize is searched on a grid of ratio sqrt(2), upwards from the best of the
smaller batch, with draws of its own; the steps are then counted on other draws, so that the
search does not flatter them. A count is the first time at which the mean over a group of replicas
is at the target: groups are independent. (The protocol is that of Shallue et al. 2019,
arXiv:1811.03600; the curve S = S_min (1 + B_c / B) is McCandlish et al.'s, 2018,
arXiv:1812.06162.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, final

import numpy as np
import scipy
import torch
from torch import Tensor

from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from proofs_check.instruments.paths import path
from theory.arrays import Floats
from theory.rules.batch_rules import FixedBatch
from theory.stepsizes import ConstantStep

_GRID = 2**0.5
_LOOKS = 15  # looks per e-fold of steps: the count is interpolated between two


@final
class StepsToTarget(NamedTuple):
    """To where, from where, how long at most, and with how many groups of how many replicas.

    Attributes:
        problem: the problem.
        loss: models ``[R, d]`` -> values ``[R]`` that are to fall.
        target: the loss at which the count stops.
        size: replicas in a group.
        seed: seed of the runs.
        largest: the largest stepsize that is tried.
    """

    problem: Problem
    loss: Callable[[Tensor], Tensor]
    target: float
    most: int
    groups: int
    size: int
    seed: int
    largest: float


def steps_to_target(
    to_target: StepsToTarget, batch: int, gamma: float, seed: int, most: int
) -> Floats:
    """First times ``[G]`` at the target; infinite where it is not reached in ``most`` steps."""
    method = Batched(BSP(ConstantStep(gamma)), FixedBatch(batch))
    found, before = np.full(to_target.groups, np.inf), np.full(to_target.groups, np.nan)
    last = due = 0
    replicas = to_target.groups * to_target.size
    for moment in path(method, to_target.problem, most, seed=seed, replicas=replicas):
        if moment.t < due:
            continue
        values = to_target.loss(moment.state.x[:, 0])
        if not bool(torch.isfinite(values).all()):
            break
        now = values.view(to_target.groups, to_target.size).mean(-1).double().numpy()
        new = (now <= to_target.target) & np.isinf(found)
        found[new] = _between(last, moment.t, before[new], now[new], to_target.target)
        if np.isfinite(found).all():
            break
        last, before, due = moment.t, now, moment.t + max(1, moment.t // _LOOKS)
    return found


def _between(last: int, t: int, before: Floats, now: Floats, target: float) -> Floats:
    """Where the logarithm of a loss crosses, taken linear between two looks."""
    if t == 0:
        return np.zeros_like(now)
    share = np.log(before / target) / np.log(before / now)
    return np.asarray(last + (t - last) * share)


def best_stepsize(to_target: StepsToTarget, batch: int, start: float) -> float:
    """The best of the grid, climbing from ``start`` in both directions."""

    def steps(gamma: float) -> float:
        if gamma > to_target.largest:
            return math.inf
        if gamma not in seen:
            limit = math.ceil(min(to_target.most, 1.5 * min(seen.values(), default=math.inf)))
            seen[gamma] = float(
                steps_to_target(pilot, batch, gamma, to_target.seed + 1, limit).mean()
            )
        return seen[gamma]

    pilot = to_target._replace(groups=max(2, to_target.groups // 4))
    seen: dict[float, float] = {}
    best = start
    while not math.isfinite(steps(best)):
        best /= _GRID
    for ratio in (_GRID, 1 / _GRID):
        while steps(best * ratio) < steps(best):
            best *= ratio
    return best


class BatchScan(NamedTuple):
    """Batches ``[K]`` (in base batches), best stepsizes ``[K]``, counts ``[G, K]``.

    Attributes:
        steps: counts of steps ``[G, K]``.
    """

    batches: Floats
    stepsizes: Floats
    steps: Floats


def scan(to_target: StepsToTarget, batches: tuple[int, ...], start: float) -> BatchScan:
    """Every batch, from the smallest; the stepsize found for one is where the next begins."""
    gammas, columns, before = [], [], batches[0]
    gamma = start
    for batch in batches:
        gamma = best_stepsize(
            to_target, batch, min(gamma * batch / before, to_target.largest / 1.001)
        )
        gammas.append(gamma)
        columns.append(steps_to_target(to_target, batch, gamma, to_target.seed, 2 * to_target.most))
        before = batch
    return BatchScan(
        np.array(batches, dtype=np.float64), np.array(gammas), np.stack(columns, axis=1)
    )


class Hyperbola(NamedTuple):
    """S = S_min (1 + B_c / B): the fewest steps, and the critical batch."""

    fewest: float
    critical: float

    def steps(self, batches: Floats) -> Floats:
        """Steps to the target with these batches, by the hyperbola."""
        return np.asarray(self.fewest * (1 + self.critical / batches))

    def slope(self, batches: Floats) -> float:
        """Least-squares slope of log S against log B on these batches."""
        return float(np.polyfit(np.log(batches), np.log(self.steps(batches)), 1)[0])


def hyperbola(scanned: BatchScan) -> Hyperbola:
    """Least squares in log S over all batches."""
    log_steps = np.log(scanned.steps.mean(0))

    def off(p: Floats) -> Floats:
        return np.asarray(p[0] + np.log1p(np.exp(p[1]) / scanned.batches) - log_steps)

    guess = [log_steps[-1], math.log(scanned.batches[len(scanned.batches) // 2])]
    found = scipy.optimize.least_squares(off, guess).x
    return Hyperbola(math.exp(found[0]), math.exp(found[1]))
