"""LARS (You, Gitman, Ginsburg 2017, arXiv:1708.03888)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import torch
from torch import Tensor

from algorithms.core.decays import require_decay
from algorithms.kernels.optimizer_rows import layerwise_momentum
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.optimizers.base import Optimizer, rounded
from algorithms.optimizers.layers import NormRatio, Shapes, Trust, layer_norms, sizes_of, spread


@final
@dataclass(frozen=True)
class LARS(Optimizer[Tensor]):
    r"""u = m u + \gamma r_l (g + \beta w), r_l = \eta \|w_l\| / (\|g_l\| + \beta \|w_l\|).

    One ratio a layer (Algorithm 1; momentum outside the ratio); the move is u. ``shapes`` are the
    model's tensors, flat one after another. A layer of norm 0, or whose gradient is 0, has the
    ratio eta: published code excludes such layers. ``decay`` is beta [f / x^2].

    Attributes:
        trust: eta and what the ratio r_l is made of.

    Raises:
        ValueError: m outside [0, 1), decay < 0, shapes that do not hold d numbers.
    """

    shapes: Shapes
    m: float = 0.9
    decay: float = 0.0
    trust: Trust = field(default_factory=lambda: NormRatio(0.001))

    def __post_init__(self) -> None:
        require_decay("m", self.m)
        if not self.decay >= 0:
            raise ValueError(f"decay must be at least 0, got decay={self.decay}")

    @property
    def name(self) -> str:
        return f"LARS(m={self.m:g}, {self.trust.name}, decay={self.decay:g})"

    def init(self, x: Tensor) -> Tensor:
        sizes_of(self.shapes, x.shape[-1])
        return torch.zeros_like(x)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        trust = self.trust.row_numbers()
        if trust is None:
            return None
        own = torch.tensor((self.m, self.decay), dtype=dtype), torch.tensor(trust, dtype=dtype)
        sizes = sizes_of(self.shapes, d)
        return RowPart(layerwise_momentum, numbers(dtype, *own, ints=sizes, reals=self.decay))

    def update(self, state: Tensor, step: Tensor, x: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
        sizes = sizes_of(self.shapes, x.shape[-1])
        weights = layer_norms(x, sizes)
        slopes = layer_norms(step, sizes) / gamma
        ratio = self.trust.ratio(weights, slopes + self.decay * weights)
        velocity = self.m * state + spread(ratio, sizes) * (
            step + (rounded(gamma, x.dtype) * self.decay) * x
        )
        return velocity, velocity
