"""Delayed block proximal gradient with a KKT filter (Li et al. 2014, NIPS)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.nonzero import NonZero
from algorithms.kernels.prox_events import DELAYED_STEPS
from algorithms.kernels.row_parts import RowPart, filled_in, ready
from algorithms.methods.base import Method, RunContext, dense_bits
from algorithms.methods.parts.gradient_filter import Filter, NoFilter
from algorithms.network.clock import Clock
from algorithms.optimizers.proximal import NoProximal, Proximal, SoftThreshold
from algorithms.pipeline.base import Arrays, Place, StepBlock, Steps
from algorithms.pipeline.events import all_rows, entry_bits, event_block, full_gradient
from algorithms.pipeline.server import NoRowKernel, own
from algorithms.problems.base import Problem
from theory.constants import Constants, Kind, Statement
from theory.stepsizes import Stepsize


class DelayedProximalState(NamedTuple):
    """The last tau + 1 models ``[..., tau + 1, d]``, version t in row t mod (tau + 1), of which
    ``newest`` is the last.

    Attributes:
        versions: the last tau + 1 models ``[..., tau + 1, d]``.
    """

    versions: Tensor
    newest: int


@final
@dataclass(frozen=True)
class DelayedProximal(Method[DelayedProximalState]):
    r"""x_b^{t+1} = prox_{\gamma h}[x_b^t - \frac{\gamma}{n} \sum_i \nabla_b f_i(x^{t - \tau_i})].

    ``blocks`` of coordinates take turns, b = t mod ``blocks``. Worker i works on a model that is
    \tau_i versions old, drawn uniformly from 0, ..., min(``tau``, t), and sends the block of its
    full gradient that ``filter`` lets through. The paper asks for \gamma < 1 / (L_{var} + \tau
    L_{cov}), Lipschitz constants within a block and across blocks. (Li, Andersen, Smola, Yu 2014,
    NIPS, with U = I; Li et al. 2013, NIPS workshop.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        proximal: the regulariser h of the objective, known by its proximal map.

    Raises:
        ValueError: blocks < 1 or tau < 0; more blocks than coordinates.
        NonFiniteGradient: a full gradient is not finite.
    """

    step_rule: Stepsize
    blocks: int = 4
    tau: int = 2
    proximal: Proximal = field(default_factory=lambda: SoftThreshold(0.0))
    filter: Filter = field(default_factory=NoFilter)

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, least in (("blocks", 1), ("tau", 0)):
            if getattr(self, name) < least:
                value = getattr(self, name)
                raise ValueError(f"{name} must be at least {least}, got {name}={value}")

    @property
    def name(self) -> str:
        return (
            f"delayed block prox, {self.blocks} blocks, tau={self.tau}, {self.proximal.name}, "
            f"{self.filter.name}"
        )

    def constants(self, problem: Problem) -> Constants:
        known = Statement(Kind.UPPER, "uniform", "delays are drawn from 0 to tau")
        return problem.constants().state(known, tau=self.tau)

    def init(self, x0: Tensor, context: RunContext) -> DelayedProximalState:
        """The starting point as the only version.

        Raises:
            ValueError: there are more blocks than coordinates.
        """
        if self.blocks > x0.shape[-1]:
            raise ValueError(
                f"blocks must be at most d, got blocks={self.blocks} with d={x0.shape[-1]}"
            )
        return DelayedProximalState(context.rows(x0, self.tau + 1), 0)

    def block(self, t: int, d: int) -> slice:
        """The coordinates of step t: blocks differ in size by one at most."""
        b = t % self.blocks
        return slice(b * d // self.blocks, (b + 1) * d // self.blocks)

    def step(
        self, state: DelayedProximalState, t: int, context: RunContext
    ) -> DelayedProximalState:
        x, gamma = self.models(state), self.step_rule(t)
        block = self.block(t, x.shape[-1])
        read = self._read(state, t, context)
        g = context.checked(context.problem.full_gradient(read, context.network.workers), t)
        part = g[..., block]
        kept = torch.where(self.filter.sends(part, read[..., block], t), part, 0)
        mean, _ = context.network.average(context.pack(NonZero(), kept, t))
        moved = self.proximal.apply(x[..., block] - gamma * mean, gamma, t)
        x[..., block] = context.published(moved, t)
        newest = (t + 1) % (self.tau + 1)
        state.versions[..., newest, :] = x[..., 0, :]
        return state._replace(newest=newest)

    def _read(self, state: DelayedProximalState, t: int, context: RunContext) -> Tensor:
        """The models ``[..., m, d]`` that the workers held here read."""
        age = context.draws("delay", t).integers(min(self.tau, t) + 1, 1)
        row = (t - age) % (self.tau + 1)
        return state.versions.gather(-2, row.expand(*age.shape[:-1], state.versions.shape[-1]))

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return event_block(DelayedBlock, context, self)

    def models(self, state: DelayedProximalState) -> Tensor:
        return state.versions[..., state.newest : state.newest + 1, :].clone()


@final
class DelayedBlock(StepBlock):
    """Steps of :class:`DelayedProximal`.

    Raises:
        NoRowKernel: a part publishes no compiled function.
    """

    bits_vary = True

    def __init__(self, place: Place, _: RowPart, method: DelayedProximal) -> None:
        full, dtype = full_gradient(place), place.problem.dtype
        super().__init__(place, full, method.step_rule)
        if method.filter.limit(0) is None:
            raise NoRowKernel
        self.filter, blocks = method.filter, range(method.blocks)
        cut = [method.block(b, self.d) for b in blocks]
        widths = [here.stop - here.start for here in cut]
        self.down = np.array([dense_bits(width, dtype) for width in widths])
        change = own(method.proximal, NoProximal, self.d, dtype)
        self.parts = (
            ready(full.function, "gradient", dtype), full.numbers,
            *filled_in(dtype, change, "change")[:2], change is not None,
            np.array([entry_bits(width, dtype) for width in widths]),
        )  # fmt: skip

    def purposes(self) -> tuple[str, ...]:
        return ("delay",)

    def enter(self, state: DelayedProximalState) -> Arrays:
        versions = all_rows(state.versions)
        return versions, np.full(len(versions), state.newest)

    def run(self, arrays: Arrays, steps: Steps) -> int:
        ahead = range(steps.t, steps.t + steps.count)
        limits = np.array([self.filter.limit(t) for t in ahead], np.float64).astype(self.kind)
        found: int = DELAYED_STEPS.for_dtype(self.dtype)(
            *self.parts, *arrays, limits, steps.gammas, steps.t, self.words(steps, "delay"),
            steps.replicas, steps.bits,
        )  # fmt: skip
        return found

    def leave(self, arrays: Arrays, state: DelayedProximalState) -> DelayedProximalState:
        versions = torch.from_numpy(arrays[0]).view(state.versions.shape)
        return state._replace(versions=versions, newest=int(arrays[1][0]))

    def charge(self, steps: Steps) -> None:
        ups = torch.from_numpy(steps.bits.sum(0)).view(*self.place.replicas.shape, self.n)
        self.network.charge_upload(ups, steps.count)
        turns = np.arange(steps.t, steps.t + steps.count) % len(self.down)
        self.network.charge_receive(int(self.down[turns].sum()), steps.count)

    def charge_time(self, watch: Clock, steps: Steps, place: int) -> None:
        ups = torch.from_numpy(steps.bits[place]).view(*self.place.replicas.shape, self.n)
        watch.work()
        watch.up(ups, 1)
        watch.down(int(self.down[(steps.t + place) % len(self.down)]))
