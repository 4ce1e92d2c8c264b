"""Draw inputs, run them, and print what came: ``python -m tests.inputs --draws 500 --seed 1``."""

from __future__ import annotations

import argparse
import sys

from tests.inputs.drawing import drawn_and_judged, summary
from tests.inputs.drawn import Came


def main() -> int:
    """Exit code 1 if an input had a fault."""
    asked = argparse.ArgumentParser(prog="tests.inputs", description=__doc__)
    asked.add_argument("--draws", type=int, default=500, help="how many inputs")
    asked.add_argument("--seed", type=int, default=1, help="any integer")
    asked.add_argument("--kind", action="append", help="command, file, matrix, object or call")
    asked.add_argument("--command", action="append", help="only this command's lines")
    asked.add_argument("--all", action="store_true", help="print every input")
    asked.add_argument("--limit", type=int, default=60, help="processor seconds of an input")
    asked.add_argument("--begin", type=int, default=0, help="the first of them that is run")
    asked.add_argument("--end", type=int, default=None, help="the first that is not")
    given = asked.parse_args()

    def tell(one: Came) -> None:
        if given.all or one.fault:
            print(f"{one.standing}: {one.drawn.shown}\n    {one.told.strip()}", file=sys.stderr)

    came = drawn_and_judged(
        given.draws, given.seed, given.kind or (), given.command or (), given.limit,
        slice(given.begin, given.end), tell,
    )  # fmt: skip
    print(summary(came))
    return int(any(one.fault for one in came))


if __name__ == "__main__":
    raise SystemExit(main())
