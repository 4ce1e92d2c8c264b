"""What torchrun starts: a run that loses a rank once, and goes on from its checkpoint."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import torch
from torch import Tensor

from algorithms.catalogue import problem, row
from algorithms.network.given_ranks import chosen_link, given_place
from algorithms.network.given_session import session
from algorithms.network.sharded import Sharded
from algorithms.runner.checkpointed_run import Checkpoints, checkpointed_run

KEY, STEPS, EVERY, DIES = "ef-signsgd", 9, 2, 6


def main(folder: Path) -> None:
    place = given_place(os.environ)
    built = problem("quadratic-sc", 4)
    method = row(KEY).build(built, STEPS)
    first = os.environ["TORCHELASTIC_RESTART_COUNT"] == "0"
    seen = 0

    def watch(models: Tensor) -> float:
        nonlocal seen
        seen += EVERY
        if first and place.rank == 1 and seen == DIES:
            os.kill(os.getpid(), signal.SIGKILL)
        return float(models.sum())

    with session(place, chosen_link(place, 0), {"run": "elastic"}, 20.0):
        found = checkpointed_run(
            method, built, steps=STEPS, kept=Checkpoints(folder / "kept", EVERY),
            network=Sharded(4), watch=watch,
        )  # fmt: skip
        torch.save((found.models, found.began), folder / f"{place.rank}.pt")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
