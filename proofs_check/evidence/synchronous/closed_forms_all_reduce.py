"""All-reduce played message by message: sums, bits and additions of the busiest worker, seconds.

The programs are those of :mod:`algorithms.collectives`. Errata S4, S5, S6, S8 and T11.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.collectives.base import Collective, counted, executed
from algorithms.collectives.binary_tree import BinaryTree
from algorithms.collectives.recursive import HalvingDoubling, RecursiveDoubling
from algorithms.collectives.ring import RingAllReduce
from proofs_check.instruments.erratum import Shown, demonstrates, erratum
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.rules.batch_rules import FixedBatch
from theory.seconds.collectives import (
    binary_tree_seconds,
    halving_doubling_seconds,
    recursive_doubling_seconds,
    ring_seconds,
)
from theory.seconds.costs import AlphaBeta

_N, _BITS, _GAMMA = 8, 64.0, 0.25
_LINK = AlphaBeta(10.0, 0.25)


@final
class SimulatedCollective(NamedTuple):
    """Result of a program.

    Attributes:
        sums: every worker's vector at the end, ``[n, n]``; right where all entries are 2^n - 1.
        bits: what the busiest worker sent.
        seconds: of the whole, additions included.
    """

    sums: Tensor
    bits: float
    seconds: float


def simulated(one: Collective, gamma: float = _GAMMA) -> SimulatedCollective:
    """Worker i starts with 2^i in each of n parts, so that a sum says whose terms are in it."""
    n = one.n
    held = (2 ** torch.arange(n)).repeat_interleave(n).reshape(n, n)
    rounds, part = list(one.rounds(n)), _BITS / n
    seen = counted(rounds, n)
    added = counted((r for r in rounds if r.adds), n).path
    seconds = _LINK.seconds(part * seen.path, seen.steps) + gamma * part * added
    return SimulatedCollective(executed(rounds, held), part * int(seen.sent.max()), seconds)


def seconds_of_all_reduce() -> tuple[Verdict, ...]:
    """Sums that are right, and the closed forms' seconds, for 2, 4, 8 and 16 workers."""
    verdicts = []
    for name, make, seconds in (
        ("ring", RingAllReduce, ring_seconds),
        ("recursive doubling", RecursiveDoubling, recursive_doubling_seconds),
        ("halving-doubling", HalvingDoubling, halving_doubling_seconds),
        ("binary tree", BinaryTree, binary_tree_seconds),
    ):
        for n in (2, 4, 8, 16):
            run = simulated(make(n))
            got = [run.seconds, float(run.sums.min()), float(run.sums.max())]
            expected = [seconds(_LINK, n, _BITS, _GAMMA), 2.0**n - 1, 2.0**n - 1]
            verdicts.append(
                identity(
                    f"all-reduce, {name}",
                    f"all hold the sum after the stated seconds, n = {n}",
                    got,
                    expected,
                    check="collective played",
                    provenance=f"64 bits, alpha 10 s, beta 1/4 s, gamma {_GAMMA:g} s a bit",
                )
            )
    return tuple(verdicts)


def t11() -> tuple[Verdict, ...]:
    """Adding takes time; trees of any n have whole rounds."""
    seconds = simulated(RingAllReduce(_N)).seconds
    return (
        erratum(
            "T11", "all-reduce", "a ring of 8 adds (n - 1)/n m numbers, gamma = beta",
            (seconds, ring_seconds(_LINK, _N, _BITS, _GAMMA)),
            (ring_seconds(_LINK, _N, _BITS), seconds),
        ),
        erratum(
            "T11", "all-reduce", "a tree of 6 has 2 ceil(log2 6) rounds of a message, gamma = 0",
            (simulated(BinaryTree(6), 0.0).seconds, binary_tree_seconds(_LINK, 6, _BITS)),
            (2 * math.log2(6) * _LINK.seconds(_BITS, 1), binary_tree_seconds(_LINK, 6, _BITS)),
        ),
    )  # fmt: skip


