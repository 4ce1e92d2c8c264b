"""Evaluations of a schedule of BERT-Large a minute, on one core.

    python -m benchmarks.schedules

398 tensors, 16 workers, links of 10 Gbit/s. An evaluation is all that a change of the network asks
for: the messages (MG-WFBP: the best partition), their order on the channels, and the next forward
pass. Processor seconds, the least of several.
"""

from __future__ import annotations

import time

from algorithms.schedules import SCHEDULES
from algorithms.schedules.step import step_of
from algorithms.workloads import WORKLOADS
from experiments.commands.timelines import ON_SERVERS, chosen_schedule
from theory.seconds.costs import AlphaBeta

MODEL, WORKERS, REPEATS, ROUNDS = "bert-large", 16, 20, 5
NAMES = (*SCHEDULES, f"wfbp{ON_SERVERS}", f"p3{ON_SERVERS}", f"bytescheduler{ON_SERVERS}")


def seconds_of(name: str) -> float:
    """Processor seconds of one evaluation, each on a link of its own."""
    step = step_of(WORKLOADS[MODEL], 0.163)
    schedule, carrier = chosen_schedule(name, WORKERS, AlphaBeta(2e-5, 1e-10))
    schedule.seconds(step, carrier)  # compiles
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.process_time()
        for i in range(REPEATS):
            schedule, carrier = chosen_schedule(
                name, WORKERS, AlphaBeta(2e-5 * (1 + i / 100), 1e-10)
            )
            schedule.seconds(step, carrier)
        best = min(best, (time.process_time() - begin) / REPEATS)
    return best


def main() -> None:
    """Print a row of a table for each schedule."""
    print("| schedule | ms an evaluation | evaluations a minute |\n|---|---|---|")
    for name in NAMES:
        spent = seconds_of(name)
        print(f"| {name} | {spent * 1e3:.2f} | {60 / spent:,.0f} |")


if __name__ == "__main__":
    main()
