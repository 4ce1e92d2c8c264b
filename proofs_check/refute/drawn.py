"""Wrong theorems that nobody listed: ``python -m proofs_check.refute.drawn``.

A fault is drawn over a theorem's own code, its kind first: another exponent, another constant, a
missing term, a sign, a stepsize limit, an assumption left out. It counts as wrong where somewhere
its bound is below the true one, or where it allows what the theorem refuses. What no attack breaks
is listed with ``share``, the least ratio of its bound and the true one: a bound that nobody has
seen met up to that share may be right for all that is known.
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
from pathlib import Path
from types import ModuleType
from typing import final

import numpy as np

from proofs_check.refute.attack import attack
from proofs_check.refute.attackers import ATTACKERS
from proofs_check.refute.claim import Claim
from proofs_check.refute.drawn_faults import TheoremFault, faults, with_fault
from proofs_check.refute.limited import longer
from proofs_check.refute.ours import claims_of
from proofs_check.refute.outcome import Attack, Standing
from proofs_check.refute.seeds import kept
from theory.constants import Constants
from theory.ranges import RANGES
from theory.theorem import Theorem
from theory.theorems import PROVED_ONLY, THEOREMS

_TIMES = np.array([1.0, 10.0, 100.0, 1e4])
_SAMPLES, _TRIES, _HORIZON = 100, 400, 100
_CLAIMS = 3
_BELOW = 1 - 1e-6


@final
@dataclass(frozen=True)
class DrawnTheorem:
    """A wrong theorem that was drawn.

    Attributes:
        theorem: the right one's name.
        fault: what is wrong.
        wrong: the theorem with it.
        share: the least ratio of its bound and the right one that was seen.
        allows: whether it allows constants or stepsizes that the right one refuses.
    """

    theorem: str
    fault: TheoremFault
    wrong: Theorem
    share: float
    allows: bool

    def __str__(self) -> str:
        more = ", allows more" if self.allows else ""
        return f"{self.theorem}, {self.fault} (least share {self.share:.3g}{more})"


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
        if made is not None and (made.share < _BELOW or made.allows):
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
        wrong.bound(theorem.example, wrong.stepsize(theorem.example, _HORIZON), _TIMES)
        share, allows = compared(theorem, wrong)
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
    return DrawnTheorem(theorem.name, fault, wrong, share, allows)


def compared(theorem: Theorem, wrong: Theorem) -> tuple[float, bool]:
    """The least ratio of bounds where both theorems apply, and whether the wrong one allows more.

    Constants are the example's, each times a number between 1/10 and 10 within its range.
    """
    rng = random.Random(0)
    share, allows = float("inf"), False
    for k in range(_SAMPLES):
        c = theorem.example if k == 0 else _near(theorem.example, rng)
        try:
            step = longer(theorem.stepsize(c, _HORIZON), 2 ** rng.uniform(-3, 3) if k else 1)
            right = not theorem.violations(c, step, _HORIZON)
            if wrong.violations(c, step, _HORIZON):
                continue
            told = wrong.bound(c, step, _TIMES)
            if not right:
                allows = True
                continue
            ratios = told / np.maximum(theorem.bound(c, step, _TIMES), np.finfo(float).tiny)
            share = min(share, float(np.min(ratios)))
        except (ValueError, ArithmeticError):
            continue
    return share, allows


def _near(c: Constants, rng: random.Random) -> Constants:
    stated = {name: getattr(c, name) for name in RANGES if getattr(c, name) is not None}
    given: dict[str, float] = {}
    for name, value in stated.items():
        allowed = RANGES[name]
        other = value * 10 ** rng.uniform(-1, 1) if value else rng.choice((0.0, 1.0))
        if allowed.high <= 1:
            other = rng.uniform(0.02, 0.98) if rng.random() < 0.7 else value
        given[name] = max(1, round(other)) if isinstance(value, int) else other
    return replace(c, **given)  # type: ignore[arg-type]


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
    given = parser.parse_args()
    slacks = {name: record.ratio for name, record in kept().items()}
    found: Counter[tuple[str, bool]] = Counter()
    for one in drawn(given.seed, given.count, given.theorem or ()):
        if given.list:
            print(one)
            continue
        begun = time.process_time()
        made = attacked(one, given.budget)
        refuted = made.standing is Standing.REFUTED
        found[one.fault.kind, refuted] += 1
        slack = slacks.get(one.theorem)
        room = f", slack of the right one {slack:.3g}" if slack is not None else ""
        best = "" if made.best is None else f"largest ratio {made.best.ratio:.4g}"
        best += "" if made.best is None else f" by {made.best.attacker}"
        print(
            f"{made.standing.value:14} {made.name}: {best}{room}; "
            f"{time.process_time() - begun:.0f} s",
            flush=True,
        )
    for kind in sorted({kind for kind, _ in found}):
        count = found[kind, True], found[kind, True] + found[kind, False]
        print(f"{kind}: {count[0]} of {count[1]} refuted")
    print(f"{sum(n for (_, yes), n in found.items() if yes)} of {sum(found.values())} refuted")


if __name__ == "__main__":
    main()
