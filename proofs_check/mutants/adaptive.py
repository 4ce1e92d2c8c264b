"""Faults planted in the accounts of sparsifiers that adapt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

from algorithms.collectives.base import MessageRound
from algorithms.collectives.sparse_lists import RunOfLists, SparseList, run_lists
from algorithms.methods.adaptive.gtop_k import GTopK, GTopKState
from algorithms.methods.base import World
from proofs_check.closed_forms.adaptive.gtop_k import accounts_of_two
from proofs_check.closed_forms.adaptive.variance_based import variance_based_keeps
from proofs_check.collectives.lists import gtop_k_tree
from proofs_check.methods.faulty.spoilt import Spoilt, posing
from proofs_check.mutants.method_mutant import MethodMutant, fault


@final
@dataclass(frozen=True)
class ForgetfulTree(Spoilt):
    """gTop-k that forgets what it sent in vain: only what was not sent stays in the residual."""

    right: GTopK

    def step(self, state: GTopKState, t: int, world: World) -> GTopKState:
        wanted = state.residual + self.right.step_rule(t) * world.gradient(state.x, t)
        own = world.pack(self.right.operator, wanted, t).own(world.network.workers)
        return self.right.step(state, t, world)._replace(residual=wanted - own)


def uncut(
    program: Iterable[MessageRound], lists: Sequence[SparseList], keep: int | None = None
) -> RunOfLists:
    """Lists as long as they become."""
    return run_lists(program, lists)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "gTop-k with a stale residual", "what was sent and dropped by the merge is lost",
        accounts_of_two, posing(ForgetfulTree, GTopK),
    ),
    fault(
        "gTop-k tree that never cuts", "lists that are merged keep all of their entries",
        gtop_k_tree, uncut,
    ),
    fault(
        "variance-based dropping its rounding", "what rounding changed is claimed to be kept",
        variance_based_keeps, False,
    ),
)  # fmt: skip
