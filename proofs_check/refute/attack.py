"""Attack a theorem: the claims it makes, by all attackers, and what that comes to."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from proofs_check.refute.arms import searched
from proofs_check.refute.attacker import Attacker
from proofs_check.refute.claim import Claim
from proofs_check.refute.dependence import dependences
from proofs_check.refute.outcome import ArmReport, Attack, Standing
from proofs_check.refute.search import Clock, attackers_named

Progress = Callable[[ArmReport, Sequence[ArmReport]], None]

BUDGET = 60.0
WORKERS = 2
_SEARCHED = 0.75  # of the budget; the rest is for certificates and dependences on constants
_PROVED = 0.5  # of that rest is left to dependences, which named attackers leave out

_NEVER = ("problems of more dimensions than these, and all functions over more than few steps",)
"""What no attacker here tries."""

_NO_METHOD = (
    "every attacker: no row's runs are held to it (it is proved alone), so nothing follows it"
)


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
    of ``clock``, which all claims and attackers share; processor time is a clock of one worker
    alone. What is begun is ended: an instance, a programme, the confirmation of a counterexample.

    Raises:
        ValueError: an unknown attacker, or no time or nobody to attack with.
    """
    if not budget > 0:
        raise ValueError(f"budget must be positive [seconds], got budget={budget}")
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got workers={workers}")
    chosen = attackers_named(attackers)
    reports, complete, until = searched(
        claims, chosen, budget=budget, seed=seed, workers=workers, tell=tell, clock=clock,
        share=_SEARCHED,
    )  # fmt: skip
    title = claims[0].theorem.title if claims else ""
    untried = _untried(reports, chosen) if claims else (_NO_METHOD, *_NEVER)
    found = Attack(name, title, reports, complete, untried, again)
    if found.standing is not Standing.SURVIVED or not complete:
        return found
    try:
        kept = 0.0 if attackers else _PROVED * (until - clock())
        proved = _certificates(claims, chosen, lambda: clock() >= until - kept)
        found = replace(found, certificates=proved)
        if attackers:
            return found
        paid = dependences(claims, until=until, seed=seed, workers=workers, clock=clock)
    except KeyboardInterrupt:
        return replace(found, complete=False)
    return replace(found, dependences=paid)


def _certificates(
    claims: Sequence[Claim], chosen: Sequence[Attacker], over: Callable[[], bool]
) -> tuple[str, ...]:
    """What the attackers prove of the first claim that each holds: readings of one theorem differ
    in names that programmes do not see."""
    found: list[str] = []
    for one in chosen:
        found += next((proof for claim in claims if (proof := one.certificates(claim, over))), ())
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