_COVERED = (
    "allreduce-binary-tree",
    "allreduce-halving-doubling",
    "allreduce-recursive-doubling",
    "allreduce-ring",
    "bsp-sgd",
)


@demonstrates(
    "S8",
    "all-reduce",
    "halving-doubling sends 2 (n - 1)/n m bits a worker, as a ring",
    covers=_COVERED,
)
def s8() -> Shown:
    """Halving-doubling sends what a ring sends; whole vectors are log n times longer."""
    ours, theirs = simulated(HalvingDoubling(_N)).bits, simulated(RecursiveDoubling(_N)).bits
    return (
        (ours, simulated(RingAllReduce(_N)).bits),
        (theirs, simulated(RingAllReduce(_N)).bits),
        f"{ours / _BITS:g} m against {theirs / _BITS:g} m of recursive doubling, n = 8",
    )


def bert_speedup(n: int) -> float:
    """Survey 001's speedup t_s/(t_s/n + t_m) with a ring's seconds: BERT-Large, 100 Gbit/s."""
    alone, link = 0.163, AlphaBeta(1e-5, 1e-11)
    return alone / (alone / n + ring_seconds(link, n, 32 * 336e6))


@demonstrates(
    "S4",
    "all-reduce",
    "speedup 0.107 of 65,536 workers on a ring, BERT-Large",
    covers=_COVERED,
)
def s4() -> Shown:
    """The speedup of many workers falls: latency grows with n."""
    speedups = [bert_speedup(n) for n in (8, 1024, 65536)]
    limit = 0.163 / ring_seconds(AlphaBeta(1e-5, 1e-11), 8, 32 * 336e6)
    return (
        (round(speedups[2], 3), 0.107),
        (limit, speedups[2]),
        f"{speedups[0]:.2f}, {speedups[1]:.2f}, {speedups[2]:.3f} for 8, 1024 and 65,536",
    )


def s5() -> tuple[Verdict, ...]:
    """The intensity is 222; 1.08 needs the time of the global batch."""
    share = FixedBatch(8)(0)
    local, messages = 0.163, 0.441
    return (
        erratum(
            "S5", "all-reduce", "operations per sample and parameter, in whole numbers",
            (round(597e9 / share / 336e6), 222), (248, 222),
        ),
        erratum(
            "S5", "all-reduce", "speedup 1.08 of four workers",
            (round(4 * local / (local + messages), 2), 1.08),
            (local / (local / 4 + messages), 1.08),
            "printed: t_s taken as the time of a local batch",
        ),
    )  # fmt: skip


@demonstrates(
    "S6",
    "all-reduce",
    "16 and 32 KiB fix alpha and beta; 1 MB took 8e6/83.2e9 s",
    covers=_COVERED,
)
def s6() -> Shown:
    """The line through two short messages misses the long one."""
    short, long_, kib = 7.85e-6, 10.1e-6, 8 * 1024.0
    beta = (long_ - short) / (16 * kib)
    link = AlphaBeta(short - 16 * kib * beta, beta)
    return (
        (link.seconds(32 * kib, 1), long_),
        (link.seconds(8e6, 1), 8e6 / 83.2e9),
        f"alpha {link.alpha * 1e6:.2g} us, {1e-9 / beta / 8:.3g} GB/s",
    )


CLOSED_FORMS = (seconds_of_all_reduce, t11, s5)

DEMONSTRATIONS = (("T11", t11), ("S5", s5))

COVERS = {
    "s5": (
        "allreduce-binary-tree",
        "allreduce-halving-doubling",
        "allreduce-recursive-doubling",
        "allreduce-ring",
        "bsp-sgd",
    ),
    "seconds_of_all_reduce": (
        "allreduce-binary-tree",
        "allreduce-halving-doubling",
        "allreduce-recursive-doubling",
        "allreduce-ring",
        "bsp-sgd",
    ),
    "t11": (
        "allreduce-binary-tree",
        "allreduce-halving-doubling",
        "allreduce-recursive-doubling",
        "allreduce-ring",
        "bsp-sgd",
    ),
}
