"""LAMB (You et al. 2019, arXiv:1904.00962); with its ratio held at 1 it is AdamW."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.core.decays import require_decay
from algorithms.kernels.optimizer_rows import layerwise_moments
from algorithms.kernels.row_norms import exact_sqrt
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.optimizers.base import Optimizer
from algorithms.optimizers.layers import (
    FixedTrust,
    NormRatio,
    Shapes,
    Trust,
    layer_norms,
    sizes_of,
    spread,
)


class Moments(NamedTuple):
    """First and second moments ``[..., m, d]``; beta_1^t and beta_2^t, scalars (float64).

    Attributes:
        first: mean m of past gradients ``[..., m, d]``.
        power1: beta_1^t.
        power2: beta_2^t.
    """

    first: Tensor
    second: Tensor
    power1: Tensor
    power2: Tensor


@final
@dataclass(frozen=True)
class LAMB(Optimizer[Moments]):
    r"""r = \hat m / (\sqrt{\hat v} + \epsilon), move \gamma \frac{\phi(\|w_l\|)}{\|u_l\|} u_l.

    u = r + \lambda w, with \hat m = m / (1 - \beta_1^t), \hat v = v / (1 - \beta_2^t) (Algorithm 2)
    and one ratio a layer of ``shapes``. ``trust`` holds phi; FixedTrust(1) gives AdamW (Loshchilov,
    Hutter 2019, arXiv:1711.05101), with ``decay`` = 0 Adam (Kingma, Ba 2015, arXiv:1412.6980).
    ``eps`` [f / x], ``decay`` [1 / x].

    Attributes:
        beta1: \beta_1, decay of the first moment.
        beta2: \beta_2, decay of the second moment.

    Raises:
        ValueError: a beta outside [0, 1), eps <= 0, decay < 0, shapes that do not hold d numbers.
    """

    shapes: Shapes
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-6
    decay: float = 0.0
    trust: Trust = field(default_factory=NormRatio)

    def __post_init__(self) -> None:
        for name in ("beta1", "beta2"):
            require_decay(name, getattr(self, name))
        if not self.eps > 0:
            raise ValueError(f"eps must be positive, got eps={self.eps}")
        if not self.decay >= 0:
            raise ValueError(f"decay must be at least 0, got decay={self.decay}")

    @property
    def name(self) -> str:
        return (
            f"LAMB(beta1={self.beta1:g}, beta2={self.beta2:g}, {self.trust.name}, "
            f"decay={self.decay:g})"
        )

    def init(self, x: Tensor) -> Moments:
        sizes_of(self.shapes, x.shape[-1])
        one = torch.ones((), dtype=torch.float64, device=x.device)
        return Moments(torch.zeros_like(x), torch.zeros_like(x), one, one)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        trust = self.trust.row_numbers()
        if trust is None:
            return None
        given = (self.beta1, 1 - self.beta1, self.beta2, 1 - self.beta2, self.eps, self.decay)
        own = torch.tensor(given, dtype=dtype), torch.tensor(trust, dtype=dtype)
        sizes, betas = sizes_of(self.shapes, d), (self.beta1, self.beta2)
        return RowPart(layerwise_moments, numbers(dtype, *own, ints=sizes, reals=betas))

    def update(
        self, state: Moments, step: Tensor, x: Tensor, gamma: float
    ) -> tuple[Moments, Tensor]:
        g = step / gamma
        kept = Moments(
            self.beta1 * state.first + (1 - self.beta1) * g,
            self.beta2 * state.second + (1 - self.beta2) * (g * g),
            self.beta1 * state.power1,
            self.beta2 * state.power2,
        )
        first = kept.first / (1 - kept.power1).to(x.dtype)
        second = kept.second / (1 - kept.power2).to(x.dtype)
        move = first / (exact_sqrt(second) + self.eps) + self.decay * x
        sizes = sizes_of(self.shapes, x.shape[-1])
        ratio = self.trust.ratio(layer_norms(x, sizes), layer_norms(move, sizes))
        return kept, gamma * spread(ratio, sizes) * move


def adam(
    shapes: Shapes, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8, decay: float = 0.0
) -> LAMB:
    """AdamW, and Adam for decay = 0: LAMB without its layer-wise ratio."""
    return LAMB(shapes, beta1, beta2, eps, decay, FixedTrust())
