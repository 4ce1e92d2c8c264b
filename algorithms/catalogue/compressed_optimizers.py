"""Rows of optimizers whose moments are compressed, of the age of language models."""

from __future__ import annotations

from math import ceil

from algorithms.catalogue.downlink import Received, RunRecord, dense
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Recipe, Row
from algorithms.compressors.base import Compressor
from algorithms.compressors.cocktail import Cocktail
from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.low_rank import LowRank
from algorithms.compressors.nearest_grid import NearestGrid
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.memories.moving_average_feedback import MovingAverageFeedback
from algorithms.methods.compressed_optimizers.cocktail_sgd import CocktailSGD
from algorithms.methods.compressed_optimizers.demo import DeMo
from algorithms.methods.compressed_optimizers.dion import Dion
from algorithms.methods.compressed_optimizers.one_bit_adam import OneBitAdam
from algorithms.methods.compressed_optimizers.zero_one_adam import ZeroOneAdam
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from theory.stepsizes import ConstantStep

PROBLEMS = ("quadratic-unequal", "nonconvex-digits-dirichlet")
"""Problems of these rows: unequal Hessians, convex data, non-convex data on uneven shards."""


_DEMO_CHUNK, _DEMO_SENT = 8, 2


_RANK = 1
_COCKTAIL = Cocktail(0.2, 0.4, 4)


def _signs(problem: Problem) -> Compressor:
    """Scaled signs of as many chunks as there are workers, each with a scale of its own."""
    return Buckets(ScaledSign(), ceil(problem.d / problem.n))


def _heard_adam(run: RunRecord) -> Received:
    """The mean gradient in the warm-up, then signs in chunks: as many bits as were sent."""
    method, problem = run.method, run.problem
    assert isinstance(method, OneBitAdam)
    warm = min(method.warm, run.steps)
    short = method.compressor.stated_bits(problem.d, run.float_bits)
    bits = warm * dense(problem, run.float_bits) + (run.steps - warm) * short
    everyone = run.replicas * problem.n
    return Received(everyone * run.steps, everyone * bits)


def _heard_zero_one(run: RunRecord) -> Received:
    """The mean gradient where v is refreshed, the mean of updates where workers meet."""
    method, problem, steps = run.method, run.problem, range(run.steps)
    assert isinstance(method, ZeroOneAdam)
    refreshed = sum(method.refreshes(t) for t in steps)
    met = sum(method.meets(t) for t in steps)
    short = method.compressor.stated_bits(problem.d, run.float_bits)
    everyone = run.replicas * problem.n
    bits = refreshed * dense(problem, run.float_bits) + met * short
    return Received(everyone * (refreshed + met), everyone * bits)


def _dion_bits(problem: Problem, float_bits: int) -> float:
    """Two messages a step hold the factors of every matrix and the tensors of one axis."""
    blocks = Dion(ConstantStep(1.0), _RANK).blocks(problem)
    messages = 2 if any(block.rank for block in blocks) else 1
    return float_bits * sum(block.floats for block in blocks) / messages


def _dion_answers(run: RunRecord) -> Received:
    """The means of both messages."""
    blocks = Dion(ConstantStep(1.0), _RANK).blocks(run.problem)
    rounds = run.replicas * run.problem.n * run.steps
    messages = rounds * (2 if any(block.rank for block in blocks) else 1)
    return Received(messages, messages * _dion_bits(run.problem, run.float_bits))


ENTRIES: tuple[Row, ...] = (
    entry(
        "one-bit-adam",
        Recipe(
            lambda step, p, steps: OneBitAdam(step, max(1, steps // 5), _signs(p)),
            (),
            Buckets(ScaledSign(), 16),
            PROBLEMS,
            message_bits=dense,
            bits_vary=True,
            downlink=_heard_adam,
            cycle="v is frozen after the warm-up, a fifth of the steps",
            why="the paper's rate asks for a frozen v that is bounded away from 0 and is recalled "
            "to no more than its order",
        ),
    ),
    entry(
        "demo",
        Recipe(
            lambda step, _p, _t: DeMo(step, _DEMO_CHUNK, _DEMO_SENT, 0.9),
            (),
            DeMo(ConstantStep(1.0), _DEMO_CHUNK, _DEMO_SENT).operator,
            PROBLEMS,
            why="the paper gives no convergence theorem; the sign of a sum has no error that "
            "feedback makes good, so that constant steps end in cycles",
        ),
    ),
    entry(
        "dion",
        Recipe(
            lambda step, _p, _t: Dion(step, _RANK),
            (),
            LowRank(_RANK),
            (*PROBLEMS, "mlp-digits"),
            message_bits=_dion_bits,
            downlink=_dion_answers,
            why="the paper gives no convergence theorem for low rank: steps have equal singular "
            "values, whatever the gradient's length, so that constant steps end in cycles",
        ),
    ),
    entry(
        "zero-one-adam",
        Recipe(
            lambda step, p, steps: ZeroOneAdam(step, max(1, steps // 10), 4, _signs(p)),
            (),
            Buckets(ScaledSign(), 16),
            PROBLEMS,
            message_bits=dense,
            bits_vary=True,
            downlink=_heard_zero_one,
            cycle="steps of v and of meetings become rare after the first tenth",
            why="the paper's rate is recalled to no more than its order",
        ),
    ),
    entry(
        "loco",
        Recipe(
            lambda step, _p, _t: BSP(step, NearestGrid(4), MovingAverageFeedback(0.5, 32)),
            (),
            NearestGrid(4),
            PROBLEMS,
            cycle=32,
            why="the paper's rate is recalled to no more than its order; an average of errors does "
            "not add up to what was left out, so the theorems on error feedback do not apply",
        ),
    ),
    entry(
        "cocktail-sgd",
        Recipe(
            lambda step, _p, _t: CocktailSGD(step, _COCKTAIL),
            (),
            _COCKTAIL,
            PROBLEMS,
            stale="the mean step of one step is taken after the next gradient",
            why="stated to order only: the theorems on error feedback both ways know no delay",
        ),
    ),
)
