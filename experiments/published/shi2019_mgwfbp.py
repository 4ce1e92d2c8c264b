"""``rateproof figure shi2019-mgwfbp``: is the greedy merging of gradients the best?"""

from __future__ import annotations

import numpy as np

from algorithms.workloads import WORKLOADS
from experiments.figures.reproduced import DotPanel, PublishedDot
from experiments.figures.reproduction import PublishedNumber, Reproduction, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.schedules.drawn import SEED
from proofs_check.schedules.merging import partitions
from theory.claims import Source
from theory.seconds.costs import AlphaBeta
from theory.seconds.merging import best_groups
from theory.seconds.sparse_times import finished, merged, ready_times

_LINKS = {
    "56 Gbit/s, 8 GPUs": (9.75e-5, 3.06e-10),
    "56 Gbit/s, 16 GPUs": (2.358e-4, 4.059e-10),
    "10 Gbit/s, 8 GPUs": (5.23e-4, 8.57e-10),
    "10 Gbit/s, 16 GPUs": (9.081e-4, 7.396e-10),
}
"""Measured alpha [s] and beta [s/byte] of the authors' clusters."""

_BACKWARD = {"resnet-50": 64 / 253.1 * 2 / 3, "bert-base": 64 / 212.8 * 2 / 3}
_DRAWN, _GRADIENTS = 200, 8


def measure(_: Request) -> Reproduction:
    """End of the last message by the paper's rule, by dynamic programming, and unmerged."""
    numbers: list[PublishedNumber] = []
    panels = []
    for model, seconds in _BACKWARD.items():
        sizes = [tensor.size for tensor in reversed(WORKLOADS[model].tensors)]
        bits, ready = [32.0 * size for size in sizes], ready_times(sizes, seconds)
        dots = []
        for name, (alpha, beta) in _LINKS.items():
            link = AlphaBeta(alpha, beta / 8)
            greedy = finished(ready, bits, merged(ready, bits, link), link)
            best = finished(ready, bits, _best(ready, bits, link), link)
            single = finished(ready, bits, (1,) * len(bits), link)
            numbers.append(near(f"{model}, {name}: greedy by best, less 1", 0.0,
                                greedy / best - 1, absolute=1e-9, unit="ratio"))  # fmt: skip
            dots += [PublishedDot(f"{name}: {kind}", 100 * (end / best - 1)) for kind, end in (
                ("greedy", greedy), ("not merged", single))]  # fmt: skip
        panels.append(DotPanel(model, "end of the last message, over the best [%]", tuple(dots)))
    worst, wrong = _drawn()
    numbers.append(near(f"{_DRAWN} drawn steps of {_GRADIENTS} gradients: worst greedy by best, "
                        "less 1", 0.0, worst, absolute=1e-9, unit="ratio"))  # fmt: skip
    note = (
        f"of the drawn steps {wrong} have a partition that ends before the greedy one's; best is "
        "of all 2^(L-1) partitions there, and by dynamic programming on the models"
    )
    return Reproduction(tuple(numbers), tuple(panels), (note,), columns=2)


def _best(ready: tuple[float, ...], bits: list[float], link: AlphaBeta) -> tuple[int, ...]:
    times, lengths = np.array(ready), np.array(bits)
    return best_groups(times, lengths, lambda start, m: start + link.alpha + link.beta * m)


def _drawn() -> tuple[float, int]:
    """Largest relative gap to the best partition, and how many steps have one."""
    random = np.random.default_rng(SEED)
    gaps = []
    for _ in range(_DRAWN):
        ready = tuple(np.cumsum(random.exponential(1.0, _GRADIENTS)).tolist())
        bits = random.exponential(1.0, _GRADIENTS).tolist()
        link = AlphaBeta(random.exponential(0.5), random.exponential(0.7))
        greedy = finished(ready, bits, merged(ready, bits, link), link)
        best = min(finished(ready, bits, groups, link) for groups in partitions(_GRADIENTS))
        gaps.append(greedy / best - 1)
    return max(gaps), sum(gap > 1e-9 for gap in gaps)


FIGURE = PublishedFigure(
    "shi2019-mgwfbp",
    "Merging gradients by MG-WFBP's rule: how far from the best partition",
    Source("Shi, Chu, Li", 2019, "1811.11141", "Theorem 1: the merging is optimal"),
    "no partition of the gradients ends before that of the greedy rule",
    measure,
)
