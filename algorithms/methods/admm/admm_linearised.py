"""Distributed linearised ADMM for composite consensus (Aybat et al. 2018, arXiv:1512.08122)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.kernels.devices import put
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.checks import check_size
from algorithms.optimizers.proximal import NoProximal, Proximal
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import exact_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Operation,
    Program,
    Register,
    add,
    changed,
    gradient,
    mixed,
    plus_scaled,
    scale,
    subtract,
    weighed,
)
from algorithms.pipeline.server import NoRowKernel, own
from algorithms.problems.base import Problem
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.edges import adjacency
from theory.constants import Constants
from theory.stepsizes import Stepsize


class LinearisedState(NamedTuple):
    """Models x, sums of duals p, and s = rho (D x_i - sum_j x_j), ``[..., m, d]``."""

    x: Tensor
    p: Tensor
    s: Tensor


@final
@dataclass(frozen=True)
class LinearisedADMM(Method[LinearisedState]):
    r"""x_i \leftarrow prox_{c R}(x_i - c (\nabla f_i(x_i) + p_i + s_i)), p_i \mathrel{+}= s_i with
    s_i = \rho \sum_{j \in N_i} (x_i - x_j).

    One gradient and one exchange a step: f_i and the penalty are linearised, the common R is kept.
    1/c = 1/\gamma_t + 2 \rho D_{max} with \rho = ``coupling`` / \gamma_t, which is below
    1/(L + \rho \lambda_{max}) for \gamma \le 1/L. Gradients are full. (Aybat, Wang, Lin, Ma 2018,
    IEEE TAC, DPGA-I.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: who hears whom, and the mixing matrices W.
        proximal: the regulariser R of the objective, known by its proximal map.

    Raises:
        ValueError: coupling is not positive, a worker has no neighbour, or the topology is for
            another number of workers.
    """

    step_rule: Stepsize
    topology: StaticTopology
    proximal: Proximal = field(default_factory=NoProximal)
    coupling: float = 0.5

    def __post_init__(self) -> None:
        if not self.coupling > 0:
            raise ValueError(f"coupling must be positive, got coupling={self.coupling}")

    @property
    def name(self) -> str:
        return f"linearised ADMM, {self.topology.name}, {self.proximal.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def init(self, x0: Tensor, context: RunContext) -> LinearisedState:
        check_size(self.topology, context)
        adjacency(self.topology)
        x = context.rows(x0, len(context.network.workers))
        return LinearisedState(x, torch.zeros_like(x), torch.zeros_like(x))

    def step(self, state: LinearisedState, t: int, context: RunContext) -> LinearisedState:
        lists, rho = adjacency(self.topology), self.penalty(t)
        c = self.step_size(t, int(lists.in_degree.max()))
        g = context.checked(context.problem.full_gradient(state.x, context.network.workers), t)
        x = self.proximal.apply(state.x - c * (g + state.p + state.s), c, t)
        incoming = context.mixed(x, lists, t)
        degree = put(lists.in_degree[context.network.held].to(x.dtype), x.device)[:, None]
        s = rho * (degree * x - incoming)
        return LinearisedState(x, state.p + s, s)

    def penalty(self, t: int) -> float:
        r"""The penalty \rho of step t [f / x^2]."""
        return self.coupling / self.step_rule(t)

    def step_size(self, t: int, most: int) -> float:
        """The stepsize c of step t [x^2 / f], where a worker has at most so many neighbours."""
        return 1 / (1 / self.step_rule(t) + 2 * self.penalty(t) * most)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        lists, problem = adjacency(self.topology), context.problem
        most = int(lists.in_degree.max())
        try:
            change = own(self.proximal, NoProximal, problem.d, problem.dtype)
        except NoRowKernel:
            return None
        x, p, s, slope, incoming = (Register() for _ in range(5))

        def c(u: int) -> float:
            return self.step_size(u, most)

        shrunk: tuple[Operation, ...] = () if change is None else (changed(x, c),)
        step = Program((
            gradient(slope, x), add(slope, slope, p), add(slope, slope, s),
            plus_scaled(x, x, lambda u: -c(u), slope), *shrunk,
            mixed(incoming, x), weighed(s, x), subtract(s, s, incoming), scale(s, self.penalty, s),
            add(p, p, s),
        ))  # fmt: skip
        degrees = lists.in_degree.double().numpy()
        links = FixedLists((lists,), lambda _: 0)
        plan = NeighbourPlan(
            (x, p, s), (step,), links, exact_gradient(context), change=change,
            own=lambda _: degrees,
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: LinearisedState) -> Tensor:
        return state.x
