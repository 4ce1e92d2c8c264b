"""MARINA (Gorbunov, Burlachenko, Li, Richtarik 2021, arXiv:2102.07845)."""

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
from algorithms.methods.parts.participation import (
    participants_of,
    require_workers,
    taking_part,
)
from algorithms.methods.parts.sample_bills import bill, billed_apart, exact_worth
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.masks import coin_below, outside
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    add,
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
from algorithms.problems.base import Problem, require_int
from theory.constants import Constants, Kind, Statement
from theory.stepsizes import Stepsize


class MarinaState(NamedTuple):
    """The server's model now and one step before, and its estimate g ``[..., 1, d]``.

    Attributes:
        x: the server's model ``[..., 1, d]``.
        before: the model before the last step ``[..., 1, d]``, which workers keep too.
        estimate: g, along which the last step went ``[..., 1, d]``.
    """

    x: Tensor
    before: Tensor
    estimate: Tensor


@final
@dataclass(frozen=True)
class Marina(Method[MarinaState]):
    r"""g = mean \nabla f_i(x) with probability p, else g += mean Q_i(\nabla f_i(x) - \nabla
    f_i(x')), x' the model before; then x = x - \gamma g (Algorithm 1).

    One coin is for all workers; the first round sends full gradients. ``refresh`` is p; by default
    as many bits are spent on full rounds as on compressed ones: p = b/(32 d) of a message of b
    bits, k/d for rand-k. Sampled gradients are of one sample at both models. With p = 1 or Q the
    identity it is gradient descent. g is biased by design.

    With ``participants`` r of the n workers, drawn anew, compressed differences are of those alone
    and the mean is theirs; full rounds are of all, with probability r b/(n 32 d) by default
    (PP-MARINA, Algorithm 4, which draws with replacement). With ``differences`` other gradients are
    taken in compressed rounds, those of samples, while ``gradients`` must be exact: PAGE's
    estimator of every worker (VR-MARINA, Algorithms 2 and 3); at n = 1 with Q the identity it is
    PAGE. Of such rounds modelled time is that of what a worker must evaluate: its exact gradient in
    a full round, both gradients of a difference in another, nothing if it does not take part.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        compressor: Q, unbiased, drawn by every worker for itself.
        refresh: p in (0, 1], the probability of a full synchronisation; None: balanced.
        gradients: which gradients the workers take.
        participants: r, workers of a compressed round; None: all.
        differences: gradients of the compressed differences; None: as ``gradients``.

    Raises:
        ValueError: refresh outside (0, 1], participants < 1 or above the number of workers,
            or ``differences`` beside ``gradients`` that are not exact.
    """

    step_rule: Stepsize
    compressor: Compressor
    refresh: float | None = None
    gradients: Gradients = field(default_factory=Full)
    participants: int | None = None
    differences: Gradients | None = None

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.refresh is not None and not 0 < self.refresh <= 1:
            raise ValueError(f"refresh must lie in (0, 1], got refresh={self.refresh}")
        if self.participants is not None:
            require_int("participants", self.participants, 1)
        if self.differences is not None and not isinstance(self.gradients, Full):
            raise ValueError(
                "gradients must be exact where differences are of another kind, got "
                f"gradients={self.gradients}; Full() would do"
            )

    @property
    def name(self) -> str:
        notes = [self.compressor.name]
        notes += [] if self.refresh is None else [f"p={self.refresh:g}"]
        notes += [] if self.participants is None else [f"r={self.participants}"]
        notes += [] if self.differences is None else ["differences of samples"]
        return f"MARINA({', '.join(notes)}){self.gradients.note}"

    def probability(self, d: int, n: int) -> float:
        """p: that of full gradients of n workers in R^d."""
        if self.refresh is not None:
            return self.refresh
        dense = Identity().stated_bits(d, 32)
        share = 1.0 if self.participants is None else self.participants / n
        return min(1.0, share * self.compressor.stated_bits(d, 32) / dense)

    def constants(self, problem: Problem) -> Constants:
        known = Statement(Kind.EXACT, "every step", "set by construction")
        own = operator_constants(self.compressor, problem.d)
        if self.differences is not None:
            own = Constants()  # the theorems are about differences of one kind of gradients
        elif self.participants is not None and own.omega is not None:
            of_few = Statement(Kind.UPPER, "every step", "n (1 + omega)/r stands for omega")
            omega = problem.n * (1 + own.omega) / self.participants
            own = Constants().state(of_few, omega=omega)
        stated = self.gradients.constants(problem).merge(own)
        return stated.state(known, refresh=self.probability(problem.d, problem.n))

    def init(self, x0: Tensor, context: RunContext) -> MarinaState:
        require_workers(self.participants, context.network.n)
        x = context.rows(x0, 1)
        return MarinaState(x, x, torch.zeros_like(x))

    def step(self, state: MarinaState, t: int, context: RunContext) -> MarinaState:
        whole = self.full_round(t, context)
        if self.participants is None and self.differences is None:
            return self._step(state, t, context, whole)
        takes = whole.expand(*context.replicas.shape, context.network.n)
        bill(context, 1 if self.differences is None else exact_worth(context.problem), takes)
        if t:
            few = taking_part(self.participants, t, context)
            bill(context, 2, ~takes if few is None else few & ~takes)
        with billed_apart(context):
            return self._step(state, t, context, whole)

    def _step(self, state: MarinaState, t: int, context: RunContext, whole: Tensor) -> MarinaState:
        g = self.gradients.compute(state.x, t, context)
        rows = whole.expand(g.shape[:-1])
        full, _ = context.network.average(
            context.pack(Identity(), g, t, sends=rows, purpose="full")
        )
        if t == 0:
            estimate = full
        else:
            source = self.differences
            now = g if source is None else source.compute(state.x, t, context)
            change = now - (source or self.gradients).compute(state.before, t, context)
            sends, share = ~rows, 1.0
            if self.participants is not None:
                taking = participants_of(self.participants, t, context)
                sends = sends & taking[..., context.network.workers]
                share = context.network.n / self.participants
            packet = context.pack(self.compressor.at_step(t), change, t, sends=sends)
            mean, _ = context.network.average(packet)
            estimate = torch.where(whole[..., None], full, state.estimate + share * mean)
        x = context.published(state.x - self.step_rule(t) * estimate, t)
        return MarinaState(x, state.x, estimate)

    def full_round(self, t: int, context: RunContext) -> Tensor:
        """Whether the round sends full gradients ``[..., 1]`` (bool): one coin for all workers."""
        server = context.network.server
        coin = context.key.fold("coin", t).draws(context.replicas, server)
        p = 1.0 if t == 0 else self.probability(context.problem.d, context.network.n)
        return coin.uniform(1, torch.float64)[..., 0] < p

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        if self.participants is not None or self.differences is not None:
            return None
        g, kept, old, change, said = registers(5)
        x, before, estimate, full, mean, ahead = registers(6, lone=True)
        opened = gradient(g, x), keep(kept, 0, g), gathered(full, kept, None, 0)
        closed = (
            copy(before, x),
            plus_scaled(x, x, lambda s: -self.step_rule(s), estimate),
            told(),
        )
        first = Program((*opened, copy(estimate, full), *closed))
        later = Program((
            *opened,
            gradient(old, before),
            subtract(change, g, old),
            sent(said, change),
            keep(said, 1, said),
            gathered(mean, said, 0, 1),
            add(ahead, estimate, mean),
            choose(estimate, 0, full, ahead),
            *closed,
        ))  # fmt: skip
        chance = self.probability(context.problem.d, context.network.n)
        whole = coin_below("coin", lambda s: chance if s else 1.0)
        plan = NeighbourPlan(
            (x, before, estimate), (first, later), None, self.gradients.row_kernel(context),
            self.compressor, program=lambda s: min(s, 1), masks=(whole, outside(whole)),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: MarinaState) -> Tensor:
        return state.x
