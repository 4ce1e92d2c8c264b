"""Claims by name: the project's theorems, each with the methods that it was held against."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from algorithms.catalogue import ROWS
from algorithms.core.names import look_up
from algorithms.problems.base import Problem
from proofs_check.audit.loading import imported
from proofs_check.bounds.check import BoundCheck, nothing_more
from proofs_check.bounds.every import BOUND_CHECKS
from proofs_check.bounds.settings import (
    both,
    from_the_origin,
    moment_in_ball,
    near_minimum,
    second_moment,
)
from proofs_check.refute.claim import WORKERS, Claim
from proofs_check.refute.measured import BY_RUN
from theory.constants import Constants
from theory.theorem import Theorem
from theory.theorems import PROVED_ONLY, THEOREMS
from theory.theorems.families import WarmedUp

_BY_INSTANCE = frozenset({*BY_RUN, "hessian_lipschitz", "zeta2"})
"""What a setting states that an attack finds itself, or that it keeps to."""


_PLACES = {row.key: k for k, row in enumerate(ROWS)}

_STATED: dict[object, Callable[[Problem], Constants]] = {
    moment_in_ball: nothing_more,
    second_moment: nothing_more,
    near_minimum: nothing_more,
    both: from_the_origin,
}
"""What settings state beside G2, which an attack finds of each run."""


def claim_of(check: BoundCheck) -> Claim:
    """The claim that a setting is an example of."""
    problem = check.setting()
    stated = check.states(problem)
    fixed = bool(set(stated.stated()) - _BY_INSTANCE)
    one = stated.zeta2 == 0
    here = stated.sigma2 is not None
    sizes = _sizes(check, problem, fixed)
    states = _STATED.get(check.states, check.states)
    return Claim(
        check.theorem.name if not check.row else f"{check.theorem.name} ({check.row})",
        check.theorem, check.make, states, *sizes, row=check.row, one_objective=one, fixed=fixed,
        here=here, problem=check.setting,
        horizon=check.steps if isinstance(check.theorem, WarmedUp) else 0,
    )  # fmt: skip


def _sizes(
    check: BoundCheck, problem: Problem, fixed: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Workers and dimensions that the method can be made for."""
    if fixed:
        return (problem.n,), (problem.d,)
    return tuple(dict.fromkeys((*WORKERS, problem.n))), (1, 2)


@cache
def claims_of(theorem: str) -> tuple[Claim, ...]:
    """The claims of a theorem of ours, one for each method that it was held against, in the
    catalogue's order."""
    found: dict[str, Claim] = {}
    for check in sorted(BOUND_CHECKS, key=lambda check: _PLACES.get(check.row, 0)):
        if check.theorem.name == theorem:
            made = claim_of(check)
            found.setdefault(_key(made), made)
    return tuple(found.values())


def _key(made: Claim) -> str:
    """Claims of one row on several settings are one, but where what is stated is of a setting."""
    return f"{made.row} {made.workers} {made.one_objective}" if made.fixed else made.row


def theorem_called(name: str) -> Theorem:
    """The project's theorem of that name.

    Raises:
        UnknownName: there is none; suggests the nearest.
    """
    return look_up("theorem", name, {one.name: one for one in (*THEOREMS, *PROVED_ONLY)})


def claims_called(name: str) -> tuple[Claim, ...]:
    """The claims of a theorem of ours, or of MODULE:ATTRIBUTE; none where no method was held
    against a theorem.

    Raises:
        ValueError: there is no such theorem, or it cannot be imported.
    """
    if ":" not in name:
        return claims_of(theorem_called(name).name)
    found = imported(name)
    if not isinstance(found, Claim):
        raise ValueError(
            f"{name} must be a claim (rateproof.claim, docs/refute.md), got something of type "
            f"{type(found).__name__}"
        )
    return (found,)
