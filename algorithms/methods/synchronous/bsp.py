"""Bulk synchronous parallel SGD with any compressor and memory, up and down."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, final

from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.memories.base import Memory, NoMemory, Round
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.constants import operator_constants, two_way_constants
from algorithms.optimizers.base import SGD, Optimizer
from algorithms.optimizers.proximal import NoProximal, Proximal
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.server import ServerParts, server_block
from algorithms.problems.base import Problem
from algorithms.transforms.base import NoTransform, Transform
from theory.constants import Constants
from theory.stepsizes import Stepsize


class BSPState(NamedTuple):
    """The server's model ``[..., 1, d]``; the memories of workers and server; the optimizer's.

    Attributes:
        x: the server's model ``[..., 1, d]``.
        memory: what the workers did not send, as their memory keeps it.
        velocity: the optimizer's state.
    """

    x: Tensor
    memory: Any
    server: Any
    velocity: Any


@final
@dataclass(frozen=True)
class BSP(Method[BSPState]):
    r"""x_{t+1} = x_t - \gamma_t D(\frac1n \sum_i C(g_i(x_t))), C on the workers, D on the server.

    With error feedback the workers send C(gamma_t g_i + e_i) and keep the rest; a server memory
    does the same with D. Where D is the identity the server sends the mean, uncompressed.
    ``transform`` acts on gradients (clipping), ``optimizer`` on the step that all take (momentum),
    ``proximal`` on the model. (Bottou, Curtis, Nocedal 2018, arXiv:1606.04838; Alistarh et al.
    2017, arXiv:1610.02132; Stich, Cordonnier, Jaggi 2018, arXiv:1809.07599, Algorithm 1 for n = 1;
    Zheng, Huang, Kwok 2019, arXiv:1905.10936 for both ways.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        compressor: C, for gradients on their way up.
        downlink: D, for the step on its way down.
        server_memory: what the server remembers of what D left out.
    """

    step_rule: Stepsize
    compressor: Compressor = field(default_factory=Identity)
    memory: Memory[Any] = field(default_factory=NoMemory)
    downlink: Compressor = field(default_factory=Identity)
    server_memory: Memory[Any] = field(default_factory=NoMemory)
    transform: Transform = field(default_factory=NoTransform)
    optimizer: Optimizer[Any] = field(default_factory=SGD)
    proximal: Proximal = field(default_factory=NoProximal)

    shared_model: ClassVar[bool] = True

    @property
    def name(self) -> str:
        parts = ["BSP-SGD", self.compressor.name, self.memory.name]
        if self.two_way:
            parts += [f"down {self.downlink.name}", self.server_memory.name]
        parts += [] if isinstance(self.transform, NoTransform) else [self.transform.name]
        parts += [] if isinstance(self.optimizer, SGD) else [self.optimizer.name]
        parts += [] if isinstance(self.proximal, NoProximal) else [self.proximal.name]
        return ", ".join(parts)

    @property
    def two_way(self) -> bool:
        """Whether the server compresses what it sends."""
        return not isinstance(self.downlink, Identity)

    @property
    def server_operator(self) -> Compressor:
        return self.downlink

    def constants(self, problem: Problem) -> Constants:
        stated = problem.constants()
        if not isinstance(self.memory, NoMemory):
            stated = stated.uniform("G2")  # iterates with a residual are no convex combinations
        plain = (NoTransform, SGD, NoProximal)
        parts = (self.transform, self.optimizer, self.proximal)
        if not all(isinstance(part, kind) for part, kind in zip(parts, plain, strict=True)):
            return stated  # nothing of the operators: theorems are about the plain step
        if self.two_way:
            return stated.merge(two_way_constants(self.compressor, self.downlink, problem.d))
        return stated.merge(operator_constants(self.compressor, problem.d))

    def reach(self, d: int) -> float:
        return self.proximal.reach(d)

    def init(self, x0: Tensor, context: RunContext) -> BSPState:
        rows, x = context.rows(x0, len(context.network.workers)), context.rows(x0, 1)
        return BSPState(
            x,
            self.memory.init(rows.shape, x0.dtype, x0.device),
            self.server_memory.init(x.shape, x0.dtype, x0.device),
            self.optimizer.init(x),
        )

    def step(self, state: BSPState, t: int, context: RunContext) -> BSPState:
        gamma, memory = self.step_rule(t), self.memory.at_step(t)
        g = self.transform.apply(context.gradient(state.x, t), context.network.n)
        x = gamma * g if memory.holds_steps else g
        wanted = memory.before(state.memory, x)
        guide = memory.guide(state.memory, x)
        packet = context.pack(self.compressor.at_step(t), wanted, t, guide=guide)
        mean, sent = context.network.average(packet)
        step, server = self._answer(state, mean, gamma, t, context)
        velocity, move = self.optimizer.update(state.velocity, step, state.x, gamma)
        moved = self.proximal.apply(state.x - move, gamma, t)
        kept = memory.after(state.memory, Round(x, wanted, sent, mean))
        return BSPState(moved, kept, server, velocity)

    def _answer(
        self, state: BSPState, mean: Tensor, gamma: float, t: int, context: RunContext
    ) -> tuple[Tensor, Any]:
        """The step all take after hearing from the server, and the server's memory."""
        steps = self.memory.holds_steps
        if not self.two_way:
            incoming = context.published(mean, t)
            return incoming if steps else gamma * incoming, state.server
        memory = self.server_memory.at_step(t)
        x = gamma * mean if memory.holds_steps and not steps else mean
        wanted = memory.before(state.server, x)
        incoming = context.network.publish(context.pack_server(self.downlink.at_step(t), wanted, t))
        step = incoming if memory.holds_steps or steps else gamma * incoming
        return step, memory.after(state.server, Round(x, wanted, incoming, incoming))

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        parts = ServerParts(
            self.step_rule, self.compressor, self.memory, self.downlink, self.server_memory,
            self.transform, self.optimizer, self.proximal,
        )  # fmt: skip
        return server_block(context, t, parts)

    def models(self, state: BSPState) -> Tensor:
        return state.x
