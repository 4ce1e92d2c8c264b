"""Search beyond every stepsize limit: ``python -m proofs_check.refute.find_limits``.

For each theorem that limits its stepsizes the least factor by which longer ones break its bound, on
the instances of all attackers. ``--keep`` writes what is found to ``step_limits.json``.
"""

from __future__ import annotations

import math
import time
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any, final

import numpy as np

from algorithms.engine.run import one_thread
from proofs_check.refute.attacker import Attacker
from proofs_check.refute.attackers import ATTACKERS
from proofs_check.refute.claim import Claim
from proofs_check.refute.instance import Instance
from proofs_check.refute.limited import limited_theorems
from proofs_check.refute.measured import SURE, BoundTrial, Unfit
from proofs_check.refute.ours import claims_of
from proofs_check.refute.shrink import shrunk
from proofs_check.refute.step_limits import (
    MOST,
    LimitRecord,
    beyond,
    keep,
    limit_verdict,
    measured,
    with_gamma,
)
from theory.arrays import Floats
from theory.theorem import Theorem

_LADDER = (1.0, 1.05, 1.5, 2.0, 4.0, 16.0, MOST)
_ENOUGH, _ROUNDED, _NEAR = 1.01, 1.002, 0.6
_SHRINKING, _ROUNDS, _HALVINGS = 3.0, 2, 8


@final
class LeastFactor:
    """The least factor that breaks a theorem's bound, over all instances so far."""

    def __init__(self) -> None:
        self.factor, self.tried = math.inf, 0
        self.where: tuple[Attacker, Claim, Instance] | None = None

    def look(self, attacker: Attacker, claim: Claim, instance: Instance) -> bool:
        """Take in an instance at the longest stepsize allowed; whether it breaks sooner."""
        low, rungs = 1.0, _LADDER if self.where is None else (self.factor * 0.99,)
        for high in rungs:
            found = ratio(attacker, claim, instance, high)
            self.tried += high == rungs[0] and found is not None
            if found is not None and found > 1 + SURE:
                break
            low = high
        else:
            return False
        high = _bisected(attacker, claim, instance, low, high)
        self.factor, self.where = high, (attacker, claim, instance)
        return True


def ratio(attacker: Attacker, claim: Claim, instance: Instance, factor: float) -> float | None:
    """Measured over bound at ``factor`` times the instance's stepsizes; None: no such instance."""
    gamma = instance.gamma
    moved = instance if gamma is None else with_gamma(instance, factor * gamma)
    found = measured(attacker, beyond(claim, factor), moved)
    return None if found is None else found.ratio


def climb(
    least: LeastFactor, attacker: Attacker, claim: Claim, seconds: float, rng: np.random.Generator
) -> None:
    """Edges of the cube, then in turns random points of it and ones near the best.

    Raises:
        Unfit: the attacker does not hold the claim.
    """
    if attacker.elsewhere and claim.here:
        raise Unfit("what its setting states is of its own problem alone")
    size = attacker.coordinates(claim)
    turns: list[Floats] = list(attacker.edges(size))
    best: Floats | None = None
    until = time.process_time() + seconds
    while least.factor > _ENOUGH and time.process_time() < until:
        if turns:
            u = turns.pop(0)
        elif best is not None and rng.random() < _NEAR:
            moved = rng.random(size) < 1 / 3
            u = np.clip(best + moved * rng.normal(0, 0.15, size), 0, 1)
        else:
            u = rng.random(size)
        u[attacker.stepsize_at] = 1.0
        try:
            if least.look(attacker, claim, attacker.instance(claim, u)):
                best = u
        except Unfit:
            continue


def search(theorem: Theorem, seconds: float, seed: int = 0) -> LimitRecord:
    """The record of a theorem after so many processor seconds, or sooner where it is tight."""
    least, why = LeastFactor(), ["no method of ours was held against it"]
    rng = np.random.default_rng(seed)
    arms = [(one, claim) for one in ATTACKERS for claim in claims_of(theorem.name)]
    for attacker, claim in arms:
        try:
            climb(least, attacker, claim, seconds / len(arms), rng)
        except Unfit as error:
            why.append(str(error))
    if least.where is None:
        return LimitRecord(theorem.name, 0.0, least.tried, how="" if least.tried else why[-1])
    return _recorded(theorem, least)


