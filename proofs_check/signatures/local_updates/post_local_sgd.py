"""Post-local SGD: as accurate as mini-batch SGD, whose last meetings it leaves out."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import row
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments.signature import Seen, Side, Signature
from proofs_check.signatures.local_updates.stage import (
    ERROR,
    UNEVEN,
    Y_LABEL,
    falling,
    played,
    reached,
    told,
    uneven,
)

_STEPS, _TARGET = 300, 0.03


def measure(side: Side) -> Seen:
    """Bits sent by a worker until the workers are accurate."""
    problem = uneven()
    step = falling(problem)
    method = row("post-local-sgd").tune(problem, _STEPS, step).method
    assert isinstance(method, LocalSGD)
    wanted = {
        Side.METHOD: method,
        Side.BASELINE: BSP(step),
        Side.FAULT: replace(method, period=1),
    }[side]
    return reached(played(wanted, problem, _STEPS, 48), _TARGET, "sent_bits")


SIGNATURE = Signature(
    row="post-local-sgd",
    problem=UNEVEN,
    effect="as accurate as mini-batch SGD, whose late meetings it leaves out",
    quantity=f"bits sent by a worker until {ERROR} = {_TARGET:g}",
    method="post-local SGD, H = 8 after half of the steps",
    baseline="BSP-SGD at the same stepsizes",
    fault="no local phase: H = 1 to the end",
    at_most=0.9,
    measure=measure,
    x_label="bits sent by a worker",
    y_label=Y_LABEL,
    source="Lin, Stich, Patel, Jaggi 2020, arXiv:1808.07217, Section 3",
    told=told(48),
    scales=("log", "log"),
)
