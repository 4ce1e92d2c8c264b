"""EF21-P (Gruntkowska, Tyurin, Richtarik 2022, arXiv:2209.15218): models compressed downwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.constants import operator_constants
from algorithms.methods.parts.gradients import Full, Gradients
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.neighbours import NeighbourPlan, PlanMessage, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    add,
    gathered,
    gradient,
    plus_scaled,
    registers,
    sent,
    subtract,
    told,
)
from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.stepsizes import Stepsize


class EF21PState(NamedTuple):
    """The server's model and the one that workers hold; the workers' shifts and their mean.

    Attributes:
        x: the server's model ``[..., 1, d]``.
        told: w, the model that all workers hold, where gradients are taken ``[..., 1, d]``.
        shifts: h_i, to which differences go up ``[..., m, d]``; 0 where gradients go up in full.
        shift: the mean of the h_i, as the server keeps it ``[..., 1, d]``.
    """

    x: Tensor
    told: Tensor
    shifts: Tensor
    shift: Tensor


@final
@dataclass(frozen=True)
class EF21P(Method[EF21PState]):
    r"""x = x - \gamma mean \nabla f_i(w), w += C(x - w): the server sends what workers lack of its
    model, compressed (Algorithm 1 with exact or sampled gradients sent in full).

    With an ``uplink`` Q workers send \Delta_i = Q(\nabla f_i(w) - h_i), the server steps along
    h + mean \Delta_i, and h_i += \alpha \Delta_i: EF21-P + DIANA (Algorithm 2), and EF21-P + DCGD
    (Algorithm 3) where alpha is 0. With C the identity it is DIANA.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        compressor: C, a contraction for the way down.
        gradients: which gradients the workers take.
        uplink: Q, unbiased, for the way up; the identity: gradients in full.
        alpha: \alpha in [0, 1], how far a shift moves; None: 1/(1 + omega).

    Raises:
        ValueError: alpha outside [0, 1], or without an uplink; or an uplink that claims no omega,
            and no alpha.
    """

    step_rule: Stepsize
    compressor: Compressor
    gradients: Gradients = field(default_factory=Full)
    uplink: Compressor = field(default_factory=Identity)
    alpha: float | None = None

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.alpha is not None and not 0 <= self.alpha <= 1:
            raise ValueError(f"alpha must lie in [0, 1], got alpha={self.alpha}")
        if self.alpha is not None and isinstance(self.uplink, Identity):
            raise ValueError(
                f"alpha moves shifts of an uplink, got alpha={self.alpha} without one; None would "
                "do"
            )

    @property
    def name(self) -> str:
        notes = [f"down {self.compressor.name}"]
        notes += [] if isinstance(self.uplink, Identity) else [f"up {self.uplink.name}"]
        notes += [] if self.alpha is None else [f"alpha={self.alpha:g}"]
        return f"EF21-P({', '.join(notes)}){self.gradients.note}"

    def shift_step(self, d: int) -> float:
        """alpha, or 1/(1 + omega) in R^d; 0 where gradients go up in full.

        Raises:
            ValueError: the uplink claims no omega.
        """
        if isinstance(self.uplink, Identity):
            return 0.0
        if self.alpha is not None:
            return self.alpha
        omega = operator_constants(self.uplink, d).omega
        if omega is None:
            raise ValueError(
                f"{self.uplink.name} claims no omega, so alpha has no default; an unbiased uplink "
                "or a stated alpha would do"
            )
        return 1 / (1 + omega)

    @property
    def server_operator(self) -> Compressor:
        return self.compressor

    def constants(self, problem: Problem) -> Constants:
        return self.gradients.constants(problem)

    def init(self, x0: Tensor, context: RunContext) -> EF21PState:
        x, rows = context.rows(x0, 1), context.rows(x0, len(context.network.workers))
        return EF21PState(x, x, torch.zeros_like(rows), torch.zeros_like(x))

    def step(self, state: EF21PState, t: int, context: RunContext) -> EF21PState:
        x, shifts, shift = self.moved(state, t, context)
        packet = context.pack_server(self.compressor.at_step(t), x - state.told, t)
        return EF21PState(x, state.told + context.network.publish(packet), shifts, shift)

    def moved(
        self, state: EF21PState, t: int, context: RunContext
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The server's model after its step, before workers hear of it; shifts and their mean."""
        g = self.gradients.compute(state.told, t, context)
        packet = context.pack(self.uplink.at_step(t), g - state.shifts, t)
        mean, sent = context.network.average(packet)
        alpha = self.shift_step(context.problem.d)
        x = state.x - self.step_rule(t) * (state.shift + mean)
        return x, state.shifts + alpha * sent, state.shift + alpha * mean

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        shifts, g, difference, said = registers(4)
        x, held, shift, mean, slope, lack, incoming = registers(7, lone=True)
        alpha = self.shift_step(context.problem.d)
        step = Program((
            gradient(g, held),
            subtract(difference, g, shifts),
            sent(said, difference),
            gathered(mean, said, 0),
            add(slope, shift, mean),
            plus_scaled(x, x, lambda s: -self.step_rule(s), slope),
            plus_scaled(shifts, shifts, alpha, said),
            plus_scaled(shift, shift, alpha, mean),
            subtract(lack, x, held),
            sent(incoming, lack, 1),
            told(1),
            add(held, held, incoming),
        ))  # fmt: skip
        plan = NeighbourPlan(
            (x, held, shifts, shift), (step,), None, self.gradients.row_kernel(context),
            self.uplink, further=(PlanMessage(self.compressor, "publish"),),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: EF21PState) -> Tensor:
        return state.x
