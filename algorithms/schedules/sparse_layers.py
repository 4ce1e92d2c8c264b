"""Layer-wise sparsification inside another schedule: select, then send what was selected."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

from algorithms.schedules.base import CommunicationSchedule, Messages
from algorithms.schedules.carrier import Carrier
from algorithms.schedules.merged_gradients import MERGED
from algorithms.schedules.step import TrainingStep
from algorithms.schedules.wait_free import WAIT_FREE
from theory.arrays import Floats, Ints


@final
@dataclass(frozen=True)
class SparseLayers(CommunicationSchedule):
    """A share of every gradient, chosen on the device behind its layer's backward pass.

    Around WFBP this is LAGS (Shi et al. 2019, arXiv:1911.08727), around MG-WFBP merged
    sparsification (Shi et al. 2020, INFOCOM, OMGS); the carrier is an all-gather.

    Attributes:
        inner: when the messages are sent.
        kept: share of the entries that is sent, at least one entry of a tensor.
        entry_bits: bits of an entry that is sent, index and value.
        selection: seconds of selecting for each entry of a tensor.

    Raises:
        ValueError: kept outside (0, 1], entry_bits not positive, or a negative selection.
    """

    inner: CommunicationSchedule = WAIT_FREE
    kept: float = 0.001
    entry_bits: float = 64.0
    selection: float = 0.0

    def __post_init__(self) -> None:
        if not (0 < self.kept <= 1 and self.entry_bits > 0 and self.selection >= 0):
            raise ValueError(
                "kept must lie in (0, 1], entry_bits be positive and selection at least 0, got "
                f"kept={self.kept}, entry_bits={self.entry_bits}, selection={self.selection}"
            )

    @property
    def name(self) -> str:
        return f"{self.inner.name}, {self.kept:.3g} of every tensor"

    @property
    def credit(self) -> float:
        return self.inner.credit

    def prepared(self, step: TrainingStep) -> TrainingStep:
        spent = [0.0] * len(step.names)
        for tensor in step.tensors:
            spent[tensor.layer] += self.selection * tensor.bits / 32
        tensors = tuple(
            t._replace(bits=self.entry_bits * math.ceil(self.kept * t.bits / 32))
            for t in step.tensors
        )
        return self.inner.prepared(replace(step, tensors=tensors, selection=tuple(spent)))

    def messages(self, step: TrainingStep, carrier: Carrier) -> Messages:
        return self.inner.messages(step, carrier)

    def ready_behind(self, channel: int, arrivals: Floats) -> Floats:
        return self.inner.ready_behind(channel, arrivals)

    def rank_on(self, channel: int, messages: Messages, step: TrainingStep) -> Ints:
        return self.inner.rank_on(channel, messages, step)


LAGS = SparseLayers()
MERGED_SPARSE = SparseLayers(MERGED)

SCHEDULES_BY_NAME = (("lags", LAGS), ("merged-sparse", MERGED_SPARSE))
