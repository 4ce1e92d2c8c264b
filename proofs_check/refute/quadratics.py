"""Attacks on quadratics: which a claim allows, and how they are made of numbers."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from algorithms.methods.base import Method
from algorithms.problems.quadratic import Quadratic
from proofs_check.mutants.wrong_bounds import AlteredTheorem
from proofs_check.refute.attacker import Attacker
from proofs_check.refute.claim import PROBE, Claim, restrictions, sizes
from proofs_check.refute.instance import COORDINATES, QuadraticInstance, quadratic_at
from proofs_check.refute.measured import (
    Unfit,
    known,
    lengthened,
    method_of,
    remembered,
    with_share,
)
from proofs_check.refute.parts import RULING, changeable, changed
from theory.arrays import Floats
from theory.stepsizes import Stepsize
from theory.theorems.kinds import ConstantStepTheorem

_LOOKED = 16
_EDGES = (
    (0.99, 0.0, 0.0, 0.625, 0.0, 1.0),
    (0.0, 0.0, 0.0, 0.625, 0.0, 1.0),
    (0.0, 0.5, 0.0, 0.0, 0.0, 1.0),
    (0.99, 0.0, 0.625, 0.0, 0.0, 1.0),
    (0.99, 0.0, 0.625, 0.0, 1.0, 1.0),
    (0.5, 0.5, 0.625, 0.625, 0.0, 1.0),
    (0.99, 0.0, 0.0, 0.625, 0.0, 0.4),
    (0.0, 0.5, 0.0, 0.0, 0.0, 0.4),
    (0.99, 0.0, 0.625, 0.0, 0.0, 0.4),
    (0.99, 0.0, 0.0, 0.875, 0.0, 1.0),
    (0.99, 0.0, 0.0, 0.375, 0.0, 1.0),
    (0.99, 0.0, 0.875, 0.0, 0.0, 1.0),
    (0.99, 0.0, 0.375, 0.0, 0.0, 1.0),
    (0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    (0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    (0.38, 0.0, 0.625, 0.0, 0.75, 0.0),
    (0.38, 0.0, 0.625, 0.0, 0.75, 0.4),
)  # number of workers, distance, heterogeneity, noise, different Hessians, stepsize: one cause at a
# time, then all; the same at a sixth of the stepsize; in units of x 100 times larger or smaller;
# two workers with Hessians of 1 and 3 at a hundredth of the stepsize and at a sixth
_SECOND, _LONG = 0.8, (1.0, 0.4, 0.6)  # many workers in two dimensions; stepsizes

LONG, STEPS, SHORT = 900, 200, 64
"""Lengths of runs: of exact moments; where their steps are taken one by one; and where a step costs
as much as a run."""


class AllowedQuadratics(NamedTuple):
    """Quadratics of which a claim says something.

    Attributes:
        sizes: workers and dimensions.
        similar: whether workers must be alike.
        quiet: whether gradients must be exact.
    """

    sizes: tuple[tuple[int, int], ...]
    similar: bool
    quiet: bool


class QuadraticAttacker(Attacker):
    """Quadratics from 0; ``other_parts``: operator, network, period and delays are searched too."""

    other_parts: bool = False
    kind = QuadraticInstance
    stepsize_at = 9

    @abstractmethod
    def held(self, claim: Claim) -> None:
        """Nothing.

        Raises:
            Unfit: this attacker does not measure the claim; says why.
        """

    @abstractmethod
    def longest(self, claim: Claim) -> int:
        """Number of steps of the runs."""

    def coordinates(self, claim: Claim) -> int:
        self.held(claim)
        allowed(self, claim)
        return COORDINATES + parts_of(self, claim)

    def edges(self, size: int) -> Floats:
        """One cause at a time at the longest stepsize: noise, start, heterogeneity; then all; then
        a short stepsize, where floors of order gamma^2 do not hide that of order gamma; then other
        units, in which a term of the wrong dimension is another share of the rest; then workers
        that differ in one of two coordinates and start away from the minimum in the other."""
        found = np.full((0, size), 0.5)
        for few, far, zeta, sigma, apart, long in _EDGES:
            point = np.full(size, 0.5)
            point[:COORDINATES] = (few, 0.5, 0.1, far, 0, 0, zeta, sigma, apart, long, 1, 0.5)
            found = np.vstack((found, point))
        for long in _LONG:
            point = np.full(size, 0.5)
            point[:COORDINATES] = (_SECOND, 0.5, 0, 0.5, 0, 1, 0.625, 0, 0, long, 1, 0)
            found = np.vstack((found, point))
        return found

    def instance(self, claim: Claim, u: Floats) -> QuadraticInstance:
        allows = allowed(self, claim)
        found = quadratic_at(
            u, allows.sizes, parts_of(self, claim), self.longest(claim), allows.similar,
            "zeta2" in claim.theorem.needs, allows.quiet,
        )  # fmt: skip
        return with_step(self, claim, found)

    def method(
        self, claim: Claim, step: Stepsize, problem: Quadratic, instance: QuadraticInstance
    ) -> Method[Any]:
        """The claim's method, its parts as the instance says.

        Raises:
            Unfit: it cannot be made.
        """
        method = method_of(claim, step, problem, instance.steps)
        if not self.other_parts:
            return method
        try:
            return changed(method, claim.theorem, problem, instance.parts)
        except (ValueError, TypeError) as error:
            raise Unfit(str(error)) from error


def quadratic_of(instance: QuadraticInstance) -> Quadratic:
    """The problem of an instance.

    Raises:
        Unfit: its numbers make none.
    """
    try:
        return instance.problem()
    except ValueError as error:
        raise Unfit(str(error)) from error


def with_step(
    attacker: QuadraticAttacker, claim: Claim, found: QuadraticInstance
) -> QuadraticInstance:
    """The instance with its stepsize in place of its share of the largest one.

    Raises:
        Unfit: the claim allows none there.
    """
    if claim.horizon:
        found = replace(found, steps=claim.horizon)
    problem = quadratic_of(found)
    c = known(claim, attacker.method(claim, PROBE, problem, found), problem)
    gamma = with_share(claim, c, found.gamma or 1.0, found.steps)
    return replace(found, gamma=gamma, steps=lengthened(claim, c, gamma, found.steps, LONG))


def quick(claim: Claim) -> bool:
    """Whether long runs cost little more than short ones: all steps have one map."""
    theorem = claim.theorem
    while isinstance(theorem, AlteredTheorem):
        theorem = theorem.theorem
    return isinstance(theorem, ConstantStepTheorem)


def centre(n: int, d: int, similar: bool, quiet: bool, share: float | None) -> QuadraticInstance:
    """A plain instance of that size."""
    return QuadraticInstance(
        n, (1.0, *(0.5,) * (d - 1)), (1.0,) * d, 0.0 if similar else 0.1, 0.0 if quiet else 0.1,
        0.0, share, _LOOKED, (0.5,) * 8,
    )  # fmt: skip


@remembered
def allowed(attacker: QuadraticAttacker, claim: Claim) -> AllowedQuadratics:
    """The quadratics of which the claim says something and which the attacker can measure.

    Raises:
        Unfit: there are none; says why.
    """
    if claim.after:
        return allowed(attacker, replace(claim, after=0))
    why, alone = "", None
    for similar, quiet in restrictions(claim):
        found, shapes = [], set[int]()
        for n, d in sizes(claim):
            try:
                plain = with_step(attacker, claim, centre(n, d, similar, quiet, 0.01))
                if d not in shapes and not attacker.other_parts:
                    attacker.measure(claim, plain)  # one size tells of its dimension
            except Unfit as error:
                why = str(error)
            else:
                shapes.add(d)
                found.append((n, d))
        if not found:
            continue
        one = AllowedQuadratics(tuple(found), similar, quiet)
        if max(n for n, _ in found) > 1 or max(claim.workers) == 1:
            return one
        alone = alone or one  # several workers, if they are alike or exact, say more than one
    if alone is not None:
        return alone
    raise Unfit(why)


@remembered
def parts_of(attacker: QuadraticAttacker, claim: Claim) -> int:
    """Number of parts that can be changed.

    Raises:
        Unfit: none can, where parts are to be.
    """
    if not attacker.other_parts:
        return 0
    if claim.fixed:
        raise Unfit("what its setting states is of the parts as they are")
    allows = allowed(attacker, claim)
    (n, d), *_ = sorted(allows.sizes, reverse=True)
    problem = centre(n, d, allows.similar, allows.quiet, None).problem()
    method = method_of(claim, PROBE, problem, SHORT)
    count = len(changeable(method, claim.theorem, problem))
    if not count:
        would = [one for one in RULING if changeable(method, _naming(one), problem)]
        asks = f"; needs={tuple(would)} in the claim would let parts be others" if would else ""
        raise Unfit(f"it has no part that its theorem lets be another{asks}")
    return count


def _naming(constant: str) -> Any:
    """What a theorem about that constant alone says of parts."""
    return SimpleNamespace(needs=(constant,), changing_network=False)
