"""Lists of entries merged on the way: exact sums, lengths by closed form, gTop-k's tree.

Renggli et al. 2019 (arXiv:1802.08021, SparCML); Shi, Wang, Chu et al. 2019 (arXiv:1901.04359).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from algorithms.collectives.base import Collective, counted
from algorithms.collectives.binary_tree import BinaryTree
from algorithms.collectives.recursive import RecursiveDoubling
from algorithms.collectives.sparse import SplitGather
from algorithms.collectives.sparse_lists import RunOfLists, SparseList, run_lists
from algorithms.engine.run import run
from algorithms.methods.adaptive.gtop_k import GTopK
from algorithms.problems.quadratic import Quadratic
from proofs_check.cell import CellResult
from proofs_check.collectives.programs import MOST
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.instruments.study import SystemCheck
from proofs_check.verdict import Outcome, Verdict
from theory.seconds.collectives import binary_tree_cost
from theory.seconds.sparse_times import merged_doubling_bounds, split_gather_bounds
from theory.stepsizes import ConstantStep

ROW = "sparse-allreduce"
MERGED: tuple[Collective, ...] = (RecursiveDoubling(8), SplitGather(8), BinaryTree(8))
"""Programs that lists are merged along: SparCML's two, and gTop-k's tree."""

Merging = Callable[..., RunOfLists]
"""As :func:`run_lists`."""

_SEED, _STEPS = 15, 3


def drawn_lists(n: int, d: int, kept: int) -> tuple[SparseList, ...]:
    """A list for each of n workers: ``kept`` random places of d, random integers of 62 bits."""
    drawn = np.random.default_rng(_SEED + n)
    lists = []
    for _ in range(n):
        places = np.sort(drawn.permutation(d)[:kept])
        lists.append(SparseList(places, drawn.integers(1, 2**62, kept)))
    return tuple(lists)


def exact_sums(merge: Merging = run_lists) -> tuple[Verdict, ...]:
    """Sums of lists for every number of workers from 1 to 64, modulo 2^64."""
    verdicts = []
    for one in MERGED:
        wrong = [n for n in range(1, MOST + 1) if not _summed(one.with_workers(n), merge)]
        verdicts.append(
            Verdict(
                subject=ROW,
                claim=f"lists merged along {one.name.split('(')[0]} end as the exact sum with "
                "every worker",
                check="exact sum of lists",
                outcome=Outcome.REFUTED if wrong else Outcome.AGREES,
                statistic=float(MOST - len(wrong)),
                bound=float(MOST),
                resolution=0.0,
                evidence=f"wrong for n = {wrong}" if wrong else f"for n = 1, ..., {MOST}",
                provenance=f"integers of 64 bits, four entries of 3n + 8, seed {_SEED}",
            )
        )
    return tuple(verdicts)


def _summed(one: Collective, merge: Merging) -> bool:
    n, d = one.n, 3 * one.n + 8
    lists = drawn_lists(n, d, 4)
    right = np.sum([entries.dense(d) for entries in lists], axis=0)
    ends = merge(one.rounds(d), lists).held
    return all(np.array_equal(entries.dense(d), right) for entries in ends)


def merged_lengths(merge: Merging = run_lists) -> tuple[Verdict, ...]:
    """Numbers one after another: SparCML's two ends, and unions of what was drawn."""
    got, want = [], []
    for n, kept, d in ((4, 8, 400), (8, 8, 400), (16, 16, 8000), (64, 64, 600_000)):
        for apart in (False, True):
            lists = _spread(n, kept, d, apart=apart)
            doubled, split = (
                merge(one.rounds(d), lists).path for one in (RecursiveDoubling(n), SplitGather(n))
            )
            got += [doubled, split]
            want += [merged_doubling_bounds(n, kept, d)[apart], split_gather_bounds(n, kept)[apart]]
    ends = identity(
        ROW, "lists merged by doubling, and by owners of parts, are as long as stated where all "
        "workers kept the same entries and where no two did", got, want,
        check="lengths of merged lists", tolerance=0.0, provenance="4, 8, 16 and 64 workers",
    )  # fmt: skip
    got, want = [], []
    for n in (2, 8, 64):
        d, kept = 6 * n, 5
        lists = drawn_lists(n, d, kept)
        got.append(merge(RecursiveDoubling(n).rounds(d), lists).path)
        want.append(_unions([set(one.places.tolist()) for one in lists], d))
    between = identity(
        ROW, "lists merged by doubling are as long as the unions of 1, 2, 4, ... workers' entries",
        got, want, check="lengths of merged lists", tolerance=0.0,
        provenance=f"2, 8, 64 workers, five entries of 6n, seed {_SEED}",
    )  # fmt: skip
    return ends, between


