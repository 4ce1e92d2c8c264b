"""ADMM with one fault each: wrong or forgotten duals, sums for means, barriers off by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.methods.admm.admm_graph import GraphADMM, GraphState
from algorithms.methods.admm.admm_random import RandomADMM, RandomState
from algorithms.methods.admm.admm_star import StarADMM, StarState
from algorithms.methods.base import Method, RunContext
from algorithms.synchronisation.barriers import PartialBarrier
from algorithms.topologies.edges import adjacency
from proofs_check.evidence.admm.closed_forms import (
    coloured,
    delay_bound,
    duals,
    in_turn,
    linearised,
    partial_seconds,
    random_edges,
    star,
    star_contraction,
)
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step


@final
@dataclass(frozen=True, eq=False)
class OwnDegreeTwice(FaultyMethod):
    """p_i += rho sum_j (x_i - x_j) with a degree too many."""

    right: GraphADMM

    def step(self, state: GraphState, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        return after._replace(p=after.p + after.x / self.right.step_rule(t))


@final
@dataclass(frozen=True, eq=False)
class AllAtOnce(FaultyMethod):
    """Jacobi for Gauss-Seidel: every class solves with its neighbours' models of the last step."""

    right: GraphADMM

    def step(self, state: GraphState, t: int, context: RunContext) -> Any:
        rho, lists = 1 / self.right.step_rule(t), adjacency(self.right.topology)
        degree = lists.in_degree.to(state.x)[:, None]
        old = state.incoming.sum(0)
        v = (rho * old - state.p) / (rho * degree)
        weight = rho * degree[:, 0]
        x = context.problem.proximal_point(v, weight, context.network.workers, state.x)
        incoming = torch.zeros_like(state.incoming)
        incoming[0] = context.network.mix(context.pack(Identity(), x, t), lists).result
        return GraphState(x, state.p + rho * (degree * x - incoming[0]), incoming)


@final
@dataclass(frozen=True, eq=False)
class OneSidedDual(FaultyMethod):
    """Only the even workers keep duals."""

    right: RandomADMM

    def step(self, state: RandomState, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        even = torch.arange(after.dual.shape[-3]) % 2 == 0
        return after._replace(dual=torch.where(even[:, None, None], after.dual, 0))

    def models(self, state: Any) -> Tensor:
        return self.right.models(state)


@final
@dataclass(frozen=True, eq=False)
class DualNeverMoves(FaultyMethod):
    """The penalty alone: workers agree, but not on the minimiser.

    Attributes:
        right: ADMM.
        dual: what the duals are called in its state.
    """

    right: Method[Any]
    dual: str = "p"

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        return after._replace(**{self.dual: torch.zeros_like(getattr(after, self.dual))})


@wrong_step("ADMM without its dual", judge=star)
def dual_forgotten(own: StarADMM, state: StarState, t: int, context: RunContext) -> Any:
    """y_i = 0 in every solve"""
    return own.step(state._replace(y=torch.zeros_like(state.y)), t, context)


@wrong_step("ADMM, dual of the wrong sign", judge=star_contraction)
def dual_of_wrong_sign(own: StarADMM, state: StarState, t: int, context: RunContext) -> Any:
    """y_i -= rho (x_i - z)

    The dual moves the wrong way: y_i -= rho (x_i - z).
    """
    after = own.step(state, t, context)
    return after._replace(y=2 * state.y - after.y)


@wrong_step("ADMM master that sums", judge=star_contraction)
def master_that_sums(own: StarADMM, state: StarState, t: int, context: RunContext) -> Any:
    """the sum where the mean is due"""
    after = own.step(state, t, context)
    z = after.z * context.network.n
    return after._replace(z=z, read=z.expand_as(after.read).clone())


@wrong_step("D-ADMM with old neighbours", judge=duals)
def stale_admm_dual(own: GraphADMM, state: GraphState, t: int, context: RunContext) -> Any:
    """the dual moves by the neighbours' models of last time"""
    after = own.step(state, t, context)
    degree = adjacency(own.topology).in_degree.to(after.x)[:, None]
    p = state.p + (degree * after.x - state.incoming.sum(0)) / own.step_rule(t)
    return after._replace(p=p)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "D-ADMM with a degree too many", "the own model counted D_i + 1 times in the dual",
        coloured, OwnDegreeTwice,
    ),
    fault("D-ADMM, all colours at once", "Jacobi instead of Gauss-Seidel", coloured, AllAtOnce),
    fault(
        "ADMM in turn with a degree too many", "the same, one worker after another",
        in_turn, OwnDegreeTwice,
    ),
    fault(
        "randomised ADMM with duals on one side", "one end of an edge forgets its dual",
        random_edges, OneSidedDual,
    ),
    fault("linearised ADMM without a dual", "the penalty alone", linearised, DualNeverMoves),
    fault(
        "partial barrier of one too many", "an update waits for S + 1 arrivals",
        partial_seconds, lambda least: PartialBarrier(min(least + 1, 5), 10**6),
    ),
    fault(
        "partial barrier off by one", "delays up to tau instead of tau - 1",
        delay_bound, lambda least, tau: PartialBarrier(least, tau + 1),
    ),
    fault(
        "partial barrier with fewer arrivals", "an update with S - 1 of them",
        delay_bound, lambda least, tau: PartialBarrier(max(1, least - 1), tau),
    ),
)  # fmt: skip
