"""Cooperative SGD: a mixing matrix, a period and auxiliary variables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.mixing import mix
from algorithms.kernels.scaled_sum import add_scaled, add_scaled_onto
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.checks import check_size
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists, Links
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import Program, Register, gradient, mixed, plus_scaled
from algorithms.problems.base import Problem
from algorithms.synchronisation.periods import FixedPeriod, Periods
from algorithms.topologies.base import Topology
from theory.constants import Constants
from theory.stepsizes import Stepsize


class MixingOrder(Enum):
    """Order of gradient step and mixing."""

    STEP_FIRST = "(X - gamma G) S"
    BESIDE = "X S - gamma G"


class Mixing(ABC):
    """X S over the columns: n workers' models, then auxiliary variables that the server holds."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @property
    @abstractmethod
    def auxiliary(self) -> int:
        """Number v of auxiliary variables."""

    @abstractmethod
    def constants(self) -> Constants:
        """n, lam and symmetry of the matrix where it is over workers alone."""

    @abstractmethod
    def check(self, context: RunContext) -> None:
        """Refuse a world of another size.

        Raises:
            ValueError: names both sizes.
        """

    @abstractmethod
    def apply(self, x: Tensor, extra: Tensor, t: int, context: RunContext) -> tuple[Tensor, Tensor]:
        """Own rows ``[..., m, d]`` and auxiliary ones ``[..., v, d]`` of X S, in new storage."""

    def links(self) -> Links | None:
        """Mixing links, for blocks of steps; None: it is not carried out along links."""
        return None


@final
@dataclass(frozen=True)
class Gossip(Mixing):
    """S = W of a topology: models go along its edges, no auxiliary variable."""

    topology: Topology

    @property
    def name(self) -> str:
        return self.topology.name

    @property
    def auxiliary(self) -> int:
        return 0

    def constants(self) -> Constants:
        return self.topology.each_step()

    def check(self, context: RunContext) -> None:
        check_size(self.topology, context)

    def apply(self, x: Tensor, extra: Tensor, t: int, context: RunContext) -> tuple[Tensor, Tensor]:
        return context.mixed(x, self.topology.neighbours(t), t), extra

    def links(self) -> Links | None:
        return FixedLists.from_topology(self.topology)


@final
@dataclass(frozen=True)
class Central(Mixing):
    r"""Any S ``[n+v, n+v]`` at a server: column i becomes \sum_j x_j S_{ji}; columns sum to 1.

    Workers send their models, the server answers each with its own column.

    Attributes:
        weights: the rows of S, n + v numbers each.
        workers: n; the other v columns are auxiliary variables.

    Raises:
        ValueError: S is not square, has fewer than ``workers`` columns, or a column's sum is not 1.
    """

    weights: tuple[tuple[float, ...], ...]
    workers: int

    def __post_init__(self) -> None:
        size = len(self.weights)
        if not 1 <= self.workers <= size or any(len(row) != size for row in self.weights):
            raise ValueError(
                f"weights must be square over workers={self.workers} columns and more, got rows "
                f"of lengths {[len(row) for row in self.weights]}"
            )
        sums = self.matrix.sum(0)
        if not bool(np.all(np.abs(sums - 1) <= 1e-12)):
            i = int(np.abs(sums - 1).argmax())
            raise ValueError(f"columns of weights must sum to 1, got {sums[i]:g} for column {i}")

    @cached_property
    def matrix(self) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        """S as an array ``[n + v, n + v]``, columns summing to 1."""
        return np.array(self.weights, dtype=np.float64)

    @property
    def name(self) -> str:
        return f"server with {self.auxiliary} auxiliary variables"

    @property
    def auxiliary(self) -> int:
        return len(self.weights) - self.workers

    def constants(self) -> Constants:
        n, s = self.workers, self.matrix
        if self.auxiliary or not bool(np.all(np.abs(s.sum(1) - 1) <= 1e-12)):
            return Constants().state(n=n)
        spread = float(np.linalg.norm(s - np.full((n, n), 1 / n), 2))
        return Constants().state(n=n, lam=spread, symmetric=bool(np.array_equal(s, s.T)))

    def check(self, context: RunContext) -> None:
        if context.network.n != self.workers:
            raise ValueError(
                f"weights are over workers={self.workers}, the network has n={context.network.n}; "
                "make them equal"
            )

    def apply(self, x: Tensor, extra: Tensor, t: int, context: RunContext) -> tuple[Tensor, Tensor]:
        rows, _ = context.network.gather(context.pack(Identity(), x, t))
        size = len(self.weights)
        index = torch.arange(size).repeat(size, 1)
        mixed = mix(torch.cat((rows, extra), -2), index, torch.from_numpy(self.matrix.T.copy()))
        everyone = torch.ones(self.workers, dtype=torch.bool, device=x.device)
        own = context.broadcast(mixed[..., : self.workers, :], everyone, t)
        return own, mixed[..., self.workers :, :]


