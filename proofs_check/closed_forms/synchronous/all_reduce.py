"""All-reduce played message by message: sums, bits and additions of the busiest worker, seconds.

Each schedule is a list of rounds of messages (from, to, parts, whether they are added); a round
takes as long as its longest message. Errata S4, S5, S6, S8 and T11.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple, final

import numpy as np

from proofs_check.closed_forms.erratum import erratum
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

SPEAKS_OF = (
    "allreduce-binary-tree",
    "allreduce-halving-doubling",
    "allreduce-recursive-doubling",
    "allreduce-ring",
    "bsp-sgd",
)

_N, _BITS, _GAMMA = 8, 64.0, 0.25
_LINK = AlphaBeta(10.0, 0.25)

Message = tuple[int, int, range, bool]
Rounds = Callable[[int], Iterator[list[Message]]]


def ring(n: int) -> Iterator[list[Message]]:
    """n - 1 rounds that add, n - 1 that copy; part p travels from worker p on."""
    for late in (0, 1):
        for t in range(n - 1):
            parts = [(i - t + late) % n for i in range(n)]
            yield [(i, (i + 1) % n, range(p, p + 1), not late) for i, p in enumerate(parts)]


def recursive_doubling(n: int) -> Iterator[list[Message]]:
    """Partners 1, 2, 4, ... apart exchange whole vectors."""
    for k in range(n.bit_length() - 1):
        yield [(i, i ^ (1 << k), range(n), True) for i in range(n)]


def halving_doubling(n: int) -> Iterator[list[Message]]:
    """Partners n/2, n/4, ... apart give away half of what they hold, then it all comes back."""
    spans = [1 << k for k in reversed(range(n.bit_length() - 1))]
    for late, widths in ((False, spans), (True, spans[::-1])):
        for width in widths:
            # a block of 2 width workers holds 2 width parts; each keeps the half it is in
            owner = [i if late else i ^ width for i in range(n)]
            starts = [o // width * width for o in owner]
            yield [(i, i ^ width, range(s, s + width), not late) for i, s in enumerate(starts)]


def binary_tree(n: int) -> Iterator[list[Message]]:
    """Up a binomial tree to worker 0 and down again."""
    steps = [1 << k for k in range((n - 1).bit_length())]
    for step in steps:
        yield [(i, i - step, range(n), True) for i in range(step, n, 2 * step)]
    for step in reversed(steps):
        yield [(i - step, i, range(n), False) for i in range(step, n, 2 * step)]


@final
class PlayedCollective(NamedTuple):
    """What a schedule did.

    Attributes:
        sums: every worker's vector at the end, ``[n, n]``; right where all entries are 2^n - 1.
        bits: what the busiest worker sent.
        seconds: of the whole, additions included.
    """

    sums: np.ndarray[tuple[int, int], np.dtype[np.int64]]
    bits: float
    seconds: float


def played(rounds: Rounds, n: int = _N, gamma: float = _GAMMA) -> PlayedCollective:
    """Worker i starts with 2^i in each of n parts, so that a sum says whose terms are in it."""
    held = np.repeat(2 ** np.arange(n), n).reshape(n, n)
    part, sent, seconds = _BITS / n, np.zeros(n), 0.0
    for messages in rounds(n):
        before, longest, added = held.copy(), 0.0, 0.0
        for source, target, parts, adds in messages:
            index = list(parts)
            held[target, index] = before[source, index] + (held[target, index] if adds else 0)
            sent[source] += part * len(index)
            longest = max(longest, _LINK.seconds(part * len(index), 1))
            added = max(added, gamma * part * len(index) if adds else 0.0)
        seconds += longest + added
    return PlayedCollective(held, float(sent.max()), seconds)


def seconds_of_all_reduce() -> tuple[Verdict, ...]:
    """Sums that are right, and the closed forms' seconds, for 2, 4, 8 and 16 workers."""
    verdicts = []
    for name, rounds, seconds in (
        ("ring", ring, ring_seconds),
        ("recursive doubling", recursive_doubling, recursive_doubling_seconds),
        ("halving-doubling", halving_doubling, halving_doubling_seconds),
        ("binary tree", binary_tree, binary_tree_seconds),
    ):
        for n in (2, 4, 8, 16):
            run = played(rounds, n)
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
    seconds = played(ring).seconds
    return (
        erratum(
            "T11", "all-reduce", "a ring of 8 adds (n - 1)/n m numbers, gamma = beta",
            (seconds, ring_seconds(_LINK, _N, _BITS, _GAMMA)),
            (ring_seconds(_LINK, _N, _BITS), seconds),
        ),
        erratum(
            "T11", "all-reduce", "a tree of 6 has 2 ceil(log2 6) rounds of a message, gamma = 0",
            (played(binary_tree, 6, 0.0).seconds, binary_tree_seconds(_LINK, 6, _BITS)),
            (2 * math.log2(6) * _LINK.seconds(_BITS, 1), binary_tree_seconds(_LINK, 6, _BITS)),
        ),
    )  # fmt: skip


def s8() -> tuple[Verdict, ...]:
    """Halving-doubling sends what a ring sends; whole vectors are log n times longer."""
    ours, theirs = played(halving_doubling).bits, played(recursive_doubling).bits
    return (
        erratum(
            "S8", "all-reduce", "halving-doubling sends 2 (n - 1)/n m bits a worker, as a ring",
            (ours, played(ring).bits), (theirs, played(ring).bits),
            f"{ours / _BITS:g} m against {theirs / _BITS:g} m of recursive doubling, n = 8",
        ),
    )  # fmt: skip


def bert_speedup(n: int) -> float:
    """Survey 001's speedup t_s/(t_s/n + t_m) with a ring's seconds: BERT-Large, 100 Gbit/s."""
    alone, link = 0.163, AlphaBeta(1e-5, 1e-11)
    return alone / (alone / n + ring_seconds(link, n, 32 * 336e6))


def s4() -> tuple[Verdict, ...]:
    """The speedup of many workers falls: latency grows with n."""
    speedups = [bert_speedup(n) for n in (8, 1024, 65536)]
    limit = 0.163 / ring_seconds(AlphaBeta(1e-5, 1e-11), 8, 32 * 336e6)
    return (
        erratum(
            "S4", "all-reduce", "speedup 0.107 of 65,536 workers on a ring, BERT-Large",
            (round(speedups[2], 3), 0.107), (limit, speedups[2]),
            f"{speedups[0]:.2f}, {speedups[1]:.2f}, {speedups[2]:.3f} for 8, 1024 and 65,536",
        ),
    )  # fmt: skip


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


def s6() -> tuple[Verdict, ...]:
    """The line through two short messages misses the long one."""
    short, long_, kib = 7.85e-6, 10.1e-6, 8 * 1024.0
    beta = (long_ - short) / (16 * kib)
    link = AlphaBeta(short - 16 * kib * beta, beta)
    return (
        erratum(
            "S6", "all-reduce", "16 and 32 KiB fix alpha and beta; 1 MB took 8e6/83.2e9 s",
            (link.seconds(32 * kib, 1), long_), (link.seconds(8e6, 1), 8e6 / 83.2e9),
            f"alpha {link.alpha * 1e6:.2g} us, {1e-9 / beta / 8:.3g} GB/s",
        ),
    )  # fmt: skip


CLOSED_FORMS = (seconds_of_all_reduce, t11, s4, s5, s6, s8)
