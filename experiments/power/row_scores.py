"""``python -m experiments.power.row_scores``: mutation scores of rows that a seed draws.

Rows are taken in the order in which they are drawn, so that those that are kept when the run is
stopped are a fair sample; one of which a score of this seed is kept is not measured again. Each is
measured as by ``rateproof power ROW --keep``, ``--list`` only names them.
"""

from __future__ import annotations

import argparse
import random

from algorithms.catalogue import ROWS
from experiments.commands.power import power_of
from experiments.mutation import scores

SEED = 1
"""Seed by which rows are drawn, and their faults, where none is named."""


def drawn_rows(seed: int, count: int) -> list[str]:
    """Keys of ``count`` rows that run, each as likely as any other, in the order of the draw."""
    keys = sorted(row.key for row in ROWS if row.recipe)
    return random.Random(f"rows {seed}").sample(keys, min(count, len(keys)))


def unmeasured(seed: int, count: int) -> list[str]:
    """Those of the drawn rows of which no score of this seed is kept."""
    kept = scores.stored()
    return [key for key in drawn_rows(seed, count) if kept.get(key, {}).get("seed") != seed]


def main(seed: int, count: int, mutants: int, most: float) -> None:
    """Measure and keep the scores that are missing."""
    for key in unmeasured(seed, count):
        print(key, flush=True)
        power_of(key, mutants=mutants, seed=seed, most=most, as_json=False, keep=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m experiments.power.row_scores")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("--mutants", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=20.0, help="of processor time for a fault")
    parser.add_argument("--list", action="store_true", help="only name the rows")
    asked = parser.parse_args()
    if asked.list:
        print("\n".join(drawn_rows(asked.seed, asked.rows)))
    else:
        main(asked.seed, asked.rows, asked.mutants, asked.seconds)
