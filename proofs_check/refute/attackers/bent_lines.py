"""Bent lines: functions of one number, piecewise quadratic, non-convex where that is allowed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any, final

import numpy as np

from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.refute.attacker import Attacker, Confirmation
from proofs_check.refute.claim import PROBE, Claim, restrictions
from proofs_check.refute.followed import again, runs
from proofs_check.refute.instance import share
from proofs_check.refute.lines import BentLine, LineInstance
from proofs_check.refute.measured import (
    BoundTrial,
    Unfit,
    known,
    lengthened,
    method_of,
    remembered,
    with_share,
)
from proofs_check.refute.parts import changeable, changed
from theory.arrays import Floats
from theory.stepsizes import Stepsize

_STEPS, _LOOKED, _LONG = 48, 8, 400
_REPLICAS, _SEED = 256, 11
_CAUSES = (
    (0.0, 0.0, 0.75, 0.0), (1.0, 0.0, 0.0, 0.0), (0.5, 1.0, 0.0, 0.9), (0.0, 1.0, 0.0, 0.9),
)  # fmt: skip
_LINE, _ENDS = 14, (0.98, 0.02)  # numbers of a line; where parts are extreme
_NONE = 0.05  # below which there is no gradient at the start
_CURVED = frozenset({"mu", "mu_min", "pl"})


@final
@dataclass(frozen=True)
class BentLines(Attacker):
    """Gradients of one number that bend twice; no noise, or two points of any skewness."""

    name = "lines"
    turn = 2
    kind = LineInstance
    stepsize_at = 12
    what = "functions of one number with bent gradients; no noise, or skewed noise of two points"

    def coordinates(self, claim: Claim) -> int:
        _sizes(claim)
        count = _parts(claim)
        return _LINE + 1 + count if count else _LINE

    def edges(self, size: int) -> Floats:
        """One cause at a time: noise, a far start, workers apart whose curvatures differ, with a
        start and from the minimum; the longest stepsize and a short one; then with each part of the
        method near both its ends."""
        found = np.full((8, size), 0.5)
        for row, ((rise, zeta, sigma, width), long) in zip(
            found, product(_CAUSES, (1.0, 0.4)), strict=True
        ):
            row[[0, 2, 4]] = 0.99, 0.0, 0.0
            row[[8, 9, 10, 12, 13]] = rise, zeta, sigma, long, width
            row[_LINE:] = 0.0  # the claim's own parts
        for cause, part, at in product((4, 6), range(_LINE + 1, size), _ENDS):
            point = found[cause].copy()
            point[_LINE:] = 0.5
            point[[_LINE, part]] = 1.0, at
            found = np.vstack((found, point))
        return found

    def instance(self, claim: Claim, u: Floats) -> LineInstance:
        sizes, similar, quiet = _sizes(claim)
        v = [float(one) for one in u]
        n = sizes[min(int(v[0] * len(sizes)), len(sizes) - 1)]
        L = 10 ** (2 * v[1] - 1)
        middle = L * _slope(v[3], claim)
        slopes = (L * 10 ** (-2 * v[2]), middle, L * 10 ** (-2 * v[4]))
        first = (2 * v[5] - 1) * 10 ** (2 * v[6] - 1)
        rise = 0.0 if v[8] < _NONE else L * 10 ** (2 * v[8] - 1)
        found = LineInstance(
            n, slopes, (first, first + 10 ** (3 * v[7] - 2)), rise=rise,
            zeta=0.0 if similar or n == 1 or v[9] < 0.5 else L * 10 ** (4 * v[9] - 3),
            sigma=0.0 if quiet or v[10] < 0.5 else L * 10 ** (4 * v[10] - 3),
            rare=0.02 + 0.96 * v[11], gamma=share(v[12]), steps=claim.horizon or _STEPS,
        )  # fmt: skip
        if "lipschitz" in claim.theorem.needs:
            found = _flattened(found, v)
        if v[13] > 0.5 and "zeta2" in claim.theorem.needs:
            width = found.zeta / (L * 10 ** (4 * v[13] - 3.5))
            found = replace(found, width=width, centre=0.0 if found.rise else width)
        if v[_LINE:] and v[_LINE] > 0.5:
            found = replace(found, parts=tuple(v[_LINE + 1 :]))
        assert found.gamma is not None
        problem, other = _problem(found), _changed(claim, found)
        method = method_of(other, PROBE, problem, found.steps)
        c = known(other, method, problem)
        gamma = with_share(other, c, found.gamma, found.steps)
        return replace(found, gamma=gamma, steps=lengthened(other, c, gamma, found.steps, _LONG))

    def measure(self, claim: Claim, instance: Any) -> BoundTrial:
        return runs(
            _changed(claim, instance), _problem(instance), instance, attacker=self.name,
            steps=instance.steps, replicas=_REPLICAS, seed=_SEED,
        )  # fmt: skip

    def confirm(self, claim: Claim, trial: BoundTrial) -> Confirmation:
        instance: Any = trial.instance
        return again(_changed(claim, instance), _problem(instance), trial, instance.steps)


def _plain(claim: Claim, n: int, zeta: float, sigma: float, steps: int) -> LineInstance:
    """A plain line, with constant gradients outside where the theorem bounds them."""
    slopes, knots = (1.0, 0.5, 1.0), (-1.0, 1.0)
    if "lipschitz" in claim.theorem.needs:
        slopes, knots = (0.0, 1.0, 0.0), (-3.0, -1.0)
    return LineInstance(n, slopes, knots, 1.0, zeta, sigma, 0.5, None, steps)


def _flattened(found: LineInstance, v: list[float]) -> LineInstance:
    """The line with constant gradients outside of its knots: ``rise`` on the start's side of the
    minimum, or none at the start, and up to ten times more or less on the other."""
    L = max(found.slopes)
    here = found.rise or L
    there = here * 10 ** (2 * v[2] - 1)
    far = 0.0 if not found.rise else 10 ** (4 * v[7] - 2)
    wide = 10 ** (2 * v[6] - 1)  # of the bend
    second = -far if found.rise else wide * here / (here + there)
    slope = (here + there) / wide
    return replace(found, slopes=(0.0, slope, 0.0), knots=(second - wide, second))


def _changed(claim: Claim, instance: LineInstance) -> Claim:
    """The claim of the method whose parts are those of the instance."""
    if not instance.parts:
        return claim

    def make(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
        return changed(claim.make(step, problem, steps), claim.theorem, problem, instance.parts)

    return replace(claim, make=make)


@remembered
def _parts(claim: Claim) -> int:
    """Number of parts that can be changed."""
    if claim.fixed:
        return 0
    n = max(_sizes(claim)[0])
    problem = _plain(claim, n, 0.1, 0.1, _LOOKED).problem()
    return len(changeable(method_of(claim, PROBE, problem, _LOOKED), claim.theorem, problem))


def _slope(u: float, claim: Claim) -> float:
    """A slope over L: positive where the theorem wants curvature, else from -1 to 1."""
    if _CURVED & set(claim.theorem.needs):
        return float(10 ** (-2 * u))
    return 1 - 2 * u if u < 0.9 else -1.0


def _problem(instance: LineInstance) -> BentLine:
    try:
        return instance.problem()
    except ValueError as error:
        raise Unfit(str(error)) from error


@remembered
def _sizes(claim: Claim) -> tuple[tuple[int, ...], bool, bool]:
    """Numbers of workers at which the claim says something of lines, whether they must be alike,
    and gradients exact.

    Raises:
        Unfit: it does at none; says why.
    """
    if 1 not in claim.dimensions:
        raise Unfit(f"what its setting states is of {claim.dimensions[0]} dimensions")
    why: Unfit | None = None
    alone: tuple[tuple[int, ...], bool, bool] | None = None
    for similar, quiet in restrictions(claim):
        found = []
        length = claim.horizon or _LOOKED
        zeta, sigma = 0.0 if similar else 0.1, 0.0 if quiet else 0.1
        for n in claim.workers:
            plain = _plain(claim, n, zeta, sigma, length)
            try:
                problem = _problem(plain)
                method = method_of(claim, PROBE, problem, plain.steps)
                gamma = with_share(claim, known(claim, method, problem), 0.01, plain.steps)
                runs(
                    claim, problem, replace(plain, gamma=gamma), attacker="lines", steps=length,
                    replicas=16, seed=_SEED,
                )  # fmt: skip
            except Unfit as error:
                why = error
            else:
                found.append(n)
        if found:
            alone = alone or (tuple(found), similar, quiet)
            if max(found) > 1 or max(claim.workers) == 1:
                return tuple(found), similar, quiet
    if alone is not None:
        return alone
    raise Unfit(str(why))


bent_lines = BentLines()
