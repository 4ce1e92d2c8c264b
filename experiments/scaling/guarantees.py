"""Steps after which a theorem's bound is as low as asked, for any number of workers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, final

import numpy as np

from algorithms.catalogue import Row
from algorithms.engine.run import run
from algorithms.problems.base import Problem
from proofs_check.methods.tuned_run import START
from theory.constants import Constants, MissingConstants
from theory.theorem import Theorem

_MOST = 2**50
_HORIZON = 10**6  # of the run whose tuning names the theorem
_SEED = 1


@final
class Guarantee(NamedTuple):
    """Guarantee of a theorem for a row on a problem.

    Attributes:
        theorem: its name; empty where none tunes the row there.
        description: what is promised of what, or why nothing is.
        steps: until the bound is as low as asked, by number of workers; infinite where never.
    """

    theorem: str
    description: str
    steps: dict[int, float]


def guarantee(row: Row, on: Problem, sizes: Mapping[int, float], target: float) -> Guarantee:
    """Steps until the bound of the row's theorem is ``target`` of its quantity at the start.

    The theorem sees the constants of the row on this problem with another number of workers; of
    each number in ``sizes`` the variance of a worker's gradient is so many times the problem's. The
    others are as they were. What depends on a network of workers is known for as many as the
    problem has, and for no others.

    Raises:
        ValueError: the row is planned.
    """
    tuned = row.tune(on, _HORIZON)
    theorem = tuned.theorem
    if theorem is None:
        return Guarantee("", f"no theorem tunes {row.key} on {on.name}", {})
    if theorem.metric not in START:
        return Guarantee(
            theorem.name, f"{theorem.name} bounds {theorem.metric.value}, whose start is not known",
            {},
        )  # fmt: skip
    trace = run(tuned.method, on, steps=1, seed=_SEED, replicas=1)
    start = float(getattr(trace, START[theorem.metric])[:, 0].mean())
    constants = tuned.method.constants(on)
    found = {
        n: steps_until(theorem, mine, target * start)
        for n, noise in sizes.items()
        if (mine := of_workers(constants, n, noise)) is not None
    }
    description = (
        f"{theorem.name} ({theorem.source}) promises {theorem.metric.value} of at most {target:g} "
        "of its start, at the stepsize that it prescribes for so many steps"
    )
    return Guarantee(theorem.name, description, found)


def of_workers(c: Constants, n: int, noise: float = 1.0) -> Constants | None:
    """The constants with n workers whose gradients have ``noise`` times the variance.

    None where they depend on a network of another number, or the variance is not stated.
    """
    if c.n is None or (n != c.n and (c.lam is not None or c.kept is not None)):
        return None
    if noise == 1.0:
        return replace(c, n=n).completed()
    if c.sigma2 is None:
        return None
    second = None if c.G2 is None else c.G2 + c.sigma2 * max(0.0, noise - 1)
    return replace(
        c, n=n, sigma2=c.sigma2 * noise, G2=second, sigma_one=None, lipschitz=None
    ).completed()  # fmt: skip


def steps_until(theorem: Theorem, c: Constants, level: float) -> float:
    """The fewest steps T after which the bound, at the stepsize for T, is at most ``level``.

    Found by doubling and halving, as bounds fall with T; infinite where it is above at 2^50.
    """

    def reaches(steps: int) -> bool:
        try:
            step = theorem.stepsize(c, steps)
        except MissingConstants:
            return False
        if not theorem.applies(c, step, steps):
            return False
        return float(theorem.bound(c, step, np.array([float(steps)]))[0]) <= level

    high = 1
    while not reaches(high):
        high *= 2
        if high > _MOST:
            return math.inf
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return float(high)
