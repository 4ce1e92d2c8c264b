"""EF21 and its variants: momentum, partial participation, both directions compressed."""

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
from algorithms.pipeline.masks import drawn_below
from algorithms.pipeline.neighbours import NeighbourPlan, PlanMessage, neighbour_block
from algorithms.pipeline.row_programs import (
    Operation,
    Program,
    Register,
    add,
    blend,
    choose,
    copy,
    gathered,
    gradient,
    keep,
    plus_scaled,
    registers,
    sent,
    subtract,
    told,
)
from algorithms.problems.base import Problem
from theory.constants import Constants, Kind, Statement
from theory.stepsizes import Stepsize


class EF21State(NamedTuple):
    """The server's model, the workers' memories and their mean, what the server has told.

    Attributes:
        x: the server's model ``[..., 1, d]``.
        memory: g_i, each worker's estimate of its gradient, which the server holds too
            ``[..., m, d]``.
        mean: the mean of the g_i ``[..., 1, d]``.
        momentum: v_i, the gradients' running means ``[..., m, d]``; the gradients if eta = 1.
        told: b, the estimate that workers hold of ``mean`` ``[..., 1, d]``; ``mean`` itself where
            the server does not compress.
    """

    x: Tensor
    memory: Tensor
    mean: Tensor
    momentum: Tensor
    told: Tensor