def _recorded(theorem: Theorem, least: LeastFactor) -> LimitRecord:
    """What was found, shrunk, the least factor there, and what another computation says."""
    assert least.where is not None
    attacker, claim, instance = least.where
    factor, limit = least.factor, instance.gamma
    for _ in range(_ROUNDS):
        wrong, trial = _broken(attacker, claim, instance, factor * _ROUNDED)
        instance = shrunk(attacker, wrong, trial, time.monotonic() + _SHRINKING).instance
        if limit is not None:
            limit = _limit(attacker, claim, instance, factor * _ROUNDED)
            instance = with_gamma(instance, limit)
        factor = _bisected(attacker, claim, instance, 1.0, factor * _ROUNDED)
    wrong, trial = _broken(attacker, claim, instance, factor * _ROUNDED)
    try:
        how = attacker.confirm(wrong, trial)
    except (Unfit, ValueError) as error:  # a diverging run has numbers too long to write
        told = f"not computed again: {error}"
    else:
        if not how.holds:
            return LimitRecord(theorem.name, 0.0, least.tried, how=f"not confirmed {how.how}")
        told = how.how
    kept: Any = trial.instance
    return LimitRecord(
        theorem.name, factor * _ROUNDED, least.tried, claim.name, attacker.name, asdict(kept),
        limit or 0.0, told,
    )  # fmt: skip


def _broken(
    attacker: Attacker, claim: Claim, instance: Instance, factor: float
) -> tuple[Claim, BoundTrial]:
    """The claim of longer stepsizes, and the instance that breaks it."""
    wrong = beyond(claim, factor)
    gamma = instance.gamma
    return wrong, attacker.measure(
        wrong, instance if gamma is None else with_gamma(instance, factor * gamma)
    )


def _bisected(
    attacker: Attacker, claim: Claim, instance: Instance, low: float, high: float
) -> float:
    """The least factor between one that does not break the bound and one that does."""
    for _ in range(_HALVINGS if high > 1 else 0):
        middle = math.sqrt(low * high)
        if (ratio(attacker, claim, instance, middle) or 0) > 1 + SURE:
            high = middle
        else:
            low = middle
    return high


def _limit(attacker: Attacker, claim: Claim, instance: Instance, factor: float) -> float:
    """The longest stepsize that the claim allows at an instance, which has a longer one."""
    assert instance.gamma is not None
    low, high = instance.gamma / (2 * factor), instance.gamma
    for _ in range(34):
        middle = (low + high) / 2
        if measured(attacker, claim, with_gamma(instance, middle)) is None:
            high = middle
        else:
            low = middle
    return low * (1 - 1e-8)


def main() -> None:
    """Search, and print the verdict of each theorem."""
    parser = ArgumentParser(prog="python -m proofs_check.refute.find_limits", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="of the processor, a theorem")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--theorem", action="append", help="only this one; again for more")
    parser.add_argument("--keep", action="store_true", help="write step_limits.json")
    given = parser.parse_args()
    found, tight, longer_by = {}, 0, 0
    with one_thread():
        for theorem in limited_theorems():
            if given.theorem and theorem.name not in given.theorem:
                continue
            record = search(theorem, given.seconds, given.seed)
            verdict = limit_verdict(theorem, record)
            found[theorem.name] = record
            tight += verdict.outcome.holds
            longer_by += bool(record.factor) and not verdict.outcome.holds
            print(f"{verdict.outcome.value}: {theorem.name}: {verdict.evidence}", flush=True)
            if given.keep:
                keep(found)
    print(
        f"of {len(found)} limits {tight} are tight within 5%, {longer_by} could be longer by what "
        f"is said; beyond {len(found) - tight - longer_by} nothing broke or was measured"
    )


if __name__ == "__main__":
    main()
