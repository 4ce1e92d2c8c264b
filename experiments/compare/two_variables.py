"""A row's error over two variables at once, for a heat map."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from algorithms.catalogue import Row
from algorithms.engine.replicas import centre
from algorithms.engine.run import Diverged
from algorithms.problems.base import Problem
from algorithms.tuning.grid import score, scored
from experiments.figures.heatmap import HeatMaps, HeatPanel
from proofs_check.methods.sweep_points import SweepPoint, known_at, points, value_at
from proofs_check.methods.tuned_run import TunedRun, tuned_run
from theory.stepsizes import Stepsize

_LEAST, _MOST = 3, 12  # digits by which values of an axis are told apart


def over_two(
    row: Row, build: Callable[[int], Problem], variables: tuple[str, str], *, n: int, steps: int,
    replicas: int, seed: int, step: Stepsize | None = None,
) -> HeatMaps:  # fmt: skip
    """The error at the end, typical of replicas, at all pairs of values of two variables of
    :data:`proofs_check.methods.sweep.VARIABLES`; ``build(n)`` makes the problem. Each variable has
    the values of a rate in it; ``step`` is the stepsize everywhere, else each place is tuned.

    Raises:
        ValueError: the same variable twice, or the row has nothing that moves one of them.
    """
    x, y = variables
    if x == y:
        raise ValueError(f"vary must have two variables, got {x} twice")
    first, second = (y, x) if y == "n" else (x, y)  # the problem of so many workers comes first
    errors: dict[tuple[float, float], float] = {}
    quantity = ""
    for outer in points(row, build, first, n, steps, ()):
        for inner in points(
            outer.row, _same(outer, build), second, outer.problem.n, outer.steps, ()
        ):
            found = _run(inner, replicas, seed, step)
            if found is None:  # its cell stays empty
                continue
            at = {name: _value(name, found, outer if name == first else inner, inner)
                  for name in (first, second)}  # fmt: skip
            if (across_at := at[x]) is not None and (up_at := at[y]) is not None:
                end = score(found.trace)[:, -1:]
                error = float(centre(end, found.problem.heavy_tailed)[0])
                errors.setdefault((across_at, up_at), error)
                quantity = scored(found.trace)
    cells = _labelled(errors)
    across, up = (sorted({key[k] for key in cells}, key=float) for k in (0, 1))
    if min(len(across), len(up)) < 2:
        raise ValueError(
            f"row {row.key!r} has too few values of {x} or {y} on {build(n).name} for a heat map; "
            "other variables would do"
        )
    values = np.array([[cells.get((a, b), math.nan) for a in across] for b in up])
    title = f"{row.key} on {build(n).name}, T = {steps}"
    told = f"{quantity} at the end, {replicas} replicas"
    return HeatMaps(title, told, x, y, tuple(across), tuple(up), (HeatPanel("", values),))


def _same(outer: SweepPoint, build: Callable[[int], Problem]) -> Callable[[int], Problem]:
    """The outer point's own problem, where as many workers are asked for."""

    def built(n: int) -> Problem:
        return outer.problem if n == outer.problem.n else build(n)

    return built


def _run(point: SweepPoint, replicas: int, seed: int, step: Stepsize | None) -> TunedRun | None:
    """The run at a point; None where it diverges."""
    try:
        return tuned_run(
            point.row, point.problem, point.steps, replicas, seed, step, points=2, timing=None
        )
    except Diverged:
        return None


def _value(name: str, found: TunedRun, point: SweepPoint, inner: SweepPoint) -> float | None:
    """The variable's value there as it is called; None where it has none."""
    here = inner._replace(batch=max(point.batch, inner.batch), setting=point.setting)
    return value_at(name, known_at(found, here), here)


def _labelled(errors: dict[tuple[float, float], float]) -> dict[tuple[str, str], float]:
    """Errors by the values' labels, of as few digits as lose no error; values that differ by
    rounding alone have one label."""
    for digits in range(_LEAST, _MOST + 1):
        cells = {(f"{a:.{digits}g}", f"{b:.{digits}g}"): error for (a, b), error in errors.items()}
        if len(cells) == len(errors):
            break
    return cells
