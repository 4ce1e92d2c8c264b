"""Blocks by turns: m steps are one of gradient descent, and it converges linearly."""

from __future__ import annotations

from algorithms.compressors.blocks import BlockInTurn
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.variance_reduced.convergence import reaches
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

_N, _D = 4, 32


def turns() -> Verdict:
    """After m K steps by turns the model is that of gradient descent after K steps."""
    problem = Quadratic.strongly_convex(_N, _D, sigma2=0.0, zeta2=1.0)
    step, cycles = ConstantStep(1.0), 12
    blocks = models(BSP(step, BlockInTurn(8)), problem, 8 * cycles)[::8]
    return identity(
        "bcd",
        "m K steps by turns = K steps of gradient descent on a separable function",
        blocks.numpy(),
        models(BSP(step), problem, cycles).numpy(),
        check="closed form BCD",
        problem=problem.name,
        provenance=f"Beck, Tetruashvili 2013 (cyclic, linear rate); {cycles} cycles of 8 blocks",
    )


def bcd() -> tuple[Verdict, ...]:
    """Turns on separable functions; linear convergence by turns and by lot."""
    return (
        turns(),
        reaches("bcd", lambda s: BSP(s, BlockInTurn(4)), 1.0, 1500, "cyclic block descent"),
        reaches("bcd", lambda s: BSP(s, BlockInTurn(4, lot=0)), 1.0, 1500, "block descent by lot"),
    )


CLOSED_FORMS = (bcd,)
