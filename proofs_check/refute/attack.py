"""Attack a theorem: the claims it makes, by all attackers, and what that comes to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from proofs_check.refute.claim import Claim
from proofs_check.refute.outcome import ArmReport, Attack
from proofs_check.refute.search import attackers_named, searched

Told = Callable[[ArmReport, Sequence[ArmReport]], None]

BUDGET = 60.0
WORKERS = 2

_NEVER = (
    "problems of more dimensions than these",
    "convex functions that are no quadratics, by more than a line of bends",
    "the worst case over all functions (semidefinite programmes)",
)
"""What no attacker here tries."""


def nothing_told(report: ArmReport, every: Sequence[ArmReport]) -> None:
    """Tell nobody of a slice."""


def attack(
    name: str,
    claims: Sequence[Claim],
    *,
    budget: float = BUDGET,
    attackers: Sequence[str] = (),
    seed: int = 0,
    workers: int = WORKERS,
    tell: Told = nothing_told,
    again: str = "",
) -> Attack:
    """Look for an instance that breaks ``claims``, readings of one theorem, for ``budget`` seconds.

    Raises:
        ValueError: an unknown attacker, or no time or nobody to attack with.
    """
    if not budget > 0:
        raise ValueError(f"budget must be positive [seconds], got budget={budget}")
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got workers={workers}")
    chosen = attackers_named(attackers)
    reports, complete = searched(
        claims, chosen, budget=budget, seed=seed, workers=workers, tell=tell
    )
    title = claims[0].theorem.title if claims else ""
    return Attack(name, title, reports, complete, _untried(reports, chosen), again)


def _untried(reports: Sequence[ArmReport], chosen: Sequence[object]) -> tuple[str, ...]:
    """What nobody tried, in words."""
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
