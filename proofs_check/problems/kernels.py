"""A problem's compiled gradients and local solves beside torch's, by steps of methods that use
them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from algorithms.core.key import Key
from algorithms.engine.run import one_thread
from algorithms.methods.admm.admm_graph import GraphADMM
from algorithms.methods.base import Method, RunContext
from algorithms.methods.gossip_convex.dgd import dgd
from algorithms.methods.synchronous.bsp import BSP
from algorithms.network.simulated import Simulated
from algorithms.pipeline.advance import Blocks
from algorithms.problems.base import Problem
from algorithms.topologies.ring import Ring
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.stepsizes import ConstantStep

_STEPS, _REPLICAS = 4, 2
_STEP = ConstantStep(0.1)


def _methods(n: int) -> Iterator[tuple[str, Method[Any]]]:
    """Parts of a problem, and methods whose steps use one of them each."""
    yield "stochastic gradients", BSP(_STEP)
    if n > 1:
        yield "full gradients", dgd(_STEP, Ring(n))
        yield "local solves", GraphADMM(_STEP, Ring(n))


def compiled_steps(problem: Problem, *, seed: int) -> Iterator[Verdict]:
    """Steps in compiled blocks against the methods' own, bit for bit, where a row can be run."""
    for part, method in _methods(problem.n):
        if not method.unfit(problem):
            with one_thread():
                yield from _compared(problem, method, part, seed)


def _compared(problem: Problem, method: Method[Any], part: str, seed: int) -> Iterator[Verdict]:
    def fresh() -> RunContext:
        replicas = torch.arange(_REPLICAS)
        return RunContext(problem, Simulated(problem.n), Key.seed(seed), replicas)

    context = fresh()
    state = method.init(problem.start(), context)
    state, taken = Blocks(method, context).advance(state, 0, _STEPS)
    if not taken:
        return
    found, context = method.models(state), fresh()
    state = method.init(problem.start(), context)
    for t in range(taken):
        state = method.step(state, t, context)
    apart = int((found != method.models(state)).sum())
    yield Verdict(
        subject=problem.name, problem=problem.name, check=f"compiled {part}",
        kind=CheckKind.PROBLEM,
        claim=f"{part} in compiled steps are torch's, bit for bit",
        outcome=Outcome.REFUTED if apart else Outcome.AGREES,
        statistic=float(apart), bound=0.0, resolution=0.0,
        evidence=f"{apart} of {found.numel()} numbers differ after {taken} steps" if apart
        else f"{found.numel()} numbers are equal after {taken} steps",
        provenance=f"{method.name}; seed {seed}, {_REPLICAS} replicas",
    )  # fmt: skip
