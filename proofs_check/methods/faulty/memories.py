"""Memories with one fault each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.memories.base import Memory, Round
from algorithms.memories.momentum_correction import Corrected, MomentumCorrection


@dataclass(frozen=True)
class WrongCorrection(Memory[Corrected]):
    """Starts as momentum correction does; members read or keep something else.

    Attributes:
        m: the momentum.
    """

    m: float

    holds_steps: ClassVar[bool] = True

    title: ClassVar[str]
    """What reports call the fault."""

    @property
    def name(self) -> str:
        return self.title

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Corrected:
        return MomentumCorrection(self.m).init(shape, dtype, device)


@final
@dataclass(frozen=True)
class PrintedCorrection(WrongCorrection):
    r"""v_t = v_{t-1} + u_t, never reduced by what was sent: the survey's box (erratum E30)."""

    title = "momentum correction as printed"

    def before(self, state: Corrected, x: Tensor) -> Tensor:
        return MomentumCorrection(self.m).before(state, x)

    def after(self, state: Corrected, round_: Round) -> Corrected:
        return Corrected(self.m * state.u + round_.x, round_.wanted)
