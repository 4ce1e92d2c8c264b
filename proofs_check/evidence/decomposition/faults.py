"""Faults planted in low-rank and sketching operators and methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.count_sketch import CountSketch, hashes
from algorithms.compressors.low_rank import LowRank, matrices
from algorithms.core.key import Draws
from algorithms.kernels import low_rank
from algorithms.kernels import sketch as kernel
from algorithms.methods.base import Method, RunContext
from algorithms.methods.decomposition.powersgd import PowerSGD, PowerSGDState
from algorithms.methods.decomposition.sketched_sgd import SketchedSGD, SketchedState
from proofs_check.compressors.check import MONTE_CARLO
from proofs_check.evidence.decomposition.closed_forms import nothing_is_lost, power, sketched
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from proofs_check.mutants.method_mutant import (
    FaultyCompressor,
    MethodMutant,
    OperatorMutant,
    wrong_encoding,
)
from theory.stepsizes import Stepsize


@final
@dataclass(frozen=True)
class SignlessSketch(FaultyCompressor):
    """A count sketch that adds everything: collisions no longer cancel on average."""

    right: CountSketch

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        table = hashes(draws, self.right.rows, self.right.width, x.shape[-1]) | 1
        rows = kernel.sketch(x.expand(*table.shape[:-2], -1), table, self.right.width)
        return (rows.reshape(*rows.shape[:-2], -1),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        table = hashes(draws, self.right.rows, self.right.width, d) | 1
        rows = symbols[0].reshape(*symbols[0].shape[:-1], self.right.rows, self.right.width)
        return kernel.median_estimates(rows, table)


@final
@dataclass(frozen=True)
class SummingPowerSGD(FaultyMethod):
    """Takes the sum over workers where their mean is due."""

    right: PowerSGD

    def step(self, state: PowerSGDState, t: int, context: RunContext) -> PowerSGDState:
        new = self.right.step(state, t, context)
        return new._replace(x=state.x + context.network.n * (new.x - state.x))


@final
@dataclass(frozen=True)
class GreedySketch(FaultyMethod):
    """Each worker forgets its own largest coordinates instead of those that were taken."""

    right: SketchedSGD

    def step(self, state: SketchedState, t: int, context: RunContext) -> SketchedState:
        u = state.residual + self.right.step_rule(t) * context.gradient(state.x, t)
        new = self.right.step(state, t, context)
        own = u.abs().topk(int(self.right.k), -1).indices
        return new._replace(residual=u.scatter(-1, own, 0.0))


def _summing(step: Stepsize) -> Method[Any]:
    return SummingPowerSGD(PowerSGD(step, 1))


def _greedy(step: Stepsize) -> Method[Any]:
    return GreedySketch(SketchedSGD(step, 2, rows=3, width=8))


@wrong_encoding("slanted low rank", LowRank(4), check=MONTE_CARLO)
def slanted_low_rank(own: LowRank, x: Tensor, draws: Draws) -> Symbols:
    """columns of P not orthogonal"""
    (block,) = own.blocks(x.shape[-1])
    m = matrices(x, block)
    q = draws.fold("Q", 0).normal(block.columns * block.rank, x.dtype)
    p = low_rank.times(m, q.reshape(*q.shape[:-1], block.columns, block.rank))
    p = p / p.norm(dim=-2, keepdim=True).clamp_min(1e-300)
    right = low_rank.times(m.transpose(-1, -2), p)
    return p.reshape(*p.shape[:-2], -1), right.reshape(*right.shape[:-2], -1)


MUTANTS: tuple[OperatorMutant, ...] = (
    OperatorMutant(
        "sketch without signs", SignlessSketch(CountSketch(1, 64)), "collisions add up",
        MONTE_CARLO,
    ),
)  # fmt: skip

METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    MethodMutant(
        "PowerSGD summing", "the sum over workers instead of the mean",
        lambda: nothing_is_lost("powersgd", _summing), lambda: nothing_is_lost("powersgd", power),
    ),
    MethodMutant(
        "sketch with a local residual", "a worker drops its own top-k, not what the server took",
        lambda: nothing_is_lost("sketched-sgd", _greedy),
        lambda: nothing_is_lost("sketched-sgd", sketched),
    ),
)  # fmt: skip
