"""Sparse ternary compression: what the server sends is compressed too."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from algorithms.compressors.identity import Identity
from algorithms.memories.base import NoMemory
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bit_stage
from proofs_check.instruments.signature import Seen, Side, Signature
from theory.stepsizes import Stepsize

_TARGET = 0.05


def _made(side: Side, step: Stepsize) -> BSP:
    own = bit_stage.by_row("stc", step)
    assert isinstance(own, BSP)
    match side:
        case Side.METHOD:
            return own
        case Side.BASELINE:
            return BSP(step)
        case Side.FAULT:
            return replace(own, downlink=Identity(), server_memory=NoMemory())


def measure(side: Side) -> Seen:
    """Bits of a worker both ways until f - f* is at most the target, at its best stepsize."""
    return bit_stage.bits_at_best(
        partial(_made, side), _TARGET, bit_stage.problem(), both=True, replicas=1,
        grid=bit_stage.COARSE,
    )  # fmt: skip


SIGNATURE = Signature(
    row="stc",
    problem=bit_stage.ABOUT,
    effect="ternary entries in both directions take less than a fifth of the bits, where "
    "compressing only what workers send cannot even halve them",
    quantity=f"bits a worker sends and receives until f - f* <= {_TARGET} [bit]",
    method="sparse ternary compression both ways, k = d/4",
    baseline="BSP with full gradients",
    fault="the server's answer is not compressed",
    at_most=0.2,
    measure=measure,
    x_label="bits a worker sends and receives",
    y_label="f(x_t) - f* [f]",
    source="Sattler, Wiedemann, Mueller, Samek 2019, arXiv:1903.02891, Section V: extended to "
    "downstream compression",
    told=f"{bit_stage.TOLD_TUNED}; nothing is drawn",
)
