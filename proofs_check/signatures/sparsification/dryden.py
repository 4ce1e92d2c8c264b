"""Dryden et al.: thresholds of a fixed proportion, so that two means and places are enough."""

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
    own = bit_stage.by_row("dryden", step)
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
    row="dryden",
    problem=bit_stage.ABOUT,
    effect="a fixed share of the positive and of the negative entries, each side by its mean, "
    "takes less than half of the bits of full gradients at their best stepsize",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="adaptive thresholds, pi = 0.1",
    baseline="BSP with full gradients",
    fault="what is not sent is forgotten",
    at_most=0.45,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Dryden, Jacobs, Moon, Van Essen 2016 (MLHPC), Section 3: adaptive quantisation",
    told=f"{bit_stage.TOLD_TUNED}; nothing is drawn",
)
