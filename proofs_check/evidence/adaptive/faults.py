"""Faults planted in the accounts of sparsifiers that adapt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

from algorithms.collectives.base import MessageRound
from algorithms.collectives.sparse_lists import RunOfLists, SparseList, run_lists
from algorithms.methods.adaptive.gtop_k import GTopK, GTopKState
from algorithms.methods.base import RunContext
from proofs_check.collectives.lists import gtop_k_tree
from proofs_check.evidence.adaptive.closed_forms import accounts_of_two, variance_based_keeps
from proofs_check.methods.faulty.faulty_method import FaultyMethod, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault


@final
@dataclass(frozen=True)
class ForgetfulTree(FaultyMethod):
    """gTop-k that forgets what it sent in vain: only what was not sent stays in the residual."""

    right: GTopK

    def step(self, state: GTopKState, t: int, context: RunContext) -> GTopKState:
        wanted = state.residual + self.right.step_rule(t) * context.gradient(state.x, t)
        own = context.pack(self.right.operator, wanted, t).own(context.network.workers)
        return self.right.step(state, t, context)._replace(residual=wanted - own)


def uncut(
    program: Iterable[MessageRound], lists: Sequence[SparseList], keep: int | None = None
) -> RunOfLists:
    """Lists as long as they become."""
    return run_lists(program, lists)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "gTop-k with a stale residual", "what was sent and dropped by the merge is lost",
        accounts_of_two, wrapped(ForgetfulTree, GTopK),
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
