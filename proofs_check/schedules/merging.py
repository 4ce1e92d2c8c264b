"""Merged gradients: the best of all partitions? The paper's greedy rule too?"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Protocol

from algorithms.schedules.carrier import Carrier, Channel
from algorithms.schedules.merged_gradients import GREEDY, MERGED
from algorithms.schedules.step import TrainingStep
from proofs_check.cell import CellResult
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.study import SystemCheck
from proofs_check.schedules.drawn import SEED, instances
from proofs_check.verdict import Outcome, Verdict
from theory.seconds.costs import AlphaBeta
from theory.seconds.sparse_times import finished, merged

ROW = "mg-wfbp"
_INSTANCES, _MOST = 48, 12
_SOURCE = "Shi, Chu, Li 2019, arXiv:1811.11141"


class Grouping(Protocol):
    """Anything that merges gradients."""

    @property
    def name(self) -> str:
        """Name of the rule in verdicts."""

    def groups(self, step: TrainingStep, carrier: Carrier) -> tuple[int, ...]:
        """Sizes of the groups, in order."""


def check_best(schedule: Grouping = MERGED) -> Verdict:
    """The end of the last message against that of every partition, for 1 to 12 gradients."""
    got, best = [], []
    for step, channel in instances(_INSTANCES, _MOST):
        ends = [_end(step, channel, groups) for groups in partitions(len(step.bits))]
        got.append(_end(step, channel, schedule.groups(step, Carrier((channel,)))))
        best.append(min(ends))
    return identity(
        ROW, f"{schedule.name}: no partition ends earlier", got, best, check="all partitions",
        provenance=f"{_INSTANCES} steps of 1 to {_MOST} gradients, half of them on a channel that "
        f"the device slows, from seed {SEED}",
    )  # fmt: skip


def check_pair(rule: Grouping = GREEDY) -> Verdict:
    """Of two gradients the paper's rule makes the better choice."""
    got, best = [], []
    for step, channel in instances(400, 2):
        plain = Channel("network", channel.alpha, channel.beta)
        got.append(_end(step, plain, rule.groups(step, Carrier((plain,)))))
        best.append(min(_end(step, plain, g) for g in partitions(len(step.bits))))
    return identity(
        ROW, "merging two gradients if waiting costs less than a start-up ends first", got, best,
        check="rule for two gradients", provenance=f"{_SOURCE}; 400 steps from seed {SEED}",
    )  # fmt: skip


def check_three() -> Verdict:
    """Three gradients in exact arithmetic: a merge that is right for two is wrong for three."""
    ready, bits = (
        (Fraction(0), Fraction(9, 10), Fraction(39, 20)),
        (Fraction(1, 2), Fraction(1), Fraction(1)),
    )
    link = AlphaBeta(1, 1)
    ends = {g: _exact(ready, bits, g) for g in partitions(3)}
    greedy = merged([float(x) for x in ready], [float(x) for x in bits], link)
    best = min(ends, key=lambda g: ends[g])
    proved = ends[greedy] > ends[best] and abs(
        finished([float(x) for x in ready], [float(x) for x in bits], greedy, link) - ends[greedy]
    ) < Fraction(1, 10**9)
    return Verdict(
        subject=ROW,
        claim="the paper's rule, gradient by gradient, does not always end first",
        check="exact counterexample",
        outcome=Outcome.PROVED if proved else Outcome.REFUTED,
        statistic=float(ends[greedy]),
        bound=float(ends[best]),
        resolution=0.0,
        evidence=f"alpha = beta = 1, sizes 1/2, 1, 1 ready at 0, 9/10, 39/20: the rule's groups "
        f"{greedy} end at {ends[greedy]}, {best} at {ends[best]}",
        provenance=f"{_SOURCE}, Algorithm 1, stated there and in survey 001 as optimal",
    )


def partitions(count: int) -> Iterator[tuple[int, ...]]:
    """Sizes of consecutive groups, every way."""
    for k in range(count):
        for cuts in combinations(range(1, count), k):
            yield tuple(b - a for a, b in pairwise((0, *cuts, count)))


def _end(step: TrainingStep, channel: Channel, groups: tuple[int, ...]) -> float:
    """Time when the last of these messages has left, in plain arithmetic."""
    end, at = 0.0, 0
    ready, bits, busy = step.ready.tolist(), step.bits.tolist(), step.backward_end
    for size in groups:
        begin = max(end, ready[at + size - 1]) + channel.alpha
        left = sum(bits[at : at + size])
        during = min(left, max(0.0, busy - begin) / channel.slowed)
        end = begin + channel.slowed * during + channel.beta * (left - during)
        at += size
    return end


def _exact(
    ready: tuple[Fraction, ...], bits: tuple[Fraction, ...], groups: tuple[int, ...]
) -> Fraction:
    end, at = Fraction(0), 0
    for size in groups:
        end = max(end, ready[at + size - 1]) + 1 + sum(bits[at : at + size])
        at += size
    return end


def _merging() -> CellResult:
    return CellResult((check_best(), check_pair(), check_three()))


SYSTEM_CHECKS = (SystemCheck(ROW, "partitions of gradients", _merging),)
