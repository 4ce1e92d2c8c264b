"""Outer: what the server makes of the average of local models."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar, final

import torch
from torch import Tensor

from algorithms.core.decays import require_decay
from algorithms.kernels.outer_rows import block_momentum, slow_momentum
from algorithms.kernels.row_parts import RowPart, numbers

State = TypeVar("State")


class Outer(ABC, Generic[State]):
    """init/update pair over the server's row ``[..., 1, d]``; frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @abstractmethod
    def init(self, x: Tensor) -> State:
        """State at the starting model ``[..., 1, d]``."""

    @abstractmethod
    def update(self, state: State, anchor: Tensor, mean: Tensor) -> tuple[State, Tensor]:
        """The next state, and where all workers go on from, ``[..., 1, d]``.

        They began the block at ``anchor`` and ended it at ``mean`` on average.
        """

    def after_block(
        self, state: State, anchor: Tensor, mean: Tensor, gamma: float
    ) -> tuple[State, Tensor]:
        """Result of :meth:`update` after a block whose last local stepsize was ``gamma``."""
        return self.update(state, anchor, mean)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        """:meth:`after_block` as a compiled function (kind "move" of ``kernels/row_parts.py``: the
        mean as the step, the anchor as x), to the bit; None: there is none. A subclass publishes
        its own."""
        return None


@final
@dataclass(frozen=True)
class PlainAverage(Outer[Tensor]):
    """Workers go on from the mean."""

    @property
    def name(self) -> str:
        return "average"

    def init(self, x: Tensor) -> Tensor:
        return torch.zeros(0, dtype=x.dtype, device=x.device)

    def update(self, state: Tensor, anchor: Tensor, mean: Tensor) -> tuple[Tensor, Tensor]:
        return state, mean


@final
@dataclass(frozen=True)
class BlockMomentum(Outer[Tensor]):
    r"""Blockwise model-update filtering: G = \bar x - W_g, \Delta = \eta \Delta + \zeta G, W +=
    \Delta; restart from W_g = W, or from W + \eta \Delta with ``nesterov``.

    It is what other papers call an outer optimiser: heavy ball u = \mu u + D, x += o u for eta =
    \mu and zeta = o (FedAvgM, SlowMo), Nesterov's x += o (D + \mu u) with ``nesterov`` (DiLoCo), a
    server's rate o for eta = 0 (FedAvg); D = \bar x - x and \Delta = o u.

    ``eta`` is the block momentum, ``zeta`` the block learning rate. With eta = 0 and zeta = 1 it
    is the plain average, bit for bit: W_g is computed as \bar x + (\zeta - 1) G + \eta \Delta, with
    the old \Delta, or with the new one for Nesterov's form. (Chen, Huo 2016, ICASSP, Eqs. 4-6;
    their rule is eta = 1 - 1/n: :meth:`of_workers`.)

    Raises:
        ValueError: eta outside [0, 1) or zeta <= 0.
    """

    eta: float
    zeta: float = 1.0
    nesterov: bool = False

    def __post_init__(self) -> None:
        require_decay("eta", self.eta)
        if not self.zeta > 0:
            raise ValueError(f"zeta must be positive, got zeta={self.zeta}")

    @staticmethod
    def of_workers(n: int, *, nesterov: bool = False) -> BlockMomentum:
        """The paper's rule eta = 1 - 1/n, zeta = 1."""
        return BlockMomentum(1 - 1 / n, 1.0, nesterov)

    @property
    def name(self) -> str:
        kind = "Nesterov block momentum" if self.nesterov else "block momentum"
        return f"{kind}(eta={self.eta:g}, zeta={self.zeta:g})"

    def init(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)

    def update(self, state: Tensor, anchor: Tensor, mean: Tensor) -> tuple[Tensor, Tensor]:
        change = mean - anchor
        filtered = self.eta * state + self.zeta * change
        ahead = filtered if self.nesterov else state
        return filtered, mean + (self.zeta - 1) * change + self.eta * ahead

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        factors = torch.tensor([self.eta, self.zeta, self.zeta - 1], dtype=dtype)
        return RowPart(block_momentum, numbers(dtype, factors, ints=(self.nesterov,)), draws=False)


def server_rate(rate: float) -> BlockMomentum:
    r"""FedAvg's server: x += \eta_g (\bar x - x)."""
    return BlockMomentum(0.0, rate)


def server_momentum(rate: float, beta: float) -> BlockMomentum:
    r"""FedAvgM's server: m = \beta m + (1 - \beta) (\bar x - x), x += \eta_g m."""
    return BlockMomentum(beta, rate * (1 - beta))


@final
@dataclass(frozen=True)
class SlowMomentum(Outer[Tensor]):
    r"""u = \beta u + (x - \bar x)/\gamma, x -= \alpha \gamma u, \gamma the local stepsize.

    (SlowMo: Wang, Tantia, Ballas, Rabbat 2019, arXiv:1910.00643, Algorithm 1.) While \gamma stays
    it is :class:`BlockMomentum` with eta = \beta and zeta = \alpha; where it falls, old moves
    shrink with it.

    Attributes:
        beta: \beta, the slow momentum.
        alpha: \alpha, the slow learning rate, a pure number.

    Raises:
        ValueError: beta outside [0, 1) or alpha not positive.
    """

    beta: float
    alpha: float = 1.0

    def __post_init__(self) -> None:
        require_decay("beta", self.beta)
        if not self.alpha > 0:
            raise ValueError(f"alpha must be positive, got alpha={self.alpha}; 1 is the paper's")

    @property
    def name(self) -> str:
        return f"slow momentum(beta={self.beta:g}, alpha={self.alpha:g})"

    def init(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)

    def update(self, state: Tensor, anchor: Tensor, mean: Tensor) -> tuple[Tensor, Tensor]:
        return self.after_block(state, anchor, mean, 1.0)

    def after_block(
        self, state: Tensor, anchor: Tensor, mean: Tensor, gamma: float
    ) -> tuple[Tensor, Tensor]:
        slow = self.beta * state + (anchor - mean) / gamma
        return slow, anchor - self.alpha * gamma * slow

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        if dtype != torch.float64 and math.frexp(self.alpha)[0] != 0.5:
            return None  # alpha times gamma is rounded once, and the kernel has gamma rounded
        return RowPart(slow_momentum, numbers(dtype, self.beta, reals=[self.alpha]), draws=False)
