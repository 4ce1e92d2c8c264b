"""AdaComp: every bin sends as much as its latest gradient lifts to its largest residual."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from algorithms.memories.base import NoMemory
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bit_stage
from proofs_check.instruments.signature import Seen, Side, Signature
from theory.stepsizes import Stepsize

_TARGET = 0.05


def _made(side: Side, step: Stepsize) -> BSP:
    own = bit_stage.by_row("adacomp", step)
    assert isinstance(own, BSP)
    match side:
        case Side.METHOD:
            return own
        case Side.BASELINE:
            return BSP(step)
        case Side.FAULT:
            return replace(own, memory=NoMemory())


def measure(side: Side) -> Seen:
    """Bits of a worker until f - f* is at most the target, each side at its best stepsize."""
    return bit_stage.bits_at_best(
        partial(_made, side), _TARGET, bit_stage.problem(), replicas=1, grid=bit_stage.COARSE
    )


SIGNATURE = Signature(
    row="adacomp",
    problem=bit_stage.ABOUT,
    effect="bins that choose their rate from residual and latest gradient take a small part of "
    "the bits of full gradients, without a rate to set",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="AdaComp, bins of 10",
    baseline="BSP with full gradients",
    fault="residuals are forgotten: a bin knows its latest gradient alone",
    at_most=0.4,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Chen, Choi, Brand, Agrawal, Zhang, Gopalakrishnan 2018, arXiv:1712.02679, Algorithm 2",
    told=f"{bit_stage.TOLD_TUNED}; nothing is drawn",
)
