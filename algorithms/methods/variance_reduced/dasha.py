"""DASHA (Tyurin, Richtarik 2022, arXiv:2202.01268)."""

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
from algorithms.methods.parts.sample_bills import bill, billed_apart, exact_worth
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


class DashaState(NamedTuple):
    """The server's model and estimate; the workers' estimates and gradients.

    Attributes:
        x: the server's model ``[..., 1, d]``.
        estimates: g_i, what a worker has sent of its gradient ``[..., m, d]``.
        gradients: h_i, its gradient at the model before, or its estimate of that
            ``[..., m, d]``.
        mean: the mean of the g_i, as the server keeps it ``[..., 1, d]``.
        before: the model before the last step ``[..., 1, d]``, which workers keep too.
    """

    x: Tensor
    estimates: Tensor
    gradients: Tensor
    mean: Tensor
    before: Tensor


@final
@dataclass(frozen=True)
class Dasha(Method[DashaState]):
    r"""m_i = Q_i(h_i^+ - h_i - a (g_i - h_i)), g_i += m_i, g = mean g_i, x = x - \gamma g, where
    h_i^+ = \nabla f_i(x) and h_i that before (Algorithm 1: DASHA).

    Every message but the first, a full gradient from which g_i = h_i, is compressed: no round waits
    for full ones. ``pull`` is a, by default 1/(2 omega + 1): 1 without compression, which is
    gradient descent.

    With ``momentum`` b below 1, or ``refresh``, workers estimate their gradients: h_i^+ = g_i(x) +
    (1 - b)(h_i - g_i(x')), both of one sample, x' the model before (DASHA-MVR with sampled
    ``gradients``), and with probability ``refresh``, each worker for itself, h_i^+ = \nabla f_i(x)
    (DASHA-PAGE at b = 0, whose first gradient is exact too). None of that is sent. In modelled time
    a worker's step takes its exact gradient or those of the sample, whichever it uses.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        compressor: Q, unbiased, drawn by every worker for itself.
        pull: a in [0, 1], DASHA's momentum parameter: the share of the estimate's error that each
            message takes back.
        gradients: which gradients the workers take.
        momentum: b in [0, 1], weight of the newest gradient; 1: the estimate is that gradient.
        refresh: probability that a worker takes its exact gradient for the estimate.

    Raises:
        ValueError: pull, momentum or refresh outside [0, 1]; or an operator that claims no omega,
            and no pull.
    """

    step_rule: Stepsize
    compressor: Compressor
    pull: float | None = None
    gradients: Gradients = field(default_factory=Full)
    momentum: float = 1.0
    refresh: float = 0.0

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.pull is not None and not 0 <= self.pull <= 1:
            raise ValueError(f"pull must lie in [0, 1], got pull={self.pull}")
        for name in ("momentum", "refresh"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie in [0, 1], got {name}={getattr(self, name)}")

    @property
    def name(self) -> str:
        notes = [self.compressor.name]
        notes += [] if self.pull is None else [f"a={self.pull:g}"]
        notes += [] if self.momentum == 1 else [f"b={self.momentum:g}"]
        notes += [f"p={self.refresh:g}"] if self.refresh else []
        return f"DASHA({', '.join(notes)}){'' if self.exact else ', estimated gradients'}"

    @property
    def exact(self) -> bool:
        """Whether the h_i are the workers' exact gradients."""
        return isinstance(self.gradients, Full)

    def share(self, d: int) -> float:
        """a, or 1/(2 omega + 1) in R^d.

        Raises:
            ValueError: the operator claims no omega.
        """
        if self.pull is not None:
            return self.pull
        omega = operator_constants(self.compressor, d).omega
        if omega is None:
            raise ValueError(
                f"{self.compressor.name} claims no omega, so pull has no default; an unbiased "
                "operator or a stated pull would do"
            )
        return 1 / (2 * omega + 1)

    def constants(self, problem: Problem) -> Constants:
        stated = self.gradients.constants(problem)
        if self.pull is not None or not self.exact:
            return stated  # no omega: the theorem is about exact h_i and a = 1/(2 omega + 1)
        return stated.merge(operator_constants(self.compressor, problem.d))

    def init(self, x0: Tensor, context: RunContext) -> DashaState:
        x, rows = context.rows(x0, 1), context.rows(x0, len(context.network.workers))
        zeros = torch.zeros_like(rows)
        return DashaState(x, zeros, zeros, torch.zeros_like(x), x)

    def step(self, state: DashaState, t: int, context: RunContext) -> DashaState:
        g = self.estimated(state, t, context)
        if t == 0:
            packet = context.pack(Identity(), g, t)
        else:
            back = self.share(context.problem.d) * (state.estimates - state.gradients)
            packet = context.pack(self.compressor.at_step(t), g - state.gradients - back, t)
        change, sent = context.network.average(packet)
        mean = state.mean + change
        x = context.published(state.x - self.step_rule(t) * mean, t)
        return DashaState(x, state.estimates + sent, g, mean, state.x)

    def estimated(self, state: DashaState, t: int, context: RunContext) -> Tensor:
        """The workers' h_i at the model of step t, ``[..., m, d]``."""
        if not self.refresh:
            return self._followed(state, t, context)
        exact = self._exact_ones(t, context)
        bill(context, 1 if self.exact else exact_worth(context.problem), exact)
        bill(context, 1 if self.momentum == 1 else 2, ~exact)
        with billed_apart(context):
            whole = Full().compute(state.x, t, context)
            if t == 0:
                return whole
            here = exact[..., context.network.workers, None]
            return torch.where(here, whole, self._followed(state, t, context))

    def _followed(self, state: DashaState, t: int, context: RunContext) -> Tensor:
        """The workers' gradients, or what follows them from step to step."""
        g = self.gradients.compute(state.x, t, context)
        if self.momentum < 1 and t > 0:
            old = self.gradients.compute(state.before, t, context)
            g = g + (1 - self.momentum) * (state.gradients - old)
        return g

    def _exact_ones(self, t: int, context: RunContext) -> Tensor:
        """Who takes the exact gradient at step t ``[..., n]`` (bool): at first everybody."""
        everyone = torch.arange(context.network.n, device=context.network.workers.device)
        draws = context.key.fold("refresh", t).draws(context.replicas, everyone)
        return draws.uniform(1, torch.float64)[..., 0] < (self.refresh if t else 1.0)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        if self.momentum < 1 or self.refresh:
            return None
        estimates, old, g, wanted, back, said = registers(6)
        x, mean, change, before = registers(4, lone=True)
        compressed = (
            subtract(back, estimates, old),
            scale(back, self.share(context.problem.d), back),
            subtract(wanted, g, old),
            subtract(wanted, wanted, back),
            sent(said, wanted),
        )
        parts = (((copy(said, g),), None), (compressed, 0))
        first, later = (
            Program((
                gradient(g, x),
                *opened,
                add(estimates, estimates, said),
                copy(old, g),
                gathered(change, said, message),
                add(mean, mean, change),
                copy(before, x),
                plus_scaled(x, x, lambda s: -self.step_rule(s), mean),
                told(),
            ))
            for opened, message in parts
        )  # fmt: skip
        plan = NeighbourPlan(
            (x, estimates, old, mean, before), (first, later), None,
            self.gradients.row_kernel(context), self.compressor, program=lambda s: min(s, 1),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: DashaState) -> Tensor:
        return state.x
