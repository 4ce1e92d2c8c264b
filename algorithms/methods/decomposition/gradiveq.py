"""GradiVeQ (Yu, Lin, Narra, Li, Li, Kim, Schwing, Annavaram, Avestimehr 2018, arXiv:1811.03617)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.compressors.requirements import require_finite
from algorithms.kernels import projection
from algorithms.kernels.slice_steps import products
from algorithms.methods.base import Method, RunContext
from algorithms.methods.decomposition.gradiveq_block import SliceBlock
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.stepsizes import Stepsize


class GradiVeQState(NamedTuple):
    """Model and residuals; mean and slice covariance ``[..., 1, K, K]`` of the averaged gradients
    seen while learning, and the basis ``[..., 1, K, k]``.

    Attributes:
        x: the model ``[..., 1, d]``.
        residual: what each worker has not sent yet ``[..., m, d]``.
        mean: the whitening vector mu ``[..., 1, d]`` [f / x]; zero where nothing is subtracted.
    """

    x: Tensor
    residual: Tensor
    mean: Tensor
    covariance: Tensor
    basis: Tensor


@final
@dataclass(frozen=True)
class GradiVeQ(Method[GradiVeQState]):
    r"""Slices of ``length`` K are sent as their k coefficients in a basis U that all workers know.

    Every ``cycle`` steps the first ``learn`` go uncompressed. \mu is the mean of their averaged
    gradients, slice by slice, and U the k leading eigenvectors of \sum (g - \mu)(g - \mu)^T over
    all slices, one for all of them (the paper's s = \infty). The other steps send U^T (g_i + e_i -
    \mu), which is averaged as it is (an affine operator, so any all-reduce will do) and decoded
    once, U c + \mu (Eq. 3 to 5, in the convention of means). ``centred`` false: \mu = 0, and U is
    that of the second moment about zero. ``feedback`` keeps what the basis does not hold; the paper
    goes without. What lies outside U stays at \mu until the next cycle, so that steps between two
    learnings should be few against 1/(\gamma L).

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        learn: uncompressed steps of a cycle, L_t in the paper.
        cycle: steps from one learning to the next, L in the paper: 100 of 500 there.

    Raises:
        ValueError: k outside [1, K], or learn outside [1, cycle].
    """

    step_rule: Stepsize
    length: int = 8
    k: int = 2
    learn: int = 4
    cycle: int = 20
    feedback: bool = False
    centred: bool = True

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 1 <= self.k <= self.length:
            raise ValueError(f"k must lie in [1, length={self.length}], got k={self.k}")
        if not 1 <= self.learn <= self.cycle:
            raise ValueError(f"learn must lie in [1, cycle={self.cycle}], got learn={self.learn}")

    @property
    def name(self) -> str:
        tail = ", error feedback" if self.feedback else ""
        tail += "" if self.centred else ", not centred"
        return f"GradiVeQ({self.k} of {self.length}, learns {self.learn} of {self.cycle}{tail})"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().uniform("G2")

    def learning(self, t: int) -> bool:
        """Whether step t goes uncompressed."""
        return t % self.cycle < self.learn

    def init(self, x0: Tensor, context: RunContext) -> GradiVeQState:
        x, rows = context.rows(x0, 1), context.rows(x0, len(context.network.workers))
        square = x.new_zeros((*x.shape[:-1], self.length, self.length))
        eye = torch.eye(self.length, self.k, dtype=x.dtype, device=x.device)
        basis = eye.expand(*x.shape[:-1], self.length, self.k)
        return GradiVeQState(x, torch.zeros_like(rows), torch.zeros_like(x), square, basis)

    def step(self, state: GradiVeQState, t: int, context: RunContext) -> GradiVeQState:
        wanted = self.step_rule(t) * context.gradient(state.x, t)
        if self.feedback:
            wanted = wanted + state.residual
        if self.learning(t):
            return self._learn(state, wanted, t, context)
        d = wanted.shape[-1]
        basis = state.basis.expand(*wanted.shape[:-1], *state.basis.shape[-2:])
        centre = self.step_rule(t) * state.mean
        c = projection.coefficients(wanted - centre, basis)
        mean, own = context.network.average(context.pack(Identity(), c, t))
        step = centre + projection.restored(context.published(mean, t), state.basis, d)
        sent = centre + projection.restored(own, basis, d)
        left = wanted - sent if self.feedback else state.residual
        return state._replace(x=state.x - step, residual=left)

    def _learn(
        self, state: GradiVeQState, wanted: Tensor, t: int, context: RunContext
    ) -> GradiVeQState:
        """An uncompressed step; its averaged gradient is added to mean and covariance."""
        seen, gamma = t % self.cycle, self.step_rule(t)
        mean, sent = context.network.average(context.pack(Identity(), wanted, t))
        mean = context.published(mean, t)
        fresh = torch.zeros_like if seen == 0 else torch.clone
        centre, covariance = fresh(state.mean), fresh(state.covariance)
        off = mean / gamma - centre
        weight = 1.0
        if self.centred:  # running moments, which lose nothing where the mean is large
            centre, weight = centre + off / (seen + 1), seen / (seen + 1)
        cut = projection.slices(off, self.length)
        covariance = covariance + weight * products(cut)
        basis = leading(covariance, self.k) if seen == self.learn - 1 else state.basis
        left = wanted - sent if self.feedback else state.residual
        return GradiVeQState(state.x - mean, left, centre, covariance, basis)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return rounds_block(partial(SliceBlock, leading=leading), context, t, self)

    def models(self, state: GradiVeQState) -> Tensor:
        return state.x


def leading(covariance: Tensor, k: int) -> Tensor:
    """The k leading eigenvectors ``[..., K, k]`` of symmetric matrices, signs fixed: the entry of
    largest magnitude is positive.

    Raises:
        OutOfRange: the matrices are not finite: gradients grew beyond the range of their type.
    """
    require_finite(covariance, covariance, "GradiVeQ's basis")
    vectors: Tensor = torch.linalg.eigh(covariance).eigenvectors.flip(-1)[..., :k]
    at = vectors.abs().argmax(-2, keepdim=True)
    return vectors * torch.where(vectors.gather(-2, at) < 0, -1.0, 1.0)
