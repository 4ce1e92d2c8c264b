"""GradiVeQ (Yu, Lin, Narra, Li, Li, Kim, Schwing, Annavaram, Avestimehr 2018, arXiv:1811.03617)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels import projection
from algorithms.methods.base import Method, World
from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.stepsizes import Stepsize


class GradiVeQState(NamedTuple):
    """Model ``[..., 1, d]``, residuals ``[..., m, d]``, slice covariance ``[..., 1, K, K]`` of the
    averaged gradients seen while learning, and the basis ``[..., 1, K, k]``.

    Attributes:
        x: the model ``[..., 1, d]``.
        residual: what each worker has not sent yet ``[..., m, d]``.
    """

    x: Tensor
    residual: Tensor
    covariance: Tensor
    basis: Tensor


@final
@dataclass(frozen=True)
class GradiVeQ(Method[GradiVeQState]):
    r"""Slices of ``length`` K are sent as their k coefficients in a basis U that all workers know.

    Every ``cycle`` steps the first ``learn`` go uncompressed, and U becomes the k leading
    eigenvectors of \sum g g^T over all slices of their averaged gradients; the others send
    U^T (g_i + e_i), which is summed as it is (a linear operator, so any all-reduce will do) and
    decoded once. ``feedback`` keeps what the basis does not hold; the paper goes without.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.

    Raises:
        ValueError: k outside [1, K], or learn outside [1, cycle].
    """

    step_rule: Stepsize
    length: int = 8
    k: int = 2
    learn: int = 10
    cycle: int = 100
    feedback: bool = False

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 1 <= self.k <= self.length:
            raise ValueError(f"k must lie in [1, length={self.length}], got k={self.k}")
        if not 1 <= self.learn <= self.cycle:
            raise ValueError(f"learn must lie in [1, cycle={self.cycle}], got learn={self.learn}")

    @property
    def name(self) -> str:
        tail = ", error feedback" if self.feedback else ""
        return f"GradiVeQ({self.k} of {self.length}, learns {self.learn} of {self.cycle}{tail})"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().uniform("G2")

    def learning(self, t: int) -> bool:
        """Whether step t goes uncompressed."""
        return t % self.cycle < self.learn

    def init(self, x0: Tensor, world: World) -> GradiVeQState:
        x, rows = world.rows(x0, 1), world.rows(x0, len(world.network.workers))
        square = x.new_zeros((*x.shape[:-1], self.length, self.length))
        eye = torch.eye(self.length, self.k, dtype=x.dtype, device=x.device)
        basis = eye.expand(*x.shape[:-1], self.length, self.k)
        return GradiVeQState(x, torch.zeros_like(rows), square, basis)

    def step(self, state: GradiVeQState, t: int, world: World) -> GradiVeQState:
        wanted = self.step_rule(t) * world.gradient(state.x, t)
        if self.feedback:
            wanted = wanted + state.residual
        if self.learning(t):
            return self._learn(state, wanted, t, world)
        d = wanted.shape[-1]
        basis = state.basis.expand(*wanted.shape[:-1], *state.basis.shape[-2:])
        c = projection.coefficients(wanted, basis)
        mean, own = world.network.average(world.pack(Identity(), c, t))
        step = projection.restored(world.published(mean, t), state.basis, d)
        left = wanted - projection.restored(own, basis, d) if self.feedback else state.residual
        return state._replace(x=state.x - step, residual=left)

    def _learn(self, state: GradiVeQState, wanted: Tensor, t: int, world: World) -> GradiVeQState:
        """An uncompressed step; its averaged gradient is added to what the basis is made of."""
        mean, sent = world.network.average(world.pack(Identity(), wanted, t))
        mean = world.published(mean, t)
        cut = projection.slices(mean, self.length)
        before = torch.zeros_like(state.covariance) if t % self.cycle == 0 else state.covariance
        covariance = before + (cut[..., :, :, None] * cut[..., :, None, :]).sum(-3)
        basis = state.basis
        if t % self.cycle == self.learn - 1:
            basis = leading(covariance, self.k)
        left = wanted - sent if self.feedback else state.residual
        return GradiVeQState(state.x - mean, left, covariance, basis)

    def models(self, state: GradiVeQState) -> Tensor:
        return state.x


def leading(covariance: Tensor, k: int) -> Tensor:
    """The k leading eigenvectors ``[..., K, k]`` of symmetric matrices, signs fixed: the entry of
    largest magnitude is positive."""
    vectors: Tensor = torch.linalg.eigh(covariance).eigenvectors.flip(-1)[..., :k]
    at = vectors.abs().argmax(-2, keepdim=True)
    return vectors * torch.where(vectors.gather(-2, at) < 0, -1.0, 1.0)
