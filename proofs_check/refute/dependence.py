"""Dependences: for which constants a surviving bound over-pays, cause of error by cause.

One variable (n, T, condition number, gap, H, tau, omega, 1/delta) is held at the values of a
ladder and one cause of error (start, noise, heterogeneity) is made large; the rest is searched for
the largest ratio of what is measured and the bound. Where that ratio falls as variable^-p, the
bound over-pays by variable^p: its exponent could be better by p for all that was tried.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import joblib
import numpy as np

from algorithms.problems.quadratic import Quadratic
from proofs_check.refute.attackers import ATTACKERS
from proofs_check.refute.claim import PROBE, Claim
from proofs_check.refute.formula import StatedTheorem
from proofs_check.refute.instance import COORDINATES
from proofs_check.refute.measured import BoundTrial, Unfit, known, method_of
from proofs_check.refute.outcome import Dependence
from proofs_check.refute.parts import changeable
from proofs_check.refute.quadratics import QuadraticAttacker, allowed, centre, parts_of
from proofs_check.refute.search import Clock, SearchObjective, SearchOver
from theory.arrays import Floats

ATTACKED_BY = ("parts", "exact")
"""Attackers whose cube is searched: the first that holds the claim."""

_RUNGS = 5
_NEAR = 6
_FAR, _ZETA, _SIGMA, _SHARE, _STEPS = 3, 6, 7, 9, 10
_CAUSES = {
    "start": {_FAR: 1.0, _ZETA: 0.0, _SIGMA: 0.0},
    "noise": {_FAR: 0.0, _ZETA: 0.0, _SIGMA: 1.0},
    "heterogeneity": {_FAR: 0.0, _ZETA: 1.0, _SIGMA: 0.0},
}
"""Coordinates of the cube that make one cause of error large."""


class Ladder(NamedTuple):
    """Values of a variable, as what they fix.

    Attributes:
        variable: its name.
        rungs: coordinates of the cube by number, and the step from which on ratios count.
    """

    variable: str
    rungs: tuple[tuple[dict[int, float], int], ...]


def dependences(
    claims: Sequence[Claim], *, until: float, seed: int, workers: int = 1,
    variables: Sequence[str] = (), clock: Clock = time.monotonic,
) -> tuple[Dependence, ...]:  # fmt: skip
    """Those of the first claim that an attacker of :data:`ATTACKED_BY` holds, in ``variables``, by
    default in all; none: no such claim, or the time ``until`` of the clock was over first."""
    for claim in claims if clock() < until else ():
        attacker = _attacker(claim)
        if attacker is not None:
            break
    else:
        return ()
    tasks = [
        (attacker.name, claim, ladder, cause)
        for ladder in ladders(attacker, claim)
        if not variables or ladder.variable in variables
        for cause in causes(attacker, claim)
    ]
    each = (until - clock()) * workers / max(1, len(tasks))
    found = joblib.Parallel(workers)(
        joblib.delayed(climbed)(*task, each, seed + k, until, clock) for k, task in enumerate(tasks)
    )
    return tuple(one for one in found if len(one.values) > 2)


def _attacker(claim: Claim) -> QuadraticAttacker | None:
    by_name = {one.name: one for one in ATTACKERS}
    for name in ATTACKED_BY:
        one = by_name[name]
        with suppress(Unfit):
            if isinstance(one, QuadraticAttacker) and not claim.here:
                one.coordinates(claim)
                return one
    return None


def causes(attacker: QuadraticAttacker, claim: Claim) -> tuple[str, ...]:
    """Causes of error that the claim allows."""
    allows = allowed(attacker, claim)
    left = {"noise"} if allows.quiet else set[str]()
    left |= {"heterogeneity"} if allows.similar else set()
    return tuple(one for one in _CAUSES if one not in left)


def ladders(attacker: QuadraticAttacker, claim: Claim) -> Iterator[Ladder]:
    """The variables that can be held, and their values."""
    shapes = allowed(attacker, claim).sizes
    largest = {n: k for k, (n, _) in enumerate(shapes)}
    if len(largest) > 2:
        each = ({0: (k + 0.5) / len(shapes)} for _, k in sorted(largest.items()))
        yield Ladder("n", tuple((fixed, 0) for fixed in each))
    if not claim.horizon and not _by_horizon(attacker, claim):
        after = np.geomspace(4, attacker.longest(claim), _RUNGS).astype(int)
        yield Ladder("T", tuple(({_STEPS: 1.0}, int(t)) for t in np.unique(after)))
    if "mu" in claim.theorem.needs and any(d > 1 for _, d in shapes):
        flat = {n: k for k, (n, d) in enumerate(shapes) if d > 1}
        place = (min(flat.values()) + 0.5) / len(shapes)
        shares = np.linspace(0.1, 1.0, _RUNGS)
        yield Ladder("L/mu", tuple(({0: place, 2: float(s)}, 0) for s in shares))
    for k, constant in enumerate(_parts(attacker, claim)):
        if constant:
            shares = np.geomspace(0.01, 1.0, _RUNGS) if constant == "1 - lam" else _SHARES
            fixed = tuple(({COORDINATES + k: float(s)}, 0) for s in shares)
            yield Ladder("1/delta" if constant == "delta" else constant, fixed)


_SHARES = np.linspace(0.05, 0.99, _RUNGS)


def _by_horizon(attacker: QuadraticAttacker, claim: Claim) -> bool:
    """Whether the claim's stepsize follows from T, so that it says nothing of other times."""
    if not isinstance(claim.theorem, StatedTheorem):
        return False
    problem = _plain(attacker, claim)
    return claim.theorem.by_horizon(known(claim, method_of(claim, PROBE, problem, 16), problem))


