"""Wrong limits of stepsizes, planted in theorems: ``python -m proofs_check.refute.planted_limits``.

Limits 5% too long are judged by the theorem's own cell of the survey. Limits that read half of a
constant are attacked at their own edge. What stands is listed with the reason.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator

import numpy as np

from algorithms.engine.run import one_thread
from proofs_check.refute.limited import limited_theorems
from proofs_check.refute.measured import SURE, Unfit
from proofs_check.refute.ours import claims_of
from proofs_check.refute.planted import (
    FalseTheorem,
    Misread,
    MisreadLimit,
    largest,
    less_smooth,
    scaled,
)
from proofs_check.refute.search import attackers_named
from proofs_check.refute.step_limits import TIGHT, limit_verdict, measured, records
from proofs_check.verdict import Outcome
from theory.theorem import Theorem

_SMOOTH, _COUNTS = (
    frozenset({"L", "L_max"}),
    frozenset({"n", "H", "tau", "tau_coordinate", "blocks"}),
)
_FEW = 8


def halved(name: str) -> Misread:
    """Half of a constant in its place; of a count the whole part, at least what it can be."""
    if name in _SMOOTH:
        return less_smooth(name)
    if name in _COUNTS:
        least = 0 if name.startswith("tau") else 1
        return lambda c: c.state(None, **{name: max(least, int(c.need(name)) // 2)})
    return scaled(name, 0.5)


def halves(theorem: Theorem) -> Iterator[tuple[str, Theorem]]:
    """Theorems whose limit reads half of a constant, for each that makes it longer."""
    c = theorem.example.completed()
    limit = largest(theorem, c)
    for name in theorem.needs:
        if isinstance(getattr(c, name), bool):
            continue
        wrong = MisreadLimit(theorem, halved(name))
        try:
            longest = largest(wrong, c)
        except ValueError:
            continue
        if longest > limit * TIGHT:
            yield name, wrong


def refuted(theorem: Theorem) -> str:
    """Where an instance at the limit of a wrong theorem breaks its bound; empty: at none tried."""
    rng = np.random.default_rng(0)
    for attacker in attackers_named(("exact", "parts", "lines")):
        for claim in claims_of(theorem.name):
            wrong = claim.about(theorem)
            try:
                size = attacker.coordinates(wrong)
            except Unfit:
                continue
            for u in (*attacker.edges(size), *rng.random((_FEW, size))):
                u[attacker.stepsize_at] = 1.0
                try:
                    instance = attacker.instance(wrong, u)
                except Unfit:
                    continue
                found = measured(attacker, wrong, instance)
                if found is not None and found.ratio > 1 + SURE:
                    return f"{found.ratio:.4g} by {attacker.name}"
    return ""


def main() -> None:
    """Print a line for each planted limit, and the counts."""
    parser = ArgumentParser(prog="python -m proofs_check.refute.planted_limits")
    parser.add_argument("--theorem", action="append", help="only this one; again for more")
    given = parser.parse_args()
    names = given.theorem or [one.name for one in limited_theorems()]
    theorems = [one for one in limited_theorems() if one.name in names]
    with one_thread():
        seen = 0
        for theorem in theorems:
            record = records().get(theorem.name)
            wrong = FalseTheorem(theorem, reach=TIGHT)
            verdict = limit_verdict(wrong, record)
            seen += verdict.outcome is Outcome.REFUTED
            told = f"{verdict.outcome.value}: {theorem.name}, limit 5% longer: {verdict.evidence}"
            print(told, flush=True)
        print(f"{seen} of {len(theorems)} limits 5% longer are refuted")
        planted = [(theorem, *half) for theorem in theorems for half in halves(theorem)]
        caught = 0
        for theorem, name, misread in planted:
            where = refuted(misread)
            caught += bool(where)
            told = f"refuted, {where}" if where else "stands: " + _why(theorem)
            print(f"{theorem.name}, half of {name} in the limit: {told}", flush=True)
        print(f"{caught} of {len(planted)} halved constants in limits are refuted")


def _why(theorem: Theorem) -> str:
    record = records().get(theorem.name)
    if record is None or not record.factor:
        return "nothing breaks beyond the limit"
    return (
        f"no instance tried breaks it (least factor anywhere {record.factor:.4g}, which need not "
        "be where this constant matters)"
    )


if __name__ == "__main__":
    main()