def averaging(n: int) -> Central:
    """S = J: every model becomes the mean."""
    return Central(((1 / n,) * n,) * n, n)


def elastic(n: int, alpha: float) -> Central:
    """EASGD's S, one auxiliary variable: workers keep 1 - alpha, the centre 1 - n alpha."""
    s = np.diag([1 - alpha] * n + [1 - n * alpha])
    s[:n, n] = s[n, :n] = alpha
    return Central(tuple(tuple(row) for row in s.tolist()), n)


class CooperativeState(NamedTuple):
    """Each worker's model ``[..., m, d]``; auxiliary variables ``[..., v, d]``.

    Attributes:
        x: each worker's model ``[..., m, d]``.
        extra: auxiliary variables ``[..., v, d]``.
    """

    x: Tensor
    extra: Tensor


@final
@dataclass(frozen=True)
class Cooperative(Method[CooperativeState]):
    r"""X_{t+1} = (X_t - \gamma_t G_t) S_t, S_t = S at a meeting, else I.

    Columns of X are the workers' models and auxiliary variables, which take no gradient; all start
    at x_0. ``order`` BESIDE is X_{t+1} = X_t S_t - \gamma_t G_t, as D-PSGD and EASGD have it.
    ``period`` H means meetings when H | t+1. (Wang, Joshi 2018, arXiv:1808.07576, Equation 8.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        mixing: S, and how it is carried out: along links or at a server.

    Raises:
        ValueError: period < 1; a mixing over another number of workers than the network's.
    """

    step_rule: Stepsize
    mixing: Mixing
    period: int | Periods = 1
    order: MixingOrder = MixingOrder.STEP_FIRST

    def __post_init__(self) -> None:
        _ = self.periods

    @property
    def periods(self) -> Periods:
        """Schedule of the averaging steps."""
        return FixedPeriod(self.period) if isinstance(self.period, int) else self.period

    @property
    def name(self) -> str:
        return f"cooperative SGD {self.order.value}, {self.mixing.name}, {self.periods.name}"

    def constants(self, problem: Problem) -> Constants:
        stated, longest = problem.constants(), self.periods.longest
        plain = self.order is MixingOrder.STEP_FIRST and not self.mixing.auxiliary
        if not plain or longest is None:
            return stated  # theorems are about steps before mixing, without auxiliary variables
        return stated.merge(self.mixing.constants()).state(H=longest)

    def init(self, x0: Tensor, context: RunContext) -> CooperativeState:
        self.mixing.check(context)
        x = context.rows(x0, len(context.network.workers))
        return CooperativeState(x, context.rows(x0, self.mixing.auxiliary))

    def step(self, state: CooperativeState, t: int, context: RunContext) -> CooperativeState:
        gamma, g = self.step_rule(t), context.gradient(state.x, t)
        if not self.periods.meets(t):
            return state._replace(x=add_scaled(state.x, -gamma, g))
        if self.order is MixingOrder.STEP_FIRST:
            stepped = add_scaled(state.x, -gamma, g)
            return CooperativeState(*self.mixing.apply(stepped, state.extra, t, context))
        x, extra = self.mixing.apply(state.x, state.extra, t, context)
        return CooperativeState(add_scaled_onto(x, -gamma, g), extra)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, g, ahead = Register(), Register(), Register()

        def step(s: int) -> float:
            return -self.step_rule(s)

        first, alone = gradient(g, x), plus_scaled(x, x, step, g)
        if self.order is MixingOrder.STEP_FIRST:
            meeting = first, alone, mixed(ahead, x)
        else:
            meeting = first, mixed(ahead, x), plus_scaled(ahead, ahead, step, g)
        plan = NeighbourPlan(
            (x,), (Program((first, alone)), Program(meeting, ((x, ahead),))), self.mixing.links(),
            drawn_gradient(context), program=lambda s: int(self.periods.meets(s)),
            opened=lambda state: (state.x,),
            closed=lambda state, parts: CooperativeState(parts[0], state.extra),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: CooperativeState) -> Tensor:
        return state.x
