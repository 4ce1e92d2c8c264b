"""DeMo, decoupled momentum (Peng, Quesnelle, Kingma 2024, arXiv:2411.19870)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.top_k import TopK
from algorithms.core.decays import require_decay
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.all_gather import gathered_sum
from algorithms.methods.parts.cosine_transform import CosineTransform
from algorithms.problems.base import Problem, require_int
from theory.constants import Constants
from theory.stepsizes import Stepsize


class DeMoState(NamedTuple):
    """The model that all hold, and each worker's momentum.

    Attributes:
        x: the model ``[..., 1, d]``.
        momentum: coefficients of M_i in the basis of the transform ``[..., m, d]``.
    """

    x: Tensor
    momentum: Tensor


@final
@dataclass(frozen=True)
class DeMo(Method[DeMoState]):
    r"""Workers send the fastest components of their momenta, and go on with what they did not send.

    M_i = \beta M_i + g_i; q_i = the k coefficients of largest magnitude of the cosine transform of
    each chunk of M_i; M_i -= q_i; all-gather; x -= \gamma sign(\sum_i q_i), back from the transform
    (Algorithm 1). M_i is kept as coefficients, which is the same as the transform is linear and
    orthonormal, and what was sent is gone exactly. sign(0) = 0: such a coordinate stays.

    With k = ``chunk`` nothing stays and \beta has no effect: it is sign descent. Nothing makes good
    for what the sign does, so that constant steps end in cycles of size \gamma.

    Attributes:
        step_rule: the stepsizes \gamma_t [x] by step t.
        chunk: numbers in a chunk; the last one of a row may have fewer, and sends as large a share.
        k: coefficients sent of each chunk.
        beta: \beta, decay of the momenta.
        decoupled: whether what was sent is taken off M_i.

    Raises:
        ValueError: k outside [1, chunk], beta outside [0, 1).
    """

    step_rule: Stepsize
    chunk: int
    k: int
    beta: float = 0.999
    decoupled: bool = True

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_int("chunk", self.chunk, 1)
        require_int("k", self.k, 1, self.chunk)
        require_decay("beta", self.beta)

    @property
    def name(self) -> str:
        tail = "" if self.decoupled else ", not decoupled"
        return f"DeMo({self.k} of {self.chunk}, beta={self.beta:g}{tail})"

    @property
    def transform(self) -> CosineTransform:
        """The transform of each chunk."""
        return CosineTransform(self.chunk)

    @property
    def operator(self) -> Buckets:
        """The compressor of coefficients: the largest of every chunk."""
        return Buckets(TopK(self.k / self.chunk), self.chunk)

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().uniform("G2")

    def init(self, x0: Tensor, context: RunContext) -> DeMoState:
        rows = context.rows(x0, len(context.network.workers))
        return DeMoState(context.rows(x0, 1), torch.zeros_like(rows))

    def step(self, state: DeMoState, t: int, context: RunContext) -> DeMoState:
        g = self.transform.forward(context.gradient(state.x, t))
        momentum = self.beta * state.momentum + g
        packet = context.pack(self.operator, momentum, t)
        incoming = gathered_sum(packet, context)
        step = self.transform.inverse(incoming).sign()
        sent = packet.own(context.network.workers) if self.decoupled else 0
        return DeMoState(state.x - self.step_rule(t) * step, momentum - sent)

    def models(self, state: DeMoState) -> Tensor:
        return state.x
