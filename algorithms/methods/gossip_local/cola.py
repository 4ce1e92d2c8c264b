"""CoLa: linear models by columns, every worker with an estimate of A x of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

from torch import Tensor

from algorithms.kernels.coordinate_descent import block_products, descend
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.checks import check_size
from algorithms.problems.base import Problem, require_int, require_number
from algorithms.problems.columns import Columns, NotSplitByColumns
from algorithms.topologies.base import Topology
from theory.constants import Constants


class ColaState(NamedTuple):
    """Each worker's own coordinates in x ``[..., m, d]``, 0 elsewhere; its v ``[..., m, S]``."""

    x: Tensor
    v: Tensor


@final
@dataclass(frozen=True)
class CoLa(Method[ColaState]):
    r"""Minimise f(Ax) + \sum_j r(x_j), columns of A split over n workers. (He, Bian, Jaggi 2018,
    arXiv:1808.04883, Algorithm 1.)

    v_i^{t+1/2} = \sum_l W_{il} v_l^t; D_i solves, by ``passes`` cyclic passes of coordinate
    descent, the local problem
    \min \nabla f(v_i^{t+1/2})^T A_i D + \frac{\sigma'}{2\tau} \|A_i D\|^2 + \sum_j r(x_j + D_j);
    x_i += \gamma D_i and v_i^{t+1} = v_i^{t+1/2} + \gamma n A_i D_i.

    f is 1/tau-smooth, \sigma' = gamma n is the safe choice and the default. The v_i keep their mean
    at A x; a worker sends its v, S numbers, never a part of x. Models are n times a worker's own
    block, zero elsewhere: their mean is x, and their distance from it says nothing. It needs
    :class:`Columns`; where r or f is not convex the local problems still are, as f enters by
    its slope only.

    Attributes:
        topology: who hears whom, and the mixing matrices W.

    Raises:
        ValueError: gamma outside (0, 1], sigma <= 0, passes < 1, a topology of another size.
        NotSplitByColumns: the problem is no linear model by columns.
    """

    topology: Topology
    passes: int = 1
    gamma: float = 1.0
    sigma: float | None = None

    def __post_init__(self) -> None:
        require_int("passes", self.passes, 1)
        require_number("gamma", self.gamma, strict=True)
        if self.gamma > 1:
            raise ValueError(f"gamma must lie in (0, 1], got gamma={self.gamma}")
        if self.sigma is not None:
            require_number("sigma", self.sigma, strict=True)

    @property
    def name(self) -> str:
        return f"CoLa, {self.topology.name}, {self.passes} passes"

    def unfit(self, problem: Problem) -> str:
        try:
            Columns.from_problem(problem)
        except NotSplitByColumns as error:
            return str(error)
        return ""

    @property
    def safety(self) -> float:
        """sigma': how much of the others' change a worker's local problem allows for."""
        return self.gamma * self.topology.n if self.sigma is None else self.sigma

    def constants(self, problem: Problem) -> Constants:
        return Columns.from_problem(problem).constants().merge(self.topology.each_step())

    def init(self, x0: Tensor, context: RunContext) -> ColaState:
        check_size(self.topology, context)
        linear, mine = Columns.from_problem(context.problem), context.network.workers.cpu()
        first, last = linear.first[mine], linear.last[mine]
        x = context.rows(x0, len(mine))
        for row, (start, end) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
            x[..., row, :start] = 0
            x[..., row, end:] = 0
        v = context.network.n * block_products(linear.columns, x, first, last)
        return ColaState(x, v)

    def step(self, state: ColaState, t: int, context: RunContext) -> ColaState:
        mixed = context.mixed(state.v, self.topology.neighbours(t), t)
        change, move = self.local(state.x, mixed, t, context)
        n = context.network.n
        return ColaState(state.x + self.gamma * change, mixed + (self.gamma * n) * move)

    def local(self, x: Tensor, v: Tensor, t: int, context: RunContext) -> tuple[Tensor, Tensor]:
        """D_i ``[..., m, d]`` and A_i D_i ``[..., m, S]`` of the workers held here, at v."""
        linear, mine = Columns.from_problem(context.problem), context.network.workers.cpu()
        slopes = context.checked(linear.slope(v), t)
        return descend(
            linear.columns, slopes, x, linear.first[mine], linear.last[mine],
            self.safety * linear.smoothness, linear.l1, linear.l2, self.passes, linear.squares,
        )  # fmt: skip

    def models(self, state: ColaState) -> Tensor:
        return self.topology.n * state.x
