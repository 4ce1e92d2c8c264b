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
from proofs_check.mutants.method_mutant import MethodMutant, fault


@final
@dataclass(frozen=True, eq=False)
class DualForgotten(FaultyMethod):
    """Workers start every solve without their dual."""

    right: StarADMM

    def step(self, state: StarState, t: int, context: RunContext) -> Any:
        return self.right.step(state._replace(y=torch.zeros_like(state.y)), t, context)


@final
@dataclass(frozen=True, eq=False)
class DualOfWrongSign(FaultyMethod):
    """The dual moves the wrong way: y_i -= rho (x_i - z)."""

    right: StarADMM

    def step(self, state: StarState, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        return after._replace(y=2 * state.y - after.y)


@final
@dataclass(frozen=True, eq=False)
class MasterThatSums(FaultyMethod):
    """z is the sum of what the workers sent."""

    right: StarADMM

    def step(self, state: StarState, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        z = after.z * context.network.n
        return after._replace(z=z, read=z.expand_as(after.read).clone())


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
class StaleAdmmDual(FaultyMethod):
    """The dual moves by what was heard in the step before."""

    right: GraphADMM

    def step(self, state: GraphState, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        degree = adjacency(self.right.topology).in_degree.to(after.x)[:, None]
        p = state.p + (degree * after.x - state.heard.sum(0)) / self.right.step_rule(t)
        return after._replace(p=p)


@final
@dataclass(frozen=True, eq=False)
class AllAtOnce(FaultyMethod):
    """Jacobi for Gauss-Seidel: every class solves with its neighbours' models of the last step."""

    right: GraphADMM

    def step(self, state: GraphState, t: int, context: RunContext) -> Any:
        rho, lists = 1 / self.right.step_rule(t), adjacency(self.right.topology)
        degree = lists.in_degree.to(state.x)[:, None]
        old = state.heard.sum(0)
        v = (rho * old - state.p) / (rho * degree)
        weight = rho * degree[:, 0]
        x = context.problem.proximal_point(v, weight, context.network.workers, state.x)
        heard = torch.zeros_like(state.heard)
        heard[0] = context.network.mix(context.pack(Identity(), x, t), lists).result
        return GraphState(x, state.p + rho * (degree * x - heard[0]), heard)


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


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault("ADMM without its dual", "y_i = 0 in every solve", star, DualForgotten),
    fault(
        "ADMM, dual of the wrong sign", "y_i -= rho (x_i - z)",
        star_contraction, DualOfWrongSign,
    ),
    fault(
        "ADMM master that sums", "the sum where the mean is due",
        star_contraction, MasterThatSums,
    ),
    fault(
        "D-ADMM with a degree too many", "the own model counted D_i + 1 times in the dual",
        coloured, OwnDegreeTwice,
    ),
    fault(
        "D-ADMM with old neighbours", "the dual moves by the neighbours' models of last time",
        duals, StaleAdmmDual,
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
