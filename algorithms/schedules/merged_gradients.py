"""MG-WFBP: consecutive gradients merged where waiting costs less than another start-up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from algorithms.schedules.base import CommunicationSchedule, Messages, merged_messages
from algorithms.schedules.carrier import Carrier
from algorithms.schedules.step import TrainingStep
from theory.seconds.costs import AlphaBeta
from theory.seconds.merging import best_groups
from theory.seconds.sparse_times import merged


@final
@dataclass(frozen=True)
class MergedGradients(CommunicationSchedule):
    """Shi, Chu, Li 2019 (arXiv:1811.11141), Algorithm 1; or the best partition there is.

    The paper's rule decides gradient by gradient. It is optimal only where a merge never keeps the
    next gradient from a better one: with alpha = 1, beta = 1, sizes 1/2, 1, 1 ready at 0, 9/10 and
    39/20 it ends at 27/5, the best partition at 99/20.

    Attributes:
        greedy: the paper's rule; else the optimum by dynamic programming, for any start-up and
            bandwidth, a device that slows the channel included.
    """

    greedy: bool = False

    @property
    def name(self) -> str:
        return "MG-WFBP, greedy" if self.greedy else "MG-WFBP"

    def groups(self, step: TrainingStep, carrier: Carrier) -> tuple[int, ...]:
        """Sizes of the groups in the order in which gradients become ready.

        Raises:
            ValueError: the carrier has several channels, between which start-ups overlap.
        """
        if len(carrier.channels) > 1:
            raise ValueError(
                f"carrier must have one channel, got {len(carrier.channels)}; merging saves "
                "start-ups of all-reduces"
            )
        channel = carrier.whole
        if self.greedy:
            link = AlphaBeta(channel.alpha, channel.beta)
            return merged(step.ready.tolist(), step.bits.tolist(), link)
        return best_groups(
            step.ready, step.bits, lambda start, m: channel.ends(start, m, step.backward_end)
        )

    def messages(self, step: TrainingStep, carrier: Carrier) -> Messages:
        return merged_messages(step, self.groups(step, carrier))


MERGED = MergedGradients()
GREEDY = MergedGradients(greedy=True)

SCHEDULES_BY_NAME = (("mg-wfbp", MERGED), ("mg-wfbp-greedy", GREEDY))
