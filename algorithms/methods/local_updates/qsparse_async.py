"""Qsparse-local-SGD where every worker meets the server at its own times (Basu et al. 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.kernels.devices import put
from algorithms.memories.base import Memory, Round
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.constants import operator_constants
from algorithms.problems.base import Problem, require_int
from theory.constants import Constants
from theory.stepsizes import Stepsize


class QsparseState(NamedTuple):
    """Each worker's model, the model it last heard and its error memory ``[..., m, d]``; the
    server's model ``[..., 1, d]``.

    Attributes:
        x: the models ``[..., m, d]``.
        anchor: a_i, the model each worker heard last ``[..., m, d]``.
    """

    x: Tensor
    anchor: Tensor
    memory: Tensor
    server: Tensor


@final
@dataclass(frozen=True)
class AsyncQsparse(Method[QsparseState]):
    r"""Worker i meets the server alone, when H | t + 1 + o_i with o_i = \lfloor i H s / n \rfloor.

    There it sends C(e_i + a_i - x_i), a_i the model it heard last; the server takes \frac1n of it
    off its model, which the worker goes on from. Nobody waits. ``stagger`` s in [0, 1] spreads the
    meetings over a period: with s = 0 all meet at once, as in the synchronous form. (Basu, Data,
    Karakus, Diggavi 2019, arXiv:1906.02367, Algorithm 2, whose gaps are at most H.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        compressor: the operator C that messages go through.
        memory: the error memory e_i, which holds steps.

    Raises:
        ValueError: period < 1 or stagger outside [0, 1].
    """

    step_rule: Stepsize
    period: int
    compressor: Compressor
    memory: Memory[Tensor]
    stagger: float = 1.0

    def __post_init__(self) -> None:
        require_int("period", self.period, 1)
        if not 0 <= self.stagger <= 1:
            raise ValueError(f"stagger must lie in [0, 1], got stagger={self.stagger}")

    @property
    def name(self) -> str:
        parts = (f"asynchronous Qsparse-local-SGD, H={self.period}", self.compressor.name)
        return ", ".join((*parts, self.memory.name))

    def constants(self, problem: Problem) -> Constants:
        stated = problem.constants().merge(operator_constants(self.compressor, problem.d))
        return stated.state(H=self.period)

    def init(self, x0: Tensor, context: RunContext) -> QsparseState:
        x = context.rows(x0, len(context.network.workers))
        memory = self.memory.init(x.shape, x0.dtype, x0.device)
        return QsparseState(x, x, memory, context.rows(x0, 1))

    def meets(self, workers: Tensor, n: int, t: int) -> Tensor:
        """Whether each of ``workers`` ``[k]`` meets the server after step t (bool)."""
        offset = torch.floor(workers * (self.period * self.stagger) / n).to(torch.int64)
        return (t + 1 + offset) % self.period == 0

    def step(self, state: QsparseState, t: int, context: RunContext) -> QsparseState:
        network, memory = context.network, self.memory
        moved = state.x - self.step_rule(t) * context.gradient(state.x, t)
        hears = self.meets(torch.arange(network.n), network.n, t)  # on the host
        if not bool(hears.any()):
            return state._replace(x=moved)
        hears = put(hears, moved.device)
        sends = self.meets(network.workers, network.n, t)
        x = state.anchor - moved
        wanted, guide = memory.before(state.memory, x), memory.guide(state.memory, x)
        packet = context.pack(
            self.compressor.at_step(t), wanted, t, guide=guide, sends=sends.expand(x.shape[:-1])
        )
        mean, sent = network.average(packet)
        server = state.server - mean
        incoming = context.broadcast(server, hears, t)
        kept = memory.after(state.memory, Round(x, wanted, sent, mean))
        here = sends[:, None]
        return QsparseState(
            torch.where(here, incoming, moved),
            torch.where(here, incoming, state.anchor),
            torch.where(here, kept, state.memory),
            server,
        )

    def models(self, state: QsparseState) -> Tensor:
        return state.x
