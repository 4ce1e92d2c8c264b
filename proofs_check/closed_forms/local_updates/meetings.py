"""Lists of meetings: once, growing, post-local, listed, periodic.

On quadratics with one Hessian the mean model is BSP's, path by path, for every list of meetings,
and nothing of the last block is left in the spread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.synchronisation.periods import Every, Growing, Listed, Once, Periods, PostLocal
from proofs_check.closed_forms.local_updates.common_hessian import (
    FALLING,
    GAMMA,
    REPLICAS,
    SEED,
    STEPS,
    TOLD,
    A,
    noisy,
    spread_of_run,
    spreads,
)
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

COVERS = ("k-avg", "lupa-sgd", "one-shot-averaging", "post-local-sgd", "pr-sgd")

Build = Callable[[Stepsize, Periods], Method[Any]]
LISTS: tuple[tuple[str, Periods, tuple[int, ...]], ...] = (
    ("one-shot-averaging", Once(STEPS), (40,)),
    ("lupa-sgd", Growing(1, 0.7), (1, 2, 4, 7, 10, 14, 19, 24, 30, 37)),
    ("lupa-sgd", Growing(2, 0.5, most=7), (2, 5, 9, 14, 20, 27, 34)),
    ("post-local-sgd", PostLocal(13, 6), (*range(1, 14), 19, 25, 31, 37)),
    ("k-avg", Listed((5, 1, 9)), (5, 6, 15, 24, 33)),
    ("pr-sgd", Every(7), (7, 14, 21, 28, 35)),
)
"""Rows, lists of meetings, and after how many of 40 steps these are: told by hand."""


def lists_keep_the_mean(build: Build = LocalSGD) -> tuple[Verdict, ...]:
    """The mean model is BSP's at every step, whatever the list of meetings."""
    problem = noisy()
    right = models(BSP(FALLING), problem, STEPS, seed=SEED, replicas=REPLICAS)
    return tuple(
        identity(
            row, f"mean of local models = BSP's model, path by path, {periods.name}",
            models(build(FALLING, periods), problem, STEPS, seed=SEED, replicas=REPLICAS),
            right, check="closed form, lists", problem=problem.name, provenance=TOLD,
        )
        for row, periods, _ in LISTS
    )  # fmt: skip


def spread_between_meetings(build: Build = LocalSGD) -> tuple[Verdict, ...]:
    """x_i - xbar = (1 - (1 - gamma a)^j)(b_i - bbar), j steps after a meeting."""
    return tuple(
        identity(
            row, f"x_i - xbar = (1 - (1 - gamma a)^j)(b_i - bbar), {periods.name}",
            spread_of_run(build(ConstantStep(GAMMA), periods)), spreads(ends, 0.0)[:, None],
            check="closed form, spread between meetings", problem="quadratic",
            provenance=f"{STEPS} steps, gamma {GAMMA:g}, a {A:g}, no noise",
        )
        for row, periods, ends in LISTS
    )  # fmt: skip


def meetings() -> tuple[Verdict, ...]:
    """The mean, and the spread between meetings."""
    return (*lists_keep_the_mean(), *spread_between_meetings())


CLOSED_FORMS = (meetings,)
