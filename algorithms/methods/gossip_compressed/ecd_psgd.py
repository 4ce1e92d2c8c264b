"""ECD-PSGD: gossip over estimates that neighbours make of extrapolated models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from torch import Tensor

from algorithms.methods.base import RunContext
from algorithms.methods.parts.public_copies import PublicCopies, PublicCopiesState
from algorithms.network.base import Exchanged
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.row_programs import Register, blend, copy, mixed, sent


@final
@dataclass(frozen=True)
class ECDPSGD(PublicCopies):
    r"""x_i^{t+1} = \sum_j W_{ij} \tilde x_j^t - \gamma_t g_i(x_i^t), with s = t + 1 = 1, 2, ...

    z_i = (1 - s/2) x_i^t + (s/2) x_i^{t+1} is compressed and sent, and everybody estimates
    \tilde x_i^{t+1} = (1 - 2/s) \tilde x_i^t + (2/s) C(z_i). (Tang, Gan, Zhang, Zhang, Liu 2018,
    arXiv:1803.06443, Algorithm 2.)

    Without error \tilde x = x. z grows like s ||x^{t+1} - x^t||, so the noise of C must be bounded
    absolutely, E||C(z) - z||^2 \le \tilde\sigma^2/2: then E||\tilde x^s - x^s||^2 falls as 1/s
    (exactly: ``theory.networks.compressed_gossip.ecd_estimate_error``).

    Raises:
        ValueError: a topology that changes with time.
    """

    title: ClassVar[str] = "ECD-PSGD"

    def message(self, x: Tensor, half: Tensor, t: int) -> Tensor:
        s = t + 1
        return (1 - s / 2) * x + (s / 2) * half

    def moved(
        self, state: PublicCopiesState, half: Tensor, incoming: Exchanged, t: int
    ) -> PublicCopiesState:
        s = t + 1
        return PublicCopiesState(half, (1 - 2 / s) * state.mixed + (2 / s) * incoming.result)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, around, half, ahead, said, incoming, new = (Register() for _ in range(7))
        rest = (
            blend(ahead, lambda s: 1 - (s + 1) / 2, x, lambda s: (s + 1) / 2, half),
            sent(said, ahead),
            copy(x, half),
            mixed(incoming, said),
            blend(new, lambda s: 1 - 2 / (s + 1), around, lambda s: 2 / (s + 1), incoming),
        )
        return self.block_of(context, t, (x, around), half, rest, ((around, new),))
