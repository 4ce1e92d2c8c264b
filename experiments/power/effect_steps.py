"""``python -m experiments.power.effect_steps [ROW ...]``: best stepsizes of the arms of effects.

Each arm's stepsize is searched from its grid; what is found is kept, and later searches begin there
(:mod:`proofs_check.instruments.chosen_steps`). ``--missing`` takes the rows of which none is kept.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from algorithms.core.names import look_up
from proofs_check.instruments.chosen_steps import chosen_steps, fingerprint, keep_steps
from proofs_check.instruments.effect_check import Arm
from proofs_check.registry import EFFECTS


def main(keys: Sequence[str], processes: int) -> None:
    """Search for every row, and keep and print what is found as it is found."""
    with ProcessPoolExecutor(processes) as pool:
        jobs = {pool.submit(searched_sizes, key): key for key in keys}
        for job in as_completed(jobs):
            key, sizes = jobs[job], job.result()
            if sizes:
                keep_steps(key, searched_for(key), sizes)
            print(key, ", ".join(f"{arm} {size:.4g}" for arm, size in sizes.items()) or "none")


def searched_for(key: str) -> str:
    """Fingerprint of what an effect's stepsizes are searched for."""
    effect = EFFECTS[key]
    return fingerprint(effect.problem, effect.quantity, effect.description)


def searched_sizes(key: str) -> dict[str, float]:
    """Best size of each arm of an effect that chooses one."""
    search = EFFECTS[key].search
    if search is None:
        return {}
    choices = {arm.value: search(arm).choice for arm in Arm}
    return {arm: choice.size for arm, choice in choices.items() if choice is not None}


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m experiments.power.effect_steps")
    parser.add_argument("rows", nargs="*", metavar="ROW")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--missing", action="store_true", help="rows of which none is kept")
    return parser.parse_args()


if __name__ == "__main__":
    asked = _asked()
    rows = [look_up("row", row, EFFECTS) and row for row in asked.rows] or sorted(EFFECTS)
    main([row for row in rows if not (asked.missing and row in chosen_steps())], asked.processes)
