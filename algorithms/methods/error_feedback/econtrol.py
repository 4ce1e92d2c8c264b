"""EControl (Gao, Islamov, Stich 2023, arXiv:2311.05645)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.gradients import Gradients, Sampled
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    add,
    copy,
    gathered,
    gradient,
    plus_scaled,
    registers,
    scale,
    sent,
    subtract,
    told,
)
from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.stepsizes import Stepsize


class EControlState(NamedTuple):
    r"""The server's model, the workers' memories with their mean, and what was left unsent.

    Attributes:
        x: the server's model ``[..., 1, d]``.
        memory: h_i, each worker's estimate of its gradient, which the server holds too
            ``[..., m, d]``.
        mean: the mean of the h_i ``[..., 1, d]``.
        unsent: e_i, the accumulated error, \sum_t (g_{i,t} - h_{i,t}) over all rounds so far
            ``[..., m, d]``.
    """

    x: Tensor
    memory: Tensor
    mean: Tensor
    unsent: Tensor


@final
@dataclass(frozen=True)
class EControl(Method[EControlState]):
    r"""c_i = C(\eta e_i + g_i - h_i), h_i += c_i, e_i += g_i - h_i, x = x - \gamma mean h_i
    (Algorithm 1).

    With eta = 0 it is EF21; with eta = 1 and h_i set back to 0 in each round error feedback. All
    h_i start at 0, or at the first gradient, which is then sent in full (``full_start``).

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        compressor: C, a contraction.
        eta: \eta in [0, 1], share of what was left unsent that is asked for again.
        gradients: which gradients the workers take.

    Raises:
        ValueError: eta outside [0, 1].
    """

    step_rule: Stepsize
    compressor: Compressor
    eta: float
    gradients: Gradients = field(default_factory=Sampled)
    full_start: bool = False

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.eta <= 1:
            raise ValueError(f"eta must lie in [0, 1], got eta={self.eta}")

    @property
    def name(self) -> str:
        notes = [self.compressor.name, f"eta={self.eta:g}"]
        notes += ["full start"] if self.full_start else []
        return f"EControl({', '.join(notes)}){self.gradients.note}"

    def constants(self, problem: Problem) -> Constants:
        return self.gradients.constants(problem)

    def init(self, x0: Tensor, context: RunContext) -> EControlState:
        x, rows = context.rows(x0, 1), context.rows(x0, len(context.network.workers))
        zeros = torch.zeros_like(rows)
        return EControlState(x, zeros, torch.zeros_like(x), zeros)

    def step(self, state: EControlState, t: int, context: RunContext) -> EControlState:
        g = self.gradients.compute(state.x, t, context)
        wanted = self.eta * state.unsent + g - state.memory
        whole = t == 0 and self.full_start
        operator = Identity() if whole else self.compressor.at_step(t)
        change, sent = context.network.average(context.pack(operator, wanted, t))
        memory, mean = state.memory + sent, state.mean + change
        x = context.published(state.x - self.step_rule(t) * mean, t)
        return EControlState(x, memory, mean, state.unsent + (g - memory))

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        memory, unsent, g, wanted, said, left = registers(6)
        x, mean, change = registers(3, lone=True)

        def program(whole: bool) -> Program:
            return Program((
                gradient(g, x),
                scale(wanted, self.eta, unsent),
                add(wanted, wanted, g),
                subtract(wanted, wanted, memory),
                copy(said, wanted) if whole else sent(said, wanted),
                add(memory, memory, said),
                subtract(left, g, memory),
                add(unsent, unsent, left),
                gathered(change, said, None if whole else 0),
                add(mean, mean, change),
                plus_scaled(x, x, lambda s: -self.step_rule(s), mean),
                told(),
            ))  # fmt: skip

        plan = NeighbourPlan(
            (x, memory, mean, unsent), (program(self.full_start), program(False)), None,
            self.gradients.row_kernel(context), self.compressor, program=lambda s: min(s, 1),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: EControlState) -> Tensor:
        return state.x
