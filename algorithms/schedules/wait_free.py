"""Wait-free backpropagation: every gradient leaves as soon as it is there, in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from algorithms.schedules.base import CommunicationSchedule, Messages, merged_messages
from algorithms.schedules.carrier import Carrier
from algorithms.schedules.step import TrainingStep


@final
@dataclass(frozen=True)
class WaitFreeBackpropagation(CommunicationSchedule):
    """WFBP (Zhang et al. 2017, Poseidon, arXiv:1706.03292; Awan et al. 2017, S-Caffe)."""

    @property
    def name(self) -> str:
        return "WFBP"

    def messages(self, step: TrainingStep, carrier: Carrier) -> Messages:
        return merged_messages(step, (1,) * len(step.bits))


WAIT_FREE = WaitFreeBackpropagation()

SCHEDULES_BY_NAME = (("wfbp", WAIT_FREE),)
