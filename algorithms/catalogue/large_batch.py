"""Rows of the family large batch, and CR-PSGD: scaled stepsizes, warm-ups, layers, growth."""

from __future__ import annotations

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import CORE, Recipe, Row
from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.lamb import LAMB
from algorithms.optimizers.lars import LARS
from algorithms.optimizers.layers import NormRatio
from algorithms.problems.base import Problem
from algorithms.problems.logistic_data import MANY_SAMPLES
from theory.orders.lamb_large_batch import lamb_large_batch
from theory.orders.lars_large_batch import lars_large_batch
from theory.rules.batch_rules import FixedBatch, StagedBatch, SteadyBatch
from theory.stepsizes import GradualWarmUpStep, PolynomialStep, ScaledStep, Stepsize, legw
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.cr_psgd import cr_psgd
from theory.theorems.gradual_warm_up_strongly_convex import gradual_warm_up_strongly_convex
from theory.theorems.warm_up_strongly_convex import warm_up_strongly_convex

_TIMES = 8
"""How many base batches a large one holds."""

LAST_BATCH = 64
"""Base batches in the last gradient of CR-PSGD."""

_LAYERED = ("mlp-digits-levels", "mlp-digits")
"""Problems of several layers: with one, a ratio a layer is a normalised gradient."""

_EPOCH = 64  # steps of the base batch that count as an epoch


def _linear(step: Stepsize, _problem: Problem, _steps: int) -> Method[object]:
    """Five epochs of warm-up, which take an eighth of the steps at eight times the batch."""
    scaled = GradualWarmUpStep(step, _TIMES, 5 * _EPOCH // _TIMES)
    return Batched(BSP(scaled), FixedBatch(_TIMES))


def _square_root(step: Stepsize, _problem: Problem, _steps: int) -> Method[object]:
    return Batched(BSP(ScaledStep(step, _TIMES, 0.5)), FixedBatch(_TIMES))


def _legw(step: Stepsize, _problem: Problem, _steps: int) -> Method[object]:
    return Batched(BSP(legw(step, _TIMES, 1.0, _EPOCH)), FixedBatch(_TIMES))


def _lars(step: Stepsize, problem: Problem, steps: int) -> Method[object]:
    """Decays and trust coefficient as published (You, Gitman, Ginsburg 2017, Section 5)."""
    optimizer = LARS(problem.shapes, decay=5e-4, trust=NormRatio(1e-3))
    return Batched(BSP(PolynomialStep(step, steps, 2.0), optimizer=optimizer), FixedBatch(_TIMES))


def _lamb(step: Stepsize, problem: Problem, steps: int) -> Method[object]:
    """Decays as published (You et al. 2020, Section 4)."""
    optimizer = LAMB(problem.shapes, decay=0.01)
    return Batched(BSP(PolynomialStep(step, steps), optimizer=optimizer), FixedBatch(_TIMES))


def _lars_as_stated(step: Stepsize, problem: Problem, steps: int) -> Method[object]:
    """Without momentum and decay, norms within [1/2, 2], batches as large as the number of steps
    (You et al. 2020, Theorem 2)."""
    optimizer = LARS(problem.shapes, m=0.0, trust=NormRatio(1e-3, 0.5, 2.0))
    return Batched(BSP(step, optimizer=optimizer), FixedBatch(steps))


def _lamb_as_stated(step: Stepsize, problem: Problem, steps: int) -> Method[object]:
    """Without moving averages and decay, as there (Theorem 3)."""
    trust = NormRatio(1.0, 0.5, 2.0)
    optimizer = LAMB(problem.shapes, beta1=0.0, beta2=0.0, trust=trust)
    return Batched(BSP(step, optimizer=optimizer), FixedBatch(steps))


def _growth(step: Stepsize, _problem: Problem, steps: int) -> Method[object]:
    """Doubled four times over the run, as a stepsize would be halved."""
    return Batched(BSP(step), StagedBatch(max(1, steps // 5), 2, most=16))


def _cr_psgd(step: Stepsize, _problem: Problem, steps: int) -> Method[object]:
    return Batched(BSP(step), SteadyBatch(steps, LAST_BATCH))


ENTRIES: tuple[Row, ...] = (
    entry(
        "linear-scaling",
        Recipe(
            _linear,
            (),
            Identity(),
            cycle="the stepsize is warmed up",
            why="the papers give no "
            "convergence theorem: "
            "the rule keeps "
            "stepsize over batch, "
            "and with it the "
            "stationary variance "
            "to first order",
            results=(gradual_warm_up_strongly_convex,),
        ),
    ),
    entry(
        "sqrt-scaling",
        Recipe(
            _square_root,
            (),
            Identity(),
            why="the papers give no convergence theorem: the rule keeps the covariance of a step",
            results=(bsp_nonconvex,),
        ),
    ),
    entry(
        "legw",
        Recipe(
            _legw,
            (),
            Identity(),
            cycle="the stepsize is warmed up",
            why="the paper gives no convergence theorem: it is a rule for the warm-up",
            results=(warm_up_strongly_convex,),
        ),
    ),
    entry(
        "lars",
        Recipe(
            _lars,
            (),
            Identity(),
            _LAYERED,
            why="a rate is stated from memory only, for batches as large as the number of steps",
            results=(lars_large_batch,),
            as_stated=_lars_as_stated,
            cycle="the stepsize decays",
            relative_move=0.001 / (1 - 0.9),  # eta / (1 - m)
        ),
    ),
    entry(
        "lamb",
        Recipe(
            _lamb,
            (),
            Identity(),
            _LAYERED,
            why="a rate is stated from memory only, for batches as large as the number of steps "
            "and without the moving average of squares",
            results=(lamb_large_batch,),
            as_stated=_lamb_as_stated,
            cycle="the stepsize decays",
            relative_move=1.0,
        ),
    ),
    entry(
        "batch-growth",
        Recipe(
            _growth,
            (),
            Identity(),
            (*CORE, MANY_SAMPLES),
            cycle="the batch grows in stages",
            why="the paper gives no convergence theorem: growing the batch keeps the noise scale "
            "of a stepsize that decays",
            results=(bsp_nonconvex,),
        ),
    ),
    entry(
        "cr-psgd",
        Recipe(
            _cr_psgd,
            (),
            Identity(),
            (*CORE, "quadratic-pl", MANY_SAMPLES),
            cycle="the batch grows from step to step",
            why="the bound speaks of the ratio by which batches grow, 1/(nT) in T gradients "
            "a worker with log T rounds: held in a setting of its own, where the run ends at 64 "
            "base batches",
            results=(cr_psgd, bsp_nonconvex),
        ),
    ),
)
