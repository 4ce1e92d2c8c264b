"""BSP without overlap: one message of all gradients when the backward pass is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from algorithms.schedules.base import CommunicationSchedule, Messages, merged_messages
from algorithms.schedules.carrier import Carrier
from algorithms.schedules.step import TrainingStep


@final
@dataclass(frozen=True)
class BulkSchedule(CommunicationSchedule):
    """Compute, then communicate (Shi et al. 2020, arXiv:2005.13247, survey 001, Fig. 1)."""

    @property
    def name(self) -> str:
        return "BSP, no overlap"

    def messages(self, step: TrainingStep, carrier: Carrier) -> Messages:
        every = merged_messages(step, (len(step.bits),))
        return every._replace(ready=every.ready * 0 + step.backward_end)


BULK = BulkSchedule()

SCHEDULES_BY_NAME = (("bsp", BULK),)