def _plain(attacker: QuadraticAttacker, claim: Claim) -> Quadratic:
    """The plain instance of the largest size."""
    allows = allowed(attacker, claim)
    (n, d), *_ = sorted(allows.sizes, reverse=True)
    return centre(n, d, allows.similar, allows.quiet, None).problem()


def _parts(attacker: QuadraticAttacker, claim: Claim) -> tuple[str, ...]:
    """The constant that each changeable part rules."""
    if not attacker.other_parts:
        return ()
    problem = _plain(attacker, claim)
    parts = changeable(method_of(claim, PROBE, problem, 16), claim.theorem, problem)
    return tuple(part.constant for part in parts[: parts_of(attacker, claim)])


def climbed(
    name: str, claim: Claim, ladder: Ladder, cause: str, seconds: float, seed: int,
    until: float = math.inf, clock: Clock = time.monotonic,
) -> Dependence:  # fmt: skip
    """The largest ratio at every rung, in ``seconds`` for all of them; a ladder that is not climbed
    to its end ``until`` then has no values."""
    attacker = next(one for one in ATTACKERS if one.name == name)
    found: list[tuple[float, float]] = []
    for k, (fixed, after) in enumerate(ladder.rungs):
        if clock() >= until:
            return Dependence(ladder.variable, cause, (), ())
        ends = min(until, clock() + seconds / len(ladder.rungs))
        held = _CAUSES[cause] | fixed
        best = _largest(attacker, replace(claim, after=after), held, ends, until, seed + k, clock)
        if best is not None and best.ratio > 0:
            found.append((_value(ladder.variable, best), best.ratio))
    found = list(dict(sorted(found)).items())  # the largest ratio of equal values
    return Dependence(
        ladder.variable, cause, tuple(x for x, _ in found), tuple(ratio for _, ratio in found)
    )


def _largest(
    attacker: Any, claim: Claim, held: dict[int, float], ends: float, until: float, seed: int,
    clock: Clock,
) -> BoundTrial | None:  # fmt: skip
    climb = SearchObjective(attacker, claim, until, stop=np.inf, clock=clock)
    from scipy.optimize import differential_evolution  # 0.3 s, which a first look need not wait for

    size = attacker.coordinates(claim)
    free = [k for k in range(size) if k not in held]
    rng = np.random.default_rng(seed)
    edges = np.vstack((attacker.edges(size), attacker.edges(size)))
    edges[len(edges) // 2 :, _SHARE] = 0.5  # many bounds have no number at the largest stepsize
    edges = np.unique(edges[:, free], axis=0)
    near = edges[rng.integers(0, len(edges), _NEAR)] + rng.normal(0, 0.2, (_NEAR, len(free)))
    first = np.clip(np.vstack((edges, near)), 0, 1)

    def full(v: Floats) -> float:
        u = np.empty(size)
        u[free], u[list(held)] = v, list(held.values())
        return climb(u)

    with suppress(SearchOver):
        for v in first[: len(edges)]:
            full(v)  # however long a rung may take
        climb.until = ends
        differential_evolution(
            full, [(0.0, 1.0)] * len(free), init=first, maxiter=6, polish=False, rng=rng,
            updating="immediate", tol=0.0,
        )  # fmt: skip
    return climb.best


def _value(variable: str, trial: BoundTrial) -> float:
    """The variable at a trial."""
    c = trial.constants
    if variable == "T":
        return float(trial.t)
    if variable == "1 - lam":
        return 1 - c["lam"]
    if variable == "1/delta":
        return 1 / c["delta"]
    if variable == "L/mu":
        return c.get("L", c.get("L_max", np.nan)) / c["mu"]
    if variable == "tau":
        return c.get("tau", c.get("tau_coordinate", np.nan))
    return c[variable]
