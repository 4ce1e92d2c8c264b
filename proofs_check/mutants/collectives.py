"""Programs of messages with one fault each, and the check that sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import final

from torch import Tensor

from algorithms.collectives.base import Collective, MessageRound
from algorithms.collectives.binary_tree import BinaryTree
from algorithms.collectives.double_tree import DoubleTree
from algorithms.collectives.ring import RingAllReduce
from algorithms.collectives.sparse_lists import RunOfLists, SparseList, run_lists
from proofs_check.collectives.lists import exact_sums
from proofs_check.collectives.programs import check_collective
from proofs_check.fabrics.localities import sums_by_locality
from proofs_check.mutants.method_mutant import MethodMutant, fault
from theory.arrays import Floats
from theory.seconds.collectives import CollectiveCost

Rounds = list[MessageRound]


@final
@dataclass(frozen=True)
class TamperedProgram(Collective):
    """A collective whose rounds are changed, under the closed form of the right one.

    Attributes:
        right: the collective.
        tamper: what is done to its rounds.
    """

    right: Collective
    tamper: Callable[[Rounds], Rounds]

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of workers in all."""
        return self.right.n

    @property
    def name(self) -> str:
        return f"spoilt {self.right.name}"

    @property
    def nodes(self) -> int:
        return self.right.nodes

    @property
    def parts(self) -> int:
        return self.right.parts

    def gives(self, d: int) -> Tensor:
        return self.right.gives(d)

    def rounds(self, d: int) -> Iterator[MessageRound]:
        return iter(self.tamper(list(self.right.rounds(d))))

    def with_workers(self, n: int) -> TamperedProgram:
        return TamperedProgram(self.right.with_workers(n), self.tamper)

    def cost(self) -> CollectiveCost | None:
        return self.right.cost()


def without_last(rounds: Rounds) -> Rounds:
    """All rounds but the last."""
    return rounds[:-1]


def sooner(rounds: Rounds) -> Rounds:
    """The second half begins a round before the first has ended."""
    half = len(rounds) // 2
    return [*rounds[: half - 1], *rounds[half - 1 : half + 1][::-1], *rounds[half + 1 :]]


def overwritten(
    program: Iterable[MessageRound], lists: Sequence[SparseList], keep: int | None = None
) -> RunOfLists:
    """What comes takes the place of what is held."""
    return run_lists((one._replace(adds=False) for one in program), lists, keep)


def blocks(seconds: Floats) -> tuple[tuple[int, ...], ...]:
    """Groups of four in the order in which workers were given."""
    workers = range(len(seconds))
    return tuple(tuple(workers[low : low + 4]) for low in range(0, len(seconds), 4))


def _mutant(
    name: str, planted: str, right: Collective, tamper: Callable[[Rounds], Rounds]
) -> MethodMutant:
    wrong = TamperedProgram(right, tamper)
    judged = (partial(check_collective, one) for one in (wrong, right))
    return MethodMutant(name, planted, *judged)


METHOD_MUTANTS = (
    _mutant(
        "ring without its end", "the last round of the all-gather is not sent",
        RingAllReduce(8), without_last,
    ),
    _mutant(
        "hasty double tree", "sums come down before the last have gone up", DoubleTree(8, 2), sooner
    ),
    _mutant(
        "hasty tree", "the root sends down before it has heard the last child",
        BinaryTree(8), sooner,
    ),
    fault(
        "localities without probing", "workers that were given one after another count as near",
        sums_by_locality, blocks,
    ),
    fault(
        "lists that replace", "a list that comes takes the place of the one that is held",
        exact_sums, overwritten,
    ),
)  # fmt: skip
