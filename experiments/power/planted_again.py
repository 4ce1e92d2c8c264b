"""``python -m experiments.power.planted_again [ROW ...]``: survivors before the checks of today.

Every fault of a kept score that no check saw is planted again, and the score tells what the checks
of the row say of it now. Those that were seen are not judged again; checks only become more.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import torch

from experiments.commands.power import row_trial
from experiments.mutation import scores
from experiments.mutation.drawing import switched_where_possible
from experiments.mutation.replanted import mutant_of


def main(keys: Sequence[str], most: float) -> None:
    """Judge the survivors of rows again, and keep what is found."""
    torch.set_num_threads(1)
    for key in keys or list(scores.stored()):
        kept = scores.stored()[key]
        before = switched_where_possible(map(mutant_of, scores.survivors(kept)))
        if before:
            found = row_trial(key, most).outcomes(before, len(before))
            scores.keep(key, scores.renewed(kept, found, key))
        print(f"{key}: {scores.share(kept)}, {scores.share(scores.stored()[key])} now", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m experiments.power.planted_again")
    parser.add_argument("rows", nargs="*", help="keys of rows with a score; all of them if none")
    parser.add_argument("--seconds", type=float, default=20.0, help="of processor time for a fault")
    asked = parser.parse_args()
    main(asked.rows, asked.seconds)