def _spread(n: int, kept: int, d: int, *, apart: bool) -> tuple[SparseList, ...]:
    """A list for each worker with as many entries in each of n parts of d; the same ones, or no
    two the same."""
    parts, each = np.arange(n)[:, None] * d // n, kept // n
    entries = np.arange(each)
    lists = []
    for worker in range(n):
        places = np.ravel(parts + entries + apart * worker * each)
        lists.append(SparseList(places, np.ones_like(places)))
    return tuple(lists)


def _unions(sets: list[set[int]], d: int) -> int:
    """Numbers that the busiest worker sends, round by round, from the sets alone."""
    total, block = 0, 1
    while block < len(sets):
        unions = [set().union(*sets[low : low + block]) for low in range(0, len(sets), block)]
        total += max(min(2 * len(union), d) for union in unions)
        block *= 2
    return total


def gtop_k_tree(merge: Merging = run_lists) -> tuple[Verdict, ...]:
    """The method's step is the tree's program on lists, and its bill the program's messages."""
    moves, trees, billed, messages = [], [], [], []
    kept, d = 3, 24
    for n in range(1, MOST + 1):
        drawn = torch.randn((n, d), generator=torch.Generator().manual_seed(n), dtype=torch.float64)
        zero = torch.zeros(d, dtype=torch.float64)
        problem = Quadratic(
            name="linear", a=torch.zeros_like(drawn), c=-drawn, x_star=zero, x0=zero
        )
        method = GTopK(ConstantStep(1.0), kept)
        moves.append((-n * models(method, problem, 1)[-1, 0]).numpy())
        lists = [SparseList.from_vector(row).largest(kept) for row in drawn.numpy()]
        held = merge(BinaryTree(n).rounds(d), lists, kept).held
        trees.append(np.mean([one.dense(d) for one in held], axis=0))
        if n in (2, 5, 8, 13):
            trace = run(method, problem, steps=_STEPS, seed=_SEED, replicas=1)
            length = method.operator.stated_bits(d, 64)
            billed.append(n * float(trace.sent_bits[0, -1]) / (_STEPS * length))
            messages.append(counted(BinaryTree(n).rounds(1), n).messages)
    return (
        identity(
            "gtop-k", "a step moves the model by 1/n of what the binomial tree's program leaves of "
            "top-k lists that are cut to k whenever two were added", moves, trees,
            check="tree of lists", provenance=f"n = 1, ..., {MOST}, top-{kept} of {d}",
        ),
        identity(
            "gtop-k", "a step is billed 2(n - 1) messages of a list, as many as the tree's program "
            "sends", billed, messages, check="tree of lists",
            provenance="n = 2, 5, 8, 13; three steps, mean over workers times n",
        ),
        identity(
            "gtop-k", "a message after another there are 2 ceil(log2 n) in the program as in the "
            "closed form", [counted(BinaryTree(n).rounds(1), n).steps for n in range(1, MOST + 1)],
            [binary_tree_cost(n).steps for n in range(1, MOST + 1)], check="tree of lists",
            tolerance=0.0,
        ),
    )  # fmt: skip


def _given(check: Callable[[], tuple[Verdict, ...]]) -> CellResult:
    return CellResult(check())


SYSTEM_CHECKS = (
    SystemCheck(ROW, "sums of lists", partial(_given, exact_sums)),
    SystemCheck(ROW, "lengths of lists", partial(_given, merged_lengths)),
    SystemCheck(ROW, "gTop-k's tree", partial(_given, gtop_k_tree)),
)
