"""Wrong theorems that nobody listed: ``python -m proofs_check.refute.drawn``.

A fault is drawn over a theorem's own code, its kind first: another exponent, another constant, a
missing term, a sign, a stepsize limit, an assumption left out. It counts as drawn where somewhere
its bound is below the true one, or where it allows what the theorem refuses. It is attacked where
it is wrong by more than the right theorem gives away (:class:`KnownSlack`); the others may be right
for all that is known, and are counted apart.
"""

from __future__ import annotations

import ast
import random
import sys
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import final

from proofs_check.refute.attack import attack
from proofs_check.refute.attackers import ATTACKERS
from proofs_check.refute.claim import Claim
from proofs_check.refute.drawn_faults import TheoremFault, faults, with_fault
from proofs_check.refute.ours import claims_of
from proofs_check.refute.outcome import Attack, Standing
from proofs_check.refute.stronger import (
    HORIZON,
    TIMES,
    KnownSlack,
    TheoremDifference,
    compared,
    slacks_kept,
)
from theory.theorem import Theorem
from theory.theorems import PROVED_ONLY, THEOREMS

_TRIES, _CLAIMS = 400, 3


@final
@dataclass(frozen=True)
class DrawnTheorem:
    """A wrong theorem that was drawn.

    Attributes:
        theorem: the right one's name.
        fault: what is wrong.
        wrong: the theorem with it.
        difference: how much stronger it is.
    """

    theorem: str
    fault: TheoremFault
    wrong: Theorem
    difference: TheoremDifference

    def __str__(self) -> str:
        return f"{self.theorem}, {self.fault} ({self.difference})"


def drawn(seed: int, count: int, names: Sequence[str] = ()) -> Iterator[DrawnTheorem]:
    """``count`` wrong theorems, or as many as there are; a theorem is drawn first, then the kind of
    fault, then where."""
    rng = random.Random(seed)
    held = [one for one in (*THEOREMS, *PROVED_ONLY) if claims_of(one.name)]
    pool = [one for one in held if not names or one.name in names]
    seen: set[tuple[str, TheoremFault]] = set()
    found = 0
    for _ in range(_TRIES * count):
        if found == count or not pool:
            return
        theorem = rng.choice(pool)
        by_kind: dict[str, list[TheoremFault]] = {}
        for fault in _faults(theorem):
            by_kind.setdefault(fault.kind, []).append(fault)
        if not by_kind:
            continue
        fault = rng.choice(by_kind[rng.choice(sorted(by_kind))])
        if (theorem.name, fault) in seen:
            continue
        seen.add((theorem.name, fault))
        made = _made(theorem, fault)
        if made is not None and made.difference.stronger:
            found += 1
            yield made


@cache
def _faults(theorem: Theorem) -> tuple[TheoremFault, ...]:
    return tuple(faults(_tree(theorem)))


def _module(theorem: Theorem) -> ModuleType:
    return sys.modules[type(theorem).__module__]


@cache
def _tree(theorem: Theorem) -> ast.Module:
    return ast.parse(Path(str(_module(theorem).__file__)).read_text(encoding="utf-8"))


def _made(theorem: Theorem, fault: TheoremFault) -> DrawnTheorem | None:
    """The theorem with the fault; None where it has no number at its own example."""
    module = _module(theorem)
    name = f"{module.__name__}__drawn"
    other = ModuleType(name, module.__doc__)
    sys.modules[name] = other  # where the class looks for its statement
    try:
        exec(compile(with_fault(_tree(theorem), fault), str(module.__file__), "exec"), vars(other))
        wrong = next(
            one for one in vars(other).values()
            if isinstance(one, Theorem) and type(one).__module__ == name
            and one.name == theorem.name
        )  # fmt: skip
        wrong.bound(theorem.example, wrong.stepsize(theorem.example, HORIZON), TIMES)
        difference = compared(theorem, wrong)
    except (
        StopIteration,
        LookupError,
        ValueError,
        TypeError,
        ArithmeticError,
        AttributeError,
        NameError,
    ):
        return None
    finally:
        del sys.modules[name]
    return DrawnTheorem(theorem.name, fault, wrong, difference)


def attacked(one: DrawnTheorem, budget: float, seed: int = 0) -> Attack:
    """An attack on some claims of the theorem, by all attackers, for ``budget`` seconds of
    processor time."""
    claims: tuple[Claim, ...] = claims_of(one.theorem)[:_CLAIMS]
    wrong = tuple(replace(claim, theorem=one.wrong) for claim in claims)
    every = [attacker.name for attacker in ATTACKERS]
    return attack(
        str(one), wrong, budget=budget, attackers=every, seed=seed, workers=1,
        clock=time.process_time,
    )  # fmt: skip


def main() -> None:
    """Draw, attack, and print a line each and the shares refuted."""
    parser = ArgumentParser(prog="python -m proofs_check.refute.drawn", description=__doc__)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--budget", type=float, default=60.0, help="processor seconds an attack")
    parser.add_argument("--theorem", action="append", help="only this one; again for more")
    parser.add_argument("--list", action="store_true", help="attack nothing")
    parser.add_argument(
        "--part",
        type=int,
        nargs=2,
        default=(0, 1),
        metavar=("K", "N"),
        help="every N-th of the draw from the K-th, counted from 0",
    )
    parser.add_argument("--within", action="store_true", help="attack what room hides, too")
    given = parser.parse_args()
    slacks = slacks_kept()
    found: Counter[tuple[str, bool]] = Counter()
    hidden = 0
    first, every = given.part
    for one in islice(drawn(given.seed, given.count, given.theorem or ()), first, None, every):
        why = slacks.get(one.theorem, KnownSlack()).hides(one.difference)
        hidden += bool(why)
        if given.list or (why and not given.within):
            said = f"not shown wrong {one}: {why}" if why else f"wrong           {one}"
            print(said, flush=True)
            continue
        begun = time.process_time()
        made = attacked(one, given.budget)
        seconds = time.process_time() - begun
        if not why:
            found[one.fault.kind, made.standing is Standing.REFUTED] += 1
        best = "nothing was measured"
        if made.best is not None:
            best = f"largest ratio {made.best.ratio:.4g} by {made.best.attacker}"
        room = f"; {why}" if why else ""
        print(f"{made.standing.value:15} {made.name}: {best}{room}; {seconds:.0f} s", flush=True)
    for kind in sorted({kind for kind, _ in found}):
        count = found[kind, True], found[kind, True] + found[kind, False]
        print(f"{kind}: {count[0]} of {count[1]} refuted")
    refuted = sum(n for (_, yes), n in found.items() if yes)
    print(
        f"{refuted} of {sum(found.values())} refuted; {hidden} more are not shown wrong: the right "
        "bound gives away more than they take"
    )


if __name__ == "__main__":
    main()
