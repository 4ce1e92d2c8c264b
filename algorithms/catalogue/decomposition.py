"""Rows of the family decomposition, and of sketches."""

from __future__ import annotations

import math

from algorithms.catalogue.downlink import Received, RunRecord
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import CORE, Recipe, Row
from algorithms.compressors.count_sketch import CountSketch
from algorithms.compressors.low_rank import LowRank, plan
from algorithms.compressors.requirements import kept
from algorithms.compressors.slice_projection import SliceProjection
from algorithms.methods.decomposition.gradiveq import GradiVeQ
from algorithms.methods.decomposition.powersgd import PowerSGD
from algorithms.methods.decomposition.sketched_sgd import SketchedSGD
from algorithms.problems.base import Problem
from theory.bits import index_bits
from theory.orders.sketched_sgd import sketched_sgd
from theory.stepsizes import ConstantStep

_RANK = 1
_SKETCHED = SketchedSGD(ConstantStep(1.0), 0.02)


def _power_bits(problem: Problem, float_bits: int) -> float:
    """Two messages a step hold the factors of every matrix and the other tensors."""
    blocks = plan(problem.d, problem.shapes, _RANK)
    messages = 2 if any(block.rank for block in blocks) else 1
    return float_bits * sum(block.floats for block in blocks) / messages


def _sketch_bits(problem: Problem, float_bits: int) -> float:
    """A sketch and the exact values asked for."""
    floats = _SKETCHED.rows * _SKETCHED.width + _SKETCHED.asked(problem.d)
    return float_bits * floats / 2


def _cells(d: int, steps: int) -> int:
    """Counters of a row of the sketch, of the order of k log(d T)."""
    return math.ceil(4 * kept(_SKETCHED.k, d) * math.log(d * steps))


def _power_answers(run: RunRecord) -> Received:
    """The means of both messages."""
    blocks = plan(run.problem.d, run.problem.shapes, _RANK)
    rounds = run.replicas * run.problem.n * run.steps
    messages = rounds * (2 if any(block.rank for block in blocks) else 1)
    return Received(messages, messages * _power_bits(run.problem, run.float_bits))


def _coefficients(run: RunRecord) -> Received:
    """The mean gradient while the basis is learnt, then k numbers for each slice."""
    assert isinstance(run.method, GradiVeQ)
    method, d = run.method, run.problem.d
    short = -(-d // method.length) * method.k
    floats = sum(d if method.learning(t) else short for t in range(run.steps))
    everyone = run.replicas * run.problem.n
    return Received(everyone * run.steps, float(everyone * floats * run.float_bits))


def _asked_and_told(run: RunRecord) -> Received:
    """The coordinates asked for; then k values and their places among those."""
    d, rounds = run.problem.d, run.replicas * run.problem.n * run.steps
    asked, k = _SKETCHED.asked(d), kept(_SKETCHED.k, d)
    bits = asked * index_bits(d) + k * (run.float_bits + index_bits(asked))
    return Received(2 * rounds, float(rounds * bits))


ENTRIES: tuple[Row, ...] = (
    entry(
        "powersgd",
        Recipe(
            lambda step, _p, _t: PowerSGD(step, _RANK),
            (),
            LowRank(_RANK),
            operators=(LowRank(2),),
            message_bits=_power_bits,
            downlink=_power_answers,
            why="the paper gives no convergence theorem; with Q kept from step to step one step "
            "is no contraction with a fixed delta, so the error-feedback theorems do not "
            "apply",
        ),
        advised=True,
    ),
    entry(
        "gradiveq",
        Recipe(
            lambda step, _p, _t: GradiVeQ(step),
            (),
            SliceProjection(8, 2),
            ("mlp-digits", *(name for name in CORE if name != "mlp-digits")),
            message_bits=lambda p, bits: float(p.d * bits),
            bits_vary=True,
            downlink=_coefficients,
            cycle=20,
            why="the paper gives no convergence theorem: what the learned basis leaves out is "
            "lost, so delta is the captured energy and may be 0",
        ),
    ),
    entry(
        "sketched-sgd",
        Recipe(
            lambda step, _p, _t: SketchedSGD(step, _SKETCHED.k),
            (),
            CountSketch(1, 16),
            operators=(CountSketch(3, 16),),
            kept_draws=("hashes",),
            message_bits=_sketch_bits,
            downlink=_asked_and_told,
            why="stated to order only, with a contraction that holds with high probability over "
            "the hashes, of a sketch whose size grows with log T; this one is fixed",
            results=(sketched_sgd,),
            as_stated=lambda step, p, steps: SketchedSGD(
                step, _SKETCHED.k, width=_cells(p.d, steps)
            ),
        ),
    ),
)
