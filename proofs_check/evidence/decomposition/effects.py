"""Low-rank and linear compression: closed forms, effects, and faults planted in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, final

import torch
from torch import Tensor

from algorithms.catalogue import problem
from algorithms.codes.base import Symbols
from algorithms.compressors.count_sketch import CountSketch, hashes
from algorithms.compressors.low_rank import LowRank, matrices
from algorithms.core.key import Draws
from algorithms.kernels import low_rank
from algorithms.kernels import sketch as kernel
from algorithms.methods.base import Method, RunContext
from algorithms.methods.decomposition.gradiveq import GradiVeQ
from algorithms.methods.decomposition.powersgd import PowerSGD, PowerSGDState
from algorithms.methods.decomposition.sketched_sgd import SketchedSGD, SketchedState
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from proofs_check.compressors.check import MONTE_CARLO
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.effect_check import StepsizeChoice
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.mean_estimation_setting import normal_rows
from proofs_check.instruments.paths import path
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import FromProblem, Setting, around
from proofs_check.instruments.tuned_arm import MEASURED_ANEW
from proofs_check.instruments.variants import Fixed
from proofs_check.methods.faulty.faulty_method import FaultyMethod, OneWrongStep
from proofs_check.mutants.method_mutant import (
    FaultyCompressor,
    MethodMutant,
    OperatorMutant,
    wrong_encoding,
)
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

# Nothing is lost with feedback: x_t - mean residual is SGD.
#
# The methods take the mean of what the workers' messages stand for; whatever else they do, the
# virtual iterate x_t - (1/n) sum_i e_i moves by the mean of the gradient steps alone, exactly.


Make = Callable[[Stepsize], Method[Any]]
_STEPS = 25
_GAMMA = 0.05


def nothing_is_lost(row: str, make: Make) -> Verdict:
    """x - mean e moves by -gamma times the mean gradient along a noisy run of four workers."""
    problem = Quadratic.strongly_convex(4, 20, zeta2=1.0)
    gaps = []
    moments = list(path(make(ConstantStep(_GAMMA)), problem, _STEPS, replicas=2))
    for before, after in pairwise(moments):
        g = before.context.gradient(before.state.x, before.t).mean(-2, keepdim=True)
        was, now = (s.x - s.residual.mean(-2, keepdim=True) for s in (before.state, after.state))
        gaps.append(now - was + _GAMMA * g)
    return identity(
        row,
        "x - mean residual moves by the mean gradient step alone",
        torch.stack(gaps),
        0.0,
        check="virtual iterate",
        problem=problem.name,
        provenance=f"{_STEPS} steps, gamma {_GAMMA}, 2 replicas, seed 0",
    )


# GradiVeQ with error feedback: nothing is lost.


def learned(step: Stepsize) -> Method[Any]:
    """GradiVeQ with error feedback."""
    return GradiVeQ(step, length=5, k=2, learn=4, cycle=20, feedback=True)


def gradiveq() -> tuple[Verdict, ...]:
    """The virtual iterate x - mean residual of GradiVeQ is SGD."""
    return (nothing_is_lost("gradiveq", learned),)


# PowerSGD with error feedback: nothing is lost.


def power(step: Stepsize) -> Method[Any]:
    """PowerSGD with matrices of rank 1 and error feedback."""
    return PowerSGD(step, 1)


def powersgd() -> tuple[Verdict, ...]:
    """The virtual iterate x - mean residual of PowerSGD is SGD."""
    return (nothing_is_lost("powersgd", power),)


# Sketched-SGD with error feedback: nothing is lost.


def sketched(step: Stepsize) -> Method[Any]:
    """Sketched-SGD with k = 2 and sketches of 3 rows, 8 counters each."""
    return SketchedSGD(step, 2, rows=3, width=8)


def sketched_sgd() -> tuple[Verdict, ...]:
    """The virtual iterate x - mean residual of Sketched-SGD is SGD."""
    return (nothing_is_lost("sketched-sgd", sketched),)


# Faults planted in low-rank and sketching operators and methods.


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


# Effects of low-rank and linear compression: what each row is for.


def _cautious(stage: Problem) -> ConstantStep:
    return ConstantStep(1 / (4 * stage.constants().need("L")))


GRADIVEQ = contrast(
    "gradiveq",
    "two numbers for a slice of eight, which any all-reduce can add, reach the accuracy of full "
    "gradients in as many steps of one small stepsize, because what all steps share is not left to "
    "the basis; with each side at its own best stepsize full gradients take fewer bits here",
    Setting(
        "logreg-breast-cancer", lambda n: problem("logreg-breast-cancer", n), 8, 850,
        FromProblem("gamma = 1/(4 L)", _cautious, (1.0,)), replicas=64, points=170, d=Fixed.DATA,
        note="4 of 20 steps uncompressed",
    ),
    Reading("both_ways", target=0.0015),
    method="GradiVeQ, 2 of 8",
    baseline=arm("BSP with full gradients", lambda it: BSP(it.step)),
    without=arm(
        "without the mean of the learnt gradients", lambda it: replace(it.own, centred=False)
    ),
    at_most=0.7, source="Yu et al. 2018, arXiv:1811.03617, Eq. 3 to 5 and Section 4.1",
    tuning=StepsizeChoice.ALIKE,
)  # fmt: skip

_SIDE = 8


def _matrix(n: int) -> Quadratic:
    """Workers want matrices near one of falling singular values; every entry has its curvature."""
    u, v = (normal_rows(1, _SIDE**2, word).reshape(_SIDE, _SIDE) for word in ("u", "v"))
    common = ((u * 0.6 ** torch.arange(_SIDE)) @ v).flatten()
    b = common + 0.3 * normal_rows(n, _SIDE**2, "own")
    a = 0.2 + 0.8 * normal_rows(1, _SIDE**2, "curvature").sigmoid()
    return Quadratic.from_arrays(a.expand(n, -1), b, name="matrix of falling singular values")


def _basis_kept(own: PowerSGD, state: PowerSGDState, t: int, context: RunContext) -> PowerSGDState:
    return own.step(state, t, context)._replace(q=state.q)


POWERSGD = contrast(
    "powersgd",
    "one power iteration a step and error feedback, together, follow full gradients, where "
    "unbiased singular triplets, as many floats, leave a floor",
    Setting(
        "quadratic of 8 x 8 matrices of full rank, workers with minimisers of their own", _matrix,
        8, 200, around(0.1), replicas=32, points=200, d=Fixed.LAYERS,
    ),
    Reading(last=10),
    method="PowerSGD of rank 1",
    baseline=arm(
        "spectral ATOMO, one triplet on average", lambda it: it.method_of("spectral-atomo")
    ),
    without=arm(
        "neither power iteration, as Q stays as it was drawn, nor error feedback",
        lambda it: OneWrongStep(replace(it.own, feedback=False), _basis_kept),
    ),
    at_most=0.05,
    source="Vogels, Karimireddy, Jaggi 2019, arXiv:1905.13727, Section 4.1 (error feedback) and "
    "Appendix (spectral ATOMO)",
    scales=("linear", "log"),
)  # fmt: skip

_D = 2048


def _scattered(n: int, d: int) -> Quadratic:
    """Scattered entries of b_i of all sizes 1/j, mostly common; curvatures in another order."""
    rows = normal_rows(1, d, "common") + 0.1 * normal_rows(n, d, "own")
    falling = rows / (1 + (1021 * torch.arange(d)) % d)  # heavy entries anywhere
    curvature = 0.1 ** ((613 * torch.arange(d)) % d / d)
    return Quadratic.from_arrays(curvature.to(falling.dtype).expand(n, d), falling)


SKETCHED_SGD = contrast(
    "sketched-sgd",
    "sketches of 80 counters, which add up, find the heavy coordinates of 2048, so that a budget "
    "of bits leaves little more than half of the error",
    Setting(
        f"8 rows whose entries fall as 1/j, curvatures from 0.1 to 1, d = {_D}, without noise",
        _scattered, 8, 60, (0.1, 0.2, 0.5, 1.0), replicas=48, d=_D,
        seed=MEASURED_ANEW,
    ),
    Reading("sent_bits", budget=1.25e5),
    method="Sketched-SGD, k = d/50, sketch of 5 x 16",
    baseline=arm(
        "BSP with full gradients", lambda it: BSP(it.step), replicas=1
    ),
    without=arm(
        "one counter a row, which says nothing of where", lambda it: replace(it.own, width=1),
        step=(0.1, 0.2),  # best; from 0.5 on a few runs have most of the mean error
    ),
    at_most=0.6,
    source="Ivkin, Rothchild, Ullah, Braverman, Stoica, Arora 2019, arXiv:1903.04488, Algorithm 3",
)  # fmt: skip


CLOSED_FORMS = (gradiveq, powersgd, sketched_sgd)


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
