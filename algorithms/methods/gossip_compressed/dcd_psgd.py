"""DCD-PSGD: gossip over compressed differences of models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from torch import Tensor

from algorithms.methods.base import RunContext
from algorithms.methods.parts.public_copies import PublicCopies, PublicCopiesState
from algorithms.network.base import Exchanged
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.row_programs import Register, mixed, plus_scaled, sent, subtract


@final
@dataclass(frozen=True)
class DCDPSGD(PublicCopies):
    r"""x_i^{t+1/2} = \sum_j W_{ij} \hat x_j^t - \gamma_t g_i(x_i^t),
    z_i = C(x_i^{t+1/2} - x_i^t), x_i^{t+1} = x_i^t + z_i. (Tang, Gan, Zhang, Zhang, Liu 2018,
    arXiv:1803.06443, Algorithm 1.)

    Neighbours add z_j to their copy of x_j, so that \hat x_j = x_j always: the model itself moves
    by what was sent, and the error of C enters it. Convergence asks of an unbiased C with
    $E\|C(z) - z\|^2 \le \alpha^2 \|z\|^2$ that $(1 - \lambda)^2 > 4 \mu^2 \alpha^2$,
    $\mu = \max_{i \ge 2} |\lambda_i - 1|$ (:mod:`theory.networks.compressed_gossip`).

    Raises:
        ValueError: a topology that changes with time.
    """

    title: ClassVar[str] = "DCD-PSGD"

    def message(self, x: Tensor, half: Tensor, t: int) -> Tensor:
        return half - x

    def moved(
        self, state: PublicCopiesState, half: Tensor, incoming: Exchanged, t: int
    ) -> PublicCopiesState:
        return PublicCopiesState(state.x + incoming.own, state.mixed + incoming.result)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, around, half, apart, said, incoming = (
            Register(),
            Register(),
            Register(),
            Register(),
            Register(),
            Register(),
        )
        rest = (
            subtract(apart, half, x),
            sent(said, apart),
            plus_scaled(x, x, 1.0, said),
            mixed(incoming, said),
            plus_scaled(around, around, 1.0, incoming),
        )
        return self.block_of(context, t, (x, around), half, rest)
