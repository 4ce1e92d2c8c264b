"""From which step on a second thread pays: ``python -m benchmarks.threads``.

Handing work to another thread and waiting for it costs what :func:`handed_over` measures. Runs are
then timed with one thread and with two, on jobs whose steps have from a quarter to eight times the
multiply-adds from which ``algorithms.pipeline.advance`` shares them; sharing is forced for all, and
what is compared takes turns.
"""

from __future__ import annotations

from functools import partial
from unittest import mock

import torch

from algorithms.core.threads import Threads
from algorithms.pipeline import advance
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from benchmarks.alternating import Rounds
from benchmarks.jobs import BATCH, LAM
from benchmarks.machine import timed
from benchmarks.programs import ours

D, WORKERS = 1000, (4, 8, 16, 32, 64, 128)
NAMES = ("BSP", "D-PSGD", "CHOCO top-1%", "local SGD")


def handed_over() -> float:
    """Seconds [s] to hand no work to a second thread and to wait for it."""
    threads = Threads(2)

    def nothing(first: int, end: int) -> None:
        return None

    rounds = Rounds({"": partial(timed, lambda: threads.each(2, nothing))}, turn=0.1, rounds=5)
    return sorted(rounds.times[""])[2]


def main() -> None:
    """Print the cost of handing over, and a line for each size of a step."""
    torch.set_num_threads(1)
    print(f"handing over: {1e6 * handed_over():.0f} us")
    for n in WORKERS:
        problem = synthetic(n, 156, D, L2(LAM), batch=BATCH, dtype=torch.float32)
        _ = problem.f_star
        told = []
        for name in NAMES:
            job = partial(ours.seconds, name, problem)
            with mock.patch.object(advance, "WORTH", 0):
                rounds = Rounds({"one": job, "two": partial(job, threads=2)}, turn=0.2, rounds=5)
            told.append(f"{name} {rounds.ratio('one', 'two').median:.2f}")
        products = n * BATCH * D
        print(f"{products / advance.WORTH:5.2f} of WORTH: {', '.join(told)} times as fast")


if __name__ == "__main__":
    main()
