"""Sketched-SGD (Ivkin, Rothchild, Ullah, Braverman, Stoica, Arora 2019, arXiv:1903.04488)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.count_sketch import hashes
from algorithms.compressors.identity import Identity
from algorithms.compressors.requirements import kept, share_name
from algorithms.compressors.top_k import TopK
from algorithms.kernels import selection
from algorithms.kernels import sketch as kernel
from algorithms.methods.base import Method, RunContext
from algorithms.methods.decomposition.sketched_block import HeavyBlock
from algorithms.methods.parts.coordinate_list import CoordinateList
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.stepsizes import Stepsize


class SketchedState(NamedTuple):
    """The server's model ``[..., 1, d]`` and what each worker has not sent yet ``[..., m, d]``.

    Attributes:
        x: the server's model ``[..., 1, d]``.
        residual: what each worker has not sent yet ``[..., m, d]``.
    """

    x: Tensor
    residual: Tensor


@final
@dataclass(frozen=True)
class SketchedSGD(Method[SketchedState]):
    r"""Two rounds a step (Algorithms 2 and 3, HEAVYMIX).

    u_i = \gamma g_i + e_i. First the workers send count sketches S(u_i), which the server averages:
    S is linear and its hashes are shared, so that is S(mean u). It asks for the ``oversampling`` k
    coordinates whose estimates are largest; the workers send their exact values; the server keeps
    the k largest means and takes that step. e_i = u_i without the coordinates that were taken.
    The hashes are drawn once for the run.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        rows: rows of a count sketch, each with a hash of its own.
        width: counters in a row of the sketch.

    Raises:
        ValueError: rows, width or oversampling below 1; k that does not fit d.
    """

    step_rule: Stepsize
    k: int | float
    rows: int = 5
    width: int = 16
    oversampling: int = 4

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("rows", "width", "oversampling"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {name}={getattr(self, name)}")

    @property
    def name(self) -> str:
        return f"Sketched-SGD({share_name(self.k)}, sketch {self.rows} x {self.width})"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().uniform("G2")

    def asked(self, d: int) -> int:
        """Number of exact values in the second round."""
        return min(d, self.oversampling * kept(self.k, d))

    def init(self, x0: Tensor, context: RunContext) -> SketchedState:
        rows = context.rows(x0, len(context.network.workers))
        return SketchedState(context.rows(x0, 1), torch.zeros_like(rows))

    def step(self, state: SketchedState, t: int, context: RunContext) -> SketchedState:
        d = state.x.shape[-1]
        u = state.residual + self.step_rule(t) * context.gradient(state.x, t)
        heavy = self._heavy(u, t, context)
        values = u.gather(-1, heavy.expand(*u.shape[:-1], -1))
        exact, _ = context.network.average(context.pack(Identity(), values, t, purpose="values"))
        k = kept(self.k, d)
        answer = context.pack_server(TopK(k), exact, t, purpose="largest values")
        incoming = context.network.publish(answer)
        best = selection.largest(incoming, k)
        chosen = heavy.gather(-1, best)
        step = torch.zeros_like(state.x).scatter_(-1, chosen, incoming.gather(-1, best))
        left = u.scatter(-1, chosen.expand(*u.shape[:-1], -1), 0.0)
        return SketchedState(state.x - step, left)

    def _heavy(self, u: Tensor, t: int, context: RunContext) -> Tensor:
        """Coordinates ``[..., 1, asked]`` of the largest estimates, ascending."""
        d = u.shape[-1]
        draws = context.key.fold("hashes").draws(context.replicas, context.network.server)
        table = hashes(draws, self.rows, self.width, d)
        rows = kernel.sketch(u, table.expand(*u.shape[:-1], self.rows, d), self.width)
        flat = rows.reshape(*rows.shape[:-2], -1)
        mean, _ = context.network.average(context.pack(Identity(), flat, t, purpose="sketch"))
        merged = mean.reshape(*mean.shape[:-1], self.rows, self.width)
        found = kernel.median_estimates(merged, table)
        wanted = selection.largest(found, self.asked(d))
        question = context.pack_server(CoordinateList(d), wanted, t, purpose="coordinates")
        return context.network.publish(question)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return rounds_block(HeavyBlock, context, t, self)

    def models(self, state: SketchedState) -> Tensor:
        return state.x
