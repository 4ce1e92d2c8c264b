"""Rows of the family decomposition, and of sketches."""

from __future__ import annotations

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Recipe, Row
from algorithms.compressors.count_sketch import CountSketch
from algorithms.compressors.low_rank import LowRank, plan
from algorithms.compressors.slice_projection import SliceProjection
from algorithms.methods.decomposition.gradiveq import GradiVeQ
from algorithms.methods.decomposition.powersgd import PowerSGD
from algorithms.methods.decomposition.sketched_sgd import SketchedSGD
from algorithms.problems.base import Problem
from theory.orders.sketched_sgd import sketched_sgd
from theory.stepsizes import ConstantStep

_RANK = 1
_SKETCHED = SketchedSGD(ConstantStep(1.0), 0.1)


def _power_bits(problem: Problem, float_bits: int) -> float:
    """Two messages a step hold the factors of every matrix and the other tensors."""
    blocks = plan(problem.d, problem.shapes, _RANK)
    messages = 2 if any(block.rank for block in blocks) else 1
    return float_bits * sum(block.floats for block in blocks) / messages


def _sketch_bits(problem: Problem, float_bits: int) -> float:
    """A sketch and the exact values asked for."""
    floats = _SKETCHED.rows * _SKETCHED.width + _SKETCHED.asked(problem.d)
    return float_bits * floats / 2


ENTRIES: tuple[Row, ...] = (
    entry(
        "powersgd",
        Recipe(
            lambda step, _p, _t: PowerSGD(step, _RANK),
            (),
            LowRank(_RANK),
            stepsize_divisor=16.0,
            operators=(LowRank(2),),
            message_bits=_power_bits,
            why="the paper gives no convergence theorem; with Q kept from step to step one step "
            "is no contraction with a fixed delta, so the error-feedback theorems do not "
            "apply",
        ),
    ),
    entry(
        "gradiveq",
        Recipe(
            lambda step, _p, _t: GradiVeQ(step),
            (),
            SliceProjection(8, 2),
            stepsize_divisor=16.0,
            message_bits=lambda p, bits: float(p.d * bits),
            bits_vary=True,
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
            stepsize_divisor=16.0,
            operators=(CountSketch(3, 16),),
            message_bits=_sketch_bits,
            why="stated to order only, with a contraction that holds with high probability over "
            "the hashes",
            results=(sketched_sgd,),
        ),
    ),
)
