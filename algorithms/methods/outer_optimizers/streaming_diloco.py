"""Streaming DiLoCo (Douillard et al. 2025, arXiv:2501.18512): fragments meet in turn, and late."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method, RunContext
from algorithms.optimizers.base import SGD, Optimizer
from algorithms.optimizers.outer import BlockMomentum
from algorithms.problems.base import Problem, require_int
from theory.constants import Constants
from theory.stepsizes import Stepsize

_NESTEROV = BlockMomentum(0.9, 0.7, nesterov=True)


class StreamingState(NamedTuple):
    """Local models ``[..., m, d]`` and inner states; the server's rows ``[..., 1, d]``.

    Attributes:
        x: the local models ``[..., m, d]``.
        inner: the state of ``optimizer``, which stays with its worker.
        anchor: the server's model, every fragment as of its last meeting.
        outer: the velocity of ``outer``, of every fragment its own.
        mean: mean local models of fragments that were sent and are not applied yet.
    """

    x: Tensor
    inner: Any
    anchor: Tensor
    outer: Tensor
    mean: Tensor


@final
@dataclass(frozen=True)
class StreamingDiLoCo(Method[StreamingState]):
    r"""DiLoCo in ``fragments`` P of the coordinates: every H/P steps the next one is sent.

    After step t fragment p sends C(a_p - x_p), a the model that it was last set to; ``delay`` \tau
    steps later the outer optimiser moves a_p, and x_p = \alpha x_p + (1 - \alpha) a_p, \alpha the
    ``mix``. (Algorithm 2; C has four bits there.) One fragment without delay, mix and compression
    is DiLoCo, bit for bit.

    Attributes:
        step_rule: the local stepsizes \gamma_t [x^2 / f] by step t.
        period: H, steps between two meetings of one fragment.
        optimizer: what takes the local steps; its state stays with its worker.
        outer: the outer optimiser, one of each fragment's own.
        compressor: C, of what a fragment changed by.

    Raises:
        ValueError: period < 1, fragments that do not divide it, a delay outside [0, H) or a mix
            outside [0, 1).
    """

    step_rule: Stepsize
    period: int
    fragments: int
    optimizer: Optimizer[Any] = field(default_factory=SGD)
    outer: BlockMomentum = _NESTEROV
    delay: int = 0
    mix: float = 0.0
    compressor: Compressor = field(default_factory=Identity)

    def __post_init__(self) -> None:
        require_int("period", self.period, 1)
        require_int("fragments", self.fragments, 1)
        if self.period % self.fragments:
            raise ValueError(
                f"fragments must divide period={self.period}, got fragments={self.fragments}; "
                "else some fragment would never meet or meet out of turn"
            )
        require_int("delay", self.delay, 0, self.period - 1)
        if not 0 <= self.mix < 1:
            raise ValueError(f"mix must lie in [0, 1), got mix={self.mix}; 1 never hears of others")

    @property
    def every(self) -> int:
        """Steps between the meetings of one fragment and the next: H/P."""
        return self.period // self.fragments

    @property
    def name(self) -> str:
        parts = [f"streaming DiLoCo, H={self.period}, {self.fragments} fragments"]
        parts += [] if isinstance(self.optimizer, SGD) else [self.optimizer.name]
        parts += [f"delay {self.delay}"] if self.delay else []
        parts += [f"mix {self.mix:g}"] if self.mix else []
        parts += [] if isinstance(self.compressor, Identity) else [self.compressor.name]
        return ", ".join(parts)

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()  # without H: theorems on local SGD are about plain averages

    def places(self, number: int, d: int) -> slice:
        """Coordinates of fragment ``number`` of a model in R^d."""
        return slice(number * d // self.fragments, (number + 1) * d // self.fragments)

    def sent_at(self, t: int) -> int | None:
        """Fragment that is sent after step t; None: there is none."""
        if t < 0 or (t + 1) % self.every:
            return None
        return ((t + 1) // self.every - 1) % self.fragments

    def init(self, x0: Tensor, context: RunContext) -> StreamingState:
        if x0.shape[-1] < self.fragments:
            raise ValueError(
                f"fragments must be at most d={x0.shape[-1]}, got fragments={self.fragments}"
            )
        x, anchor = context.rows(x0, len(context.network.workers)), context.rows(x0, 1)
        inner, outer = self.optimizer.init(x), self.outer.init(anchor)
        return StreamingState(x, inner, anchor, outer, torch.zeros_like(anchor))

    def step(self, state: StreamingState, t: int, context: RunContext) -> StreamingState:
        g = context.gradient(state.x, t)
        inner, x = self.optimizer.descend(state.inner, g, state.x, self.step_rule(t))
        state = state._replace(x=x, inner=inner)
        if (sent := self.sent_at(t)) is not None:
            state = self.send(state, sent, t, context)
        if (due := self.sent_at(t - self.delay)) is not None:
            state = self.apply(state, due, t, context)
        return state

    def send(
        self, state: StreamingState, number: int, t: int, context: RunContext
    ) -> StreamingState:
        """The state after all have sent fragment ``number``."""
        here = self.places(number, state.x.shape[-1])
        x, anchor = state.x[..., here], state.anchor[..., here]
        if isinstance(self.compressor, Identity):
            mean, _ = context.network.average(context.pack(self.compressor, x.contiguous(), t))
        else:
            packet = context.pack(self.compressor.at_step(t), (anchor - x).contiguous(), t)
            mean = anchor - context.network.average(packet).result
        return state._replace(mean=_with(state.mean, here, mean))

    def apply(
        self, state: StreamingState, number: int, t: int, context: RunContext
    ) -> StreamingState:
        """The state once the workers have heard of fragment ``number``."""
        here = self.places(number, state.x.shape[-1])
        velocity, anchor = self.outer.update(
            state.outer[..., here], state.anchor[..., here], state.mean[..., here]
        )
        told = context.published(anchor.contiguous(), t)
        mixed = told
        if self.mix:
            mixed = self.mix * state.x[..., here] + (1 - self.mix) * told
        return state._replace(
            x=_with(state.x, here, mixed),
            anchor=_with(state.anchor, here, told),
            outer=_with(state.outer, here, velocity),
        )

    def models(self, state: StreamingState) -> Tensor:
        return state.x


def _with(whole: Tensor, here: slice, part: Tensor) -> Tensor:
    """``whole`` with ``part`` in the coordinates ``here``."""
    out = whole.clone()
    out[..., here] = part
    return out
