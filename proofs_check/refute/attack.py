"""Attack a theorem: the claims it makes, by all attackers, and what that comes to."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from proofs_check.refute.attackers.base import Attacker
from proofs_check.refute.claim import Claim
from proofs_check.refute.dependence import dependences
from proofs_check.refute.outcome import ArmReport, Attack, Standing
from proofs_check.refute.search import Clock, attackers_named, searched

Progress = Callable[[ArmReport, Sequence[ArmReport]], None]

BUDGET = 60.0
WORKERS = 2
_SEARCHED = 0.75  # of the budget; the rest is for dependences on constants

_NEVER = ("problems of more dimensions than these, and all functions over more than few steps",)
"""What no attacker here tries."""


def no_progress(report: ArmReport, every: Sequence[ArmReport]) -> None:
    """Tell nobody of a slice."""


def attack(
    name: str,
    claims: Sequence[Claim],
    *,
    budget: float = BUDGET,
    attackers: Sequence[str] = (),
    seed: int = 0,
    workers: int = WORKERS,
    tell: Progress = no_progress,
    again: str = "",
    clock: Clock = time.monotonic,
) -> Attack:
    """Look for an instance that breaks ``claims``, readings of one theorem, for ``budget`` seconds
    of ``clock``; processor time is a clock of one worker alone.

    Raises:
        ValueError: an unknown attacker, or no time or nobody to attack with.
    """
    if not budget > 0:
        raise ValueError(f"budget must be positive [seconds], got budget={budget}")
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got workers={workers}")
    chosen = attackers_named(attackers)
    begun = time.monotonic()
    reports, complete = searched(
        claims, chosen, budget=budget if attackers else _SEARCHED * budget, seed=seed,
        workers=workers, tell=tell, clock=clock,
    )  # fmt: skip
    title = claims[0].theorem.title if claims else ""
    found = Attack(name, title, reports, complete, _untried(reports, chosen), again)
    if found.standing is not Standing.SURVIVED or not complete:
        return found
    try:
        found = replace(found, certificates=_certificates(claims, chosen))
        if attackers:
            return found
        left = max((1 - _SEARCHED) * budget, budget - (time.monotonic() - begun))
        paid = dependences(claims, seconds=left, seed=seed, workers=workers)
    except KeyboardInterrupt:
        return replace(found, complete=False)
    return replace(found, dependences=paid)


def _certificates(claims: Sequence[Claim], chosen: Sequence[Attacker]) -> tuple[str, ...]:
    """What the attackers prove of the first claim that each holds: readings of one theorem differ
    in names that programmes do not see."""
    found: list[str] = []
    for one in chosen:
        found += next((proof for claim in claims if (proof := one.certificates(claim))), ())
    return tuple(found)


def _untried(reports: Sequence[ArmReport], chosen: Sequence[object]) -> tuple[str, ...]:
    """Untried attacks, in words."""
    every = attackers_named(())
    left = [f"{one.name}: {one.what}" for one in every if one not in chosen]
    held = {one.attacker for one in reports if one.tried}
    refused = [
        f"{one.attacker} on {one.claim}: {one.reason}" for one in reports if one.reason
    ]  # fmt: skip
    idle = [
        f"{one.attacker} on {one.claim}: no time, or no instance that it allows"
        for one in reports
        if not one.tried and not one.reason and one.attacker not in held
    ]
    return (*left, *refused, *idle, *_NEVER)
