"""Effects of rows that split the problem by consensus constraints, and faults planted in ADMM."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.methods.admm.admm_graph import GraphADMM, GraphState
from algorithms.methods.admm.admm_random import RandomADMM, RandomState
from algorithms.methods.admm.admm_star import StarADMM, StarState
from algorithms.methods.base import Method, RunContext
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.problems.quadratic_data import unequal
from algorithms.synchronisation.barriers import PartialBarrier
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from algorithms.topologies.edges import adjacency
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
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
from proofs_check.instruments.contrast import ArmContext, Contestant, arm, contrast
from proofs_check.instruments.effect_check import StepsizeChoice
from proofs_check.instruments.measurement import Measurement
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.methods.faulty.faulty_method import FaultyMethod, SpoiltBarrier
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step

# ADMM with one fault each: wrong or forgotten duals, sums for means, barriers off by one.


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


# Effects of rows that split the problem by consensus constraints: what each row is for.

_SCALES = ("linear", "log")
_RING = Setting(
    "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 8, 60, (2.0, 4.0, 8.0), d=20,
    note="rho = 1/gamma, ring",
)  # fmt: skip


def _descent(**changes: Any) -> Contestant:
    """Gossip, as few messages a step as ADMM has."""
    return arm(
        "decentralised gradient descent",
        lambda it: DPSGD(it.step, Lazy(Ring(it.setting.n))),
        step=(0.5, 0.1, 0.02), note="ring", replicas=1, **changes,
    )  # fmt: skip


def _slow(it: ArmContext, **changes: Any) -> Any:
    """One worker is six times as slow as the others."""
    times = Constant((1e-2,) * (it.problem.n - 1) + (6e-2,))
    return replace(it.own, times=times, **changes)


def _waiting(now: WorkerStates, d: Decision) -> Decision:
    """The update is made when all have come, of those who came first."""
    return d._replace(now=now.latest(~now.nobody() & ~now.idle))


ASYNC_ADMM = contrast(
    "async-admm",
    "a slow worker is not waited for, within the bound on delays",
    replace(
        _RING, steps=250, note="rho = 1/gamma, solves of 10 ms, one worker's of 60 ms"
    ),
    Reading("seconds", target=1e-6),
    method=arm("asynchronous ADMM, four of eight", _slow),
    baseline=arm(
        "synchronous ADMM", lambda it: _slow(it, barrier=PartialBarrier(it.problem.n, 1))
    ),
    without=arm(
        "the first four are taken when all have come",
        lambda it: _slow(it, barrier=SpoiltBarrier(it.own.barrier, _waiting)),
    ),
    at_most=0.65, source="Zhang, Kwok 2014, ICML, Section 5: faster where a worker is slow",
    scales=_SCALES,
)  # fmt: skip


def _up_to_ten(found: Measurement) -> Measurement:
    """Drawn up to 10: a run that diverges would fill the picture."""
    return found._replace(y=found.y.clip(max=10.0))


D_ADMM = contrast(
    "d-admm",
    "workers of one colour solve side by side, at no loss in steps",
    replace(
        _RING, timing=STANDARD, note=f"{_RING.note}, a solve takes the time of ten gradients"
    ),
    Reading("seconds", target=1e-6, shown=_up_to_ten),
    method="D-ADMM, two colours",
    baseline=arm(
        "ADMM in turn",
        lambda it: it.method_of("decentralised-admm"),
    ),
    without=arm(
        "all workers at once, as if there were one colour", lambda it: AllAtOnce(it.own)
    ),
    at_most=0.4,
    source="Mota, Xavier, Aguiar, Pueschel 2013, arXiv:1202.2805, Section IV: colours in parallel",
    scales=_SCALES,
)  # fmt: skip

DECENTRALISED_ADMM = contrast(
    "decentralised-admm",
    "duals on the edges leave no floor where workers differ",
    _RING, Reading(of=" of the mean model"),
    method="decentralised ADMM",
    baseline=_descent(),
    without=arm("duals forgotten at every step", lambda it: DualNeverMoves(it.own)),
    at_most=1e-6,
    source="Wei, Ozdaglar 2012, CDC: exact, where subgradient methods take O(1/sqrt k)",
    scales=_SCALES, tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip

LINEARISED_ADMM = contrast(
    "linearised-admm",
    "gradient steps in the place of solves, and still no floor but that of the regulariser",
    replace(_RING, steps=300, step=(0.5, 1.0, 2.0), note="ring"),
    Reading(of=" of the mean model"),
    method="linearised ADMM, one gradient a step",
    baseline=_descent(),
    without=arm("duals forgotten at every step", lambda it: DualNeverMoves(it.own)),
    at_most=0.01,
    source="Aybat, Wang, Lin, Ma 2018, arXiv:1512.08122: proximal gradient steps inside ADMM",
    scales=_SCALES, tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip

RANDOM_ADMM = contrast(
    "random-admm",
    "one edge at a time reaches the very minimiser, with no clock",
    replace(_RING, steps=lambda n: 500 * n // 8, replicas=16, points=200),
    Reading("sent_bits", budget=7.5e4, of=" of the mean model"),
    method="random ADMM",
    baseline=_descent(steps=70),
    without=arm("duals forgotten at every step", lambda it: DualNeverMoves(it.own, "dual")),
    at_most=1e-3,
    source="Iutzeler, Bianchi, Ciblat, Hachem 2013, CDC: almost sure convergence to the minimiser",
    scales=_SCALES, tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip
