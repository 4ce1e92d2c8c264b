"""Attack every theorem of ours, and wrong ones made of them: ``python -m proofs_check.refute``."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence

from proofs_check.refute.attack import attack
from proofs_check.refute.claim import Claim
from proofs_check.refute.known_errors import KNOWN_ERRORS
from proofs_check.refute.ours import claims_of
from proofs_check.refute.outcome import Attack, Standing
from proofs_check.refute.planted import planted
from proofs_check.refute.survey_errors import survey_errors
from theory.theorems import PROVED_ONLY, THEOREMS


def main() -> None:
    """Print a line for each attack, and the shares."""
    parser = ArgumentParser(prog="python -m proofs_check.refute", description=__doc__)
    parser.add_argument(
        "--budget", type=float, default=20.0,
        help="seconds an attack, processor time where there is one worker",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--theorem", action="append", help="only this one; again for more")
    parser.add_argument("--attacker", action="append", help="only this one; again for more")
    parser.add_argument("--planted", action="store_true", help="wrong theorems, not the true ones")
    parser.add_argument("--known-errors", action="store_true", help="what is often believed")
    parser.add_argument("--survey-errors", action="store_true", help="what surveys misprint")
    given = parser.parse_args()
    found = []
    listed = KNOWN_ERRORS if given.known_errors else ()
    listed = survey_errors() if given.survey_errors else listed
    for name, attacked in attacks(given.theorem, given.planted, listed):
        made = attack(
            name, attacked, budget=given.budget, seed=given.seed, workers=given.workers,
            attackers=given.attacker or (),
            clock=time.process_time if given.workers == 1 else time.monotonic,
        )  # fmt: skip
        found.append(made)
        print(told(made), flush=True)
    for standing in Standing:
        count = sum(one.standing is standing for one in found)
        print(f"{standing.value}: {count} of {len(found)}")
    true = not (given.planted or listed)
    false_alarm = true and any(one.standing is Standing.REFUTED for one in found)
    sys.exit(1 if false_alarm else 0)


def attacks(
    theorems: Sequence[str] | None, are_planted: bool, listed: Sequence[Claim]
) -> Iterator[tuple[str, tuple[Claim, ...]]]:
    """What is attacked, by its name: what is listed, or true theorems, or those made of them."""
    if listed:
        yield from ((one.name, (one,)) for one in listed)
        return
    for name in theorems or [one.name for one in (*THEOREMS, *PROVED_ONLY)]:
        claims = tuple(claims_of(name))
        if are_planted:
            yield from ((f"{name}, {what}", made) for what, made in wrong(claims))
        else:
            yield name, claims


def wrong(claims: Sequence[Claim]) -> list[tuple[str, tuple[Claim, ...]]]:
    """Wrong theorems of all claims, by what is wrong."""
    by_fault: dict[str, list[Claim]] = {}
    for one in claims:
        for what, made in planted(one):
            by_fault.setdefault(what, []).append(made)
    return [(what, tuple(made)) for what, made in by_fault.items()]


def told(made: Attack) -> str:
    """A line about an attack: its standing, who tried how often, the largest ratio."""
    subset = ", ".join(
        f"{name} {sum(arm.tried for arm in made.arms if arm.attacker == name)}"
        for name in dict.fromkeys(arm.attacker for arm in made.arms if arm.tried)
    )
    seconds = sum(arm.seconds for arm in made.arms)
    best = made.best
    where = "" if best is None else f"; largest ratio {best.ratio:.6g} by {best.attacker}"
    return f"{made.standing.value:14} {made.name}: {subset or 'nobody'}{where}; {seconds:.0f} s"


if __name__ == "__main__":
    main()
