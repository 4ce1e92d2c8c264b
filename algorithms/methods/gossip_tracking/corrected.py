"""EXTRA, NIDS and exact diffusion: one recursion over (I + W)/2, one vector a message."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.checks import check_size, check_symmetric
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    Register,
    add,
    copy,
    gradient,
    mixed,
    scale,
    subtract,
)
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from algorithms.topologies.lazy import Lazy
from theory.constants import Constants
from theory.stepsizes import Stepsize


class CorrectedState(NamedTuple):
    r"""Models X^t and X^{t-1}, and the last step's \gamma_{t-1} G^{t-1}.

    Attributes:
        x: the models X^t ``[..., m, d]``.
        old: the models X^{t-1} ``[..., m, d]``.
        pull: \gamma_{t-1} G^{t-1} ``[..., m, d]``, at the start 0.
    """

    x: Tensor
    old: Tensor
    pull: Tensor


@final
class CorrectionForm(NamedTuple):
    r"""Two choices within the recursion of :class:`CorrectedGossip`.

    Attributes:
        title: what reports call the method.
        gradients_mixed: whether \bar W is applied to the gradients' change as well.
        start_mixed: whether the first step is mixed.
    """

    title: str
    gradients_mixed: bool
    start_mixed: bool


EXTRA = CorrectionForm("EXTRA", gradients_mixed=False, start_mixed=True)
r"""X^1 = W X^0 - \gamma G^0, X^{t+2} = (I + W) X^{t+1} - (I + W)/2 X^t - \gamma (G^{t+1} - G^t):
Shi, Ling, Wu, Yin 2014, arXiv:1404.6264, Algorithm 1."""

NIDS = CorrectionForm("NIDS", gradients_mixed=True, start_mixed=False)
r"""X^1 = X^0 - \gamma G^0, X^{t+2} = (I + W)/2 (2 X^{t+1} - X^t - \gamma (G^{t+1} - G^t)):
Li, Shi, Yan 2017, arXiv:1704.07807, with one stepsize."""

EXACT_DIFFUSION = CorrectionForm("exact diffusion", gradients_mixed=True, start_mixed=True)
r"""As NIDS from X^1 = (I + W)/2 (X^0 - \gamma G^0) on: Yuan, Ying, Zhao, Sayed 2017,
arXiv:1702.05122, Algorithm 1."""


@final
@dataclass(frozen=True)
class CorrectedGossip(Method[CorrectedState]):
    r"""X^{t+1} = \bar W (2 X^t - X^{t-1}) - M (\gamma_t G^t - \gamma_{t-1} G^{t-1}),
    \bar W = (I + W)/2, M = \bar W where the form mixes gradients, else I; the first step by the
    form. (EXTRA: arXiv:1404.6264; NIDS: arXiv:1704.07807; exact diffusion: arXiv:1702.05122.)

    Workers start equal, so that EXTRA's W X^0 is X^0 and its first step needs no message. Where
    gradients are mixed this is D-squared on \bar W, which has no eigenvalue below 0: no W is
    refused. The mean over workers makes exactly \bar x^{t+1} = \bar x^t - \gamma_t \bar g^t.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: the graph and its mixing matrix W, symmetric and the same at all steps.
        form: which of the three it is.

    Raises:
        ValueError: a topology that changes with time or is not symmetric.
    """

    step_rule: Stepsize
    topology: Topology
    form: CorrectionForm

    def __post_init__(self) -> None:
        check_symmetric(self.topology, self.form.title)

    @cached_property
    def halved(self) -> Topology:
        r"""The topology with \bar W = (I + W)/2."""
        return Lazy(self.topology)

    @property
    def name(self) -> str:
        return f"{self.form.title}, {self.topology.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().merge(self.topology.constants())

    def init(self, x0: Tensor, context: RunContext) -> CorrectedState:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers))
        return CorrectedState(x, x, torch.zeros_like(x))

    def step(self, state: CorrectedState, t: int, context: RunContext) -> CorrectedState:
        pull = self.step_rule(t) * context.gradient(state.x, t)
        ahead, change = state.x + (state.x - state.old), pull - state.pull
        around = self.halved.neighbours(0)
        if t == 0 and not (self.form.gradients_mixed and self.form.start_mixed):
            x = ahead - change
        elif self.form.gradients_mixed:
            x = context.mixed(ahead - change, around, t)
        else:
            x = context.mixed(ahead, around, t) - change
        return CorrectedState(x, state.x, pull)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, old, pull = Register(), Register(), Register()
        g, moved, ahead, change = Register(), Register(), Register(), Register()
        opened = (
            gradient(g, x),
            scale(g, self.step_rule, g),
            subtract(moved, x, old),
            add(ahead, x, moved),
            subtract(change, g, pull),
            copy(old, x),
            copy(pull, g),
        )
        alone = (subtract(x, ahead, change),)
        together = subtract(ahead, ahead, change), mixed(x, ahead)
        later = together if self.form.gradients_mixed else (mixed(x, ahead), subtract(x, x, change))
        first = later if self.form.gradients_mixed and self.form.start_mixed else alone
        programs = Program((*opened, *first)), Program((*opened, *later))
        plan = NeighbourPlan(
            (x, old, pull), programs, FixedLists.from_topology(self.halved),
            drawn_gradient(context), program=lambda s: min(s, 1),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: CorrectedState) -> Tensor:
        return state.x
