"""Disturb jobs: ``python -m tests.faults --moments 20 --seed 1 --kind survey``."""

from __future__ import annotations

import argparse
import random
from collections import Counter

from tests.faults.bench import disturbed, undisturbed
from tests.faults.jobs import JOBS


def main() -> int:
    """Exit code 1 if a moment went wrong."""
    asked = argparse.ArgumentParser(prog="tests.faults", description=__doc__)
    asked.add_argument("--moments", type=int, default=10, help="of each kind")
    asked.add_argument("--seed", type=int, default=1, help="any integer")
    asked.add_argument("--first", type=int, default=0, help="number of the first moment")
    asked.add_argument("--kind", action="append", choices=tuple(JOBS), help="again for more")
    asked.add_argument("--fault", action="append", help="only this one, again for more")
    asked.add_argument("--warm", action="store_true", help="fork processes, imports behind them")
    given = asked.parse_args()
    counts, wrong, ended = Counter[tuple[str, str]](), 0, 0
    for kind in given.kind or JOBS:
        calm = undisturbed(JOBS[kind], warm=given.warm)
        print(f"{kind}: undisturbed {calm.seconds:.1f} s", flush=True)
        for number in range(given.first, given.first + given.moments):
            drawn = random.Random(f"{kind} {given.seed} {number}")
            one = disturbed(JOBS[kind], calm, drawn, given.fault or ())
            counts[kind, one.fault] += 1
            wrong += bool(one.wrong)
            ended += not one.running
            told = f"{kind} {number}: {one.fault} {one.victim}".strip()
            when = f"{one.at:.2f} s" + ", after the end" * (not one.running)
            print(
                f"{told} at {when}: exit code {one.code}, {one.seconds:.0f} s; "
                f"{'; '.join(one.wrong) or 'as undisturbed'}; said: {one.last[:120]}",
                flush=True,
            )
    for (kind, fault), count in sorted(counts.items()):
        print(f"{count:4d}  {kind}, {fault}")
    print(f"{counts.total()} moments, {ended} of them after the end, {wrong} wrong")
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