@final
@dataclass(frozen=True)
class EF21(Method[EF21State]):
    r"""c_i = C(v_i - g_i), g_i += c_i, g = mean g_i, x = x - \gamma g.

    v_i is the gradient at x (EF21: Richtarik, Sokolov, Fatkhullin 2021, arXiv:2106.05203, Algorithm
    2), or v_i = (1 - \eta) v_i + \eta g_i(x), which starts at the first gradient (EF21-SGDM:
    Fatkhullin, Tyurin, Richtarik 2023, arXiv:2305.15155, Algorithm 1). All g_i start at 0, so that
    after the first message g_i = C(\nabla f_i(x_0)); with ``full_start`` that message is the
    gradient itself. With ``participation`` < 1 a worker takes part with that probability, in the
    first round for certain; the others keep their g_i and v_i (EF21-PP: Fatkhullin et al. 2021,
    arXiv:2110.03294, Algorithm 4): C with that probability, else nothing, is a contraction of p
    delta. With a ``downlink`` D the server keeps b too, sends D(g - b), b += that, and all take x =
    x - \gamma b (EF21-BC: the same, Algorithm 5).

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        compressor: C, a contraction; an unbiased operator must be divided by 1 + omega first.
        eta: \eta in (0, 1], weight of the newest gradient; 1: no momentum.
        gradients: which gradients the workers take.
        downlink: D, a contraction for the way down.

    Raises:
        ValueError: eta or participation outside (0, 1].
    """

    step_rule: Stepsize
    compressor: Compressor
    eta: float = 1.0
    gradients: Gradients = field(default_factory=Full)
    full_start: bool = False
    participation: float = 1.0
    downlink: Compressor = field(default_factory=Identity)

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("eta", "participation"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie in (0, 1], got {name}={getattr(self, name)}")

    @property
    def name(self) -> str:
        notes = [self.compressor.name]
        notes += [f"eta={self.eta:g}"] if self.eta < 1 else []
        notes += [f"p={self.participation:g}"] if self.participation < 1 else []
        notes += [f"down {self.downlink.name}"] if self.two_way else []
        notes += ["full start"] if self.full_start else []
        return f"EF21({', '.join(notes)}){self.gradients.note}"

    @property
    def two_way(self) -> bool:
        """Whether the server compresses what it sends."""
        return not isinstance(self.downlink, Identity)

    @property
    def server_operator(self) -> Compressor:
        return self.downlink

    def constants(self, problem: Problem) -> Constants:
        stated = self.gradients.constants(problem)
        if self.two_way and self.eta == self.participation == 1:
            return stated.merge(self._both_ways(problem))
        if self.eta < 1 or self.two_way:
            return stated  # nothing of the operators: the theorems are about one without momentum
        own = operator_constants(self.compressor, problem.d)
        start = self._start(problem, own)
        if self.participation < 1 and own.delta is not None:
            known = Statement(
                Kind.LOWER, "all x", "C with the probability of participation, else 0"
            )
            own = own.state(known, delta=self.participation * own.delta)
        return stated.merge(own).merge(start)

    def _both_ways(self, problem: Problem) -> Constants:
        """delta of either way, where both claim one, and of the start what is in full."""
        ways = (self.compressor, self.downlink)
        up, down = (operator_constants(one, problem.d).delta for one in ways)
        known = Statement(Kind.LOWER, "all x", "the operators' claims")
        own = Constants().state(known, delta_up=up, delta_down=down)
        whole = Statement(Kind.EXACT, "x_0", "the first messages are the gradients and their mean")
        return own.state(whole, initial_memory=0.0) if self.full_start else own

    def _start(self, problem: Problem, own: Constants) -> Constants:
        """initial_memory: what the first message leaves of the squared gradients at x_0."""
        if self.full_start:
            known = Statement(Kind.EXACT, "x_0", "the first message is the gradient")
            return Constants().state(known, initial_memory=0.0)
        if own.delta is None:
            return Constants()
        workers = torch.arange(problem.n, device=problem.device)
        squares = problem.full_gradient(problem.start()[None], workers).square().sum(-1)
        known = Statement(Kind.UPPER, "x_0", "the first message is C(grad f_i(x_0))")
        return Constants().state(known, initial_memory=(1 - own.delta) * float(squares.mean()))

    def init(self, x0: Tensor, context: RunContext) -> EF21State:
        x, rows = context.rows(x0, 1), context.rows(x0, len(context.network.workers))
        zero, zeros = torch.zeros_like(x), torch.zeros_like(rows)
        return EF21State(x, zeros, zero, zeros, zero)

    def step(self, state: EF21State, t: int, context: RunContext) -> EF21State:
        g = self.gradients.compute(state.x, t, context)
        v = g if t == 0 else (1 - self.eta) * state.momentum + self.eta * g
        present = self.present(t, context)
        if present is not None:
            v = torch.where(present[..., None], v, state.momentum)
        whole = t == 0 and self.full_start
        up = Identity() if whole else self.compressor.at_step(t)
        packet = context.pack(up, v - state.memory, t, sends=present)
        change, sent = context.network.average(packet)
        memory, mean = state.memory + sent, state.mean + change
        gamma = self.step_rule(t)
        if not self.two_way:
            x = context.published(state.x - gamma * mean, t)
            return EF21State(x, memory, mean, v, mean)
        down = Identity() if whole else self.downlink.at_step(t)
        told = state.told + context.network.publish(context.pack_server(down, mean - state.told, t))
        return EF21State(state.x - gamma * told, memory, mean, v, told)

    def present(self, t: int, context: RunContext) -> Tensor | None:
        """Who takes part ``[..., m]`` (bool); None: everybody."""
        if self.participation == 1 or t == 0:
            return None
        drawn = context.draws("participate", t).uniform(1, torch.float64)
        return drawn[..., 0] < self.participation

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        (memory, v), (x, mean, incoming) = registers(2), registers(3, lone=True)
        rows = x, memory, mean, v, incoming
        operators = (self.downlink,) if self.two_way else ()
        lots = () if self.participation == 1 else (drawn_below("participate", self.participation),)
        plan = NeighbourPlan(
            rows, (self._program(rows, first=True), self._program(rows, first=False)), None,
            self.gradients.row_kernel(context), self.compressor, program=lambda s: min(s, 1),
            further=tuple(PlanMessage(one, "publish") for one in operators),
            masks=lots,
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def _program(self, rows: tuple[Register, ...], *, first: bool) -> Program:
        x, memory, mean, v, incoming = rows
        (g, new, wanted, said), (change, down) = registers(4), registers(2, lone=True)
        whole, some = first and self.full_start, not first and self.participation < 1
        mask = 0 if some else None
        operations: list[Operation] = [gradient(g, x)]
        if first:
            operations.append(copy(v, g))
        else:
            operations.append(blend(new, 1 - self.eta, v, self.eta, g))
            operations.append(choose(v, 0, new, v) if some else copy(v, new))
        operations += [subtract(wanted, v, memory)]
        operations += [copy(said, wanted) if whole else sent(said, wanted)]
        operations += [keep(said, 0, said)] if some else []
        operations += [
            add(memory, memory, said),
            gathered(change, said, None if whole else 0, mask),
            add(mean, mean, change),
        ]
        taken = plus_scaled(x, x, lambda s: -self.step_rule(s), incoming)
        if not self.two_way:
            return Program((*operations, copy(incoming, mean), taken, told()))
        operations += [
            subtract(down, mean, incoming),
            copy(change, down) if whole else sent(change, down, 1),
            told(None if whole else 1),
            add(incoming, incoming, change),
        ]
        return Program((*operations, taken))

    def models(self, state: EF21State) -> Tensor:
        return state.x
