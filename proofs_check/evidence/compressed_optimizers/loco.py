"""LoCo (Xie et al. 2024, arXiv:2407.04480): closed forms, and the faults they refute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.nearest_grid import NearestGrid
from algorithms.engine.run import run
from algorithms.memories.base import Memory, Round
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.moving_average_feedback import MovingAverageFeedback
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.evidence.compressed_optimizers import (
    CENTRES,
    CURVATURES,
    UNEQUAL_PAIR,
    in_single,
)
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.paths import models
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_LOCO = ClosedForms("loco", UNEQUAL_PAIR)
_GAMMA, _BITS, _STEPS, _B, _RESET = 0.125, 2, 30, 0.25, 7


def loco(memory: Memory[Any] | None = None) -> BSP:
    """Gradients of two bits; the memory is a quarter of each new error, reset every 7 steps."""
    kept = MovingAverageFeedback(_B, _RESET) if memory is None else memory
    return BSP(ConstantStep(_GAMMA), NearestGrid(_BITS), kept)


def _nearest(x: Floats) -> Floats:
    """Rows ``[m, d]`` at the nearest of 4 points from -R to R, R a row's largest magnitude."""
    radius = np.abs(x).max(1, keepdims=True)
    points = radius * np.array([-1.0, -1 / 3, 1 / 3, 1.0])
    nearest = np.abs(x[:, :, None] - points[:, None, :]).argmin(-1)
    return np.take_along_axis(points, nearest, 1)


@_LOCO.case("closed form", f"{_STEPS} steps, gamma {_GAMMA}, b = {_B}, reset every {_RESET}")
def loco_path(memory: Memory[Any] | None = None) -> Verdict:
    """The rule by hand: h = g + e, e = (1 - b) e + b (h - Q(h)), 0 again every 7 steps."""
    a, b = CURVATURES.numpy(), CENTRES.numpy()
    x, e, seen = np.zeros(4), np.zeros_like(a), [np.zeros(4)]
    for t in range(_STEPS):
        e = 0 * e if t % _RESET == 0 else e
        h = a * (x - b) + e
        e = (1 - _B) * e + _B * (h - _nearest(h))
        x = x - _GAMMA * _nearest(h).mean(0)
        seen.append(x)
    found = models(loco(memory), UNEQUAL_PAIR, _STEPS)[:, 0]
    return same("models are those of the rule by hand", found, np.array(seen), tolerance=1e-10)


@_LOCO.case("equivalence", f"b = 1, no reset, gamma = 1/8, {_STEPS} steps")
def loco_is_feedback(memory: Memory[Any] | None = None) -> Verdict:
    """b = 1 without reset is error feedback, bit for bit: that holds steps, which are gradients
    times a power of 2, and the grid scales with them."""
    kept = MovingAverageFeedback(1.0) if memory is None else memory
    mine, theirs = (models(loco(one), UNEQUAL_PAIR, _STEPS) for one in (kept, ErrorFeedback()))
    return same("models are those of error feedback", mine, theirs, tolerance=0.0)


@_LOCO.case("closed form", "b = 1/4, errors of one kind", on="one error for ever")
def loco_average(memory: Memory[Any] | None = None) -> Verdict:
    """Of equal errors E the average is (1 - (1 - b)^t) E after t steps: it does not add up, as
    error feedback does to t E."""
    kept = MovingAverageFeedback(_B) if memory is None else memory
    error = torch.tensor([[2.0, -1.0]], dtype=torch.float64)
    state = kept.init(error.shape, error.dtype, error.device)
    seen = []
    for _ in range(12):
        wanted = kept.before(state, torch.zeros_like(error))
        state = kept.after(state, Round(wanted, wanted, wanted - error, error))
        seen.append(state[0].tolist())
    want = [[(1 - (1 - _B) ** t) * v for v in (2.0, -1.0)] for t in range(1, 13)]
    return same("e_t = (1 - (1 - b)^t) E", seen, want)


@_LOCO.case("bits", "float32, two bits, d = 4")
def loco_bits() -> Verdict:
    """b d + 32 up, a mean of 32 d down."""
    trace = run(loco(), in_single(), steps=10, points=11)
    steps = np.arange(11.0)
    return same(
        "bits of a worker, up and down", np.stack([trace.sent_bits[0], trace.received_bits[0]]),
        np.stack([(2 * 4 + 32) * steps, 32 * 4 * steps]),
    )  # fmt: skip


CLOSED_FORMS = (_LOCO,)


# Faults planted in LoCo's memory, each refuted by a closed form of its row.


@final
@dataclass(frozen=True)
class AveragedInputs(Memory[Tensor]):
    """Average of what was to be sent, not of what was left out of it.

    Attributes:
        b: weight of the newest input.
    """

    b: float

    after_reads: ClassVar[frozenset[str]] = frozenset({"wanted", "sent"})

    @property
    def name(self) -> str:
        return "moving average of inputs"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
        return torch.zeros(shape, dtype=dtype, device=device)

    def before(self, state: Tensor, x: Tensor) -> Tensor:
        return state + x

    def after(self, state: Tensor, round_: Round) -> Tensor:
        return (1 - self.b) * state + self.b * round_.wanted


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "LoCo that never resets", "the average is not forgotten at intervals", loco_path,
        MovingAverageFeedback(0.25),
    ),
    fault(
        "LoCo of the newest error", "e is the last error whole, not an average", loco_path,
        MovingAverageFeedback(1.0, 7),
    ),
    fault(
        "LoCo that forgets", "e is always 0", loco_is_feedback, MovingAverageFeedback(0.0),
    ),
    fault("LoCo of inputs", "e averages inputs, not errors", loco_path, AveragedInputs(0.25)),
    fault(
        "error feedback as LoCo", "errors add up, where their average stays", loco_average,
        ErrorFeedback(),
    ),
)  # fmt: skip
