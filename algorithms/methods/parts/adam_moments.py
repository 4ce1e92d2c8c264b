"""Moments of Adam without correction of their start, as methods that compress them keep them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from torch import Tensor

from algorithms.core.decays import require_decay
from algorithms.kernels.row_norms import exact_sqrt
from algorithms.pipeline.row_programs import Operation, Register, blend, multiply, root


@final
@dataclass(frozen=True)
class AdamMoments:
    r"""m = \beta_1 m + (1 - \beta_1) g, v = \beta_2 v + (1 - \beta_2) g^2, direction
    m / (\sqrt v + \epsilon): Adam (Kingma, Ba 2015, arXiv:1412.6980) without dividing by
    1 - \beta^t.

    Attributes:
        beta1: \beta_1, decay of the first moment.
        beta2: \beta_2, decay of the second moment.
        eps: \epsilon [f / x], what keeps the direction finite where v is 0.

    Raises:
        ValueError: a beta outside [0, 1) or eps <= 0.
    """

    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8

    def __post_init__(self) -> None:
        for name in ("beta1", "beta2"):
            require_decay(name, getattr(self, name))
        if not self.eps > 0:
            raise ValueError(f"eps must be positive, got eps={self.eps}; 1e-8 would do")

    def first(self, m: Tensor, g: Tensor) -> Tensor:
        r"""\beta_1 m + (1 - \beta_1) g, rows ``[..., m, d]``."""
        return self.beta1 * m + (1 - self.beta1) * g

    def second(self, v: Tensor, g: Tensor) -> Tensor:
        r"""\beta_2 v + (1 - \beta_2) g^2, rows ``[..., m, d]``."""
        return self.beta2 * v + (1 - self.beta2) * (g * g)

    def scale(self, v: Tensor) -> Tensor:
        r"""\sqrt v + \epsilon, by which directions are divided, rows ``[..., m, d]``."""
        return exact_sqrt(v) + self.eps

    def first_rows(self, out: Register, m: Register, g: Register) -> Operation:
        """:meth:`first` as an operation on rows."""
        return blend(out, self.beta1, m, 1 - self.beta1, g)

    def second_rows(self, v: Register, g: Register) -> tuple[Operation, ...]:
        """:meth:`second` as operations on rows, in place of v."""
        square = Register(lone=v.lone)
        return multiply(square, g, g), blend(v, self.beta2, v, 1 - self.beta2, square)

    def scale_rows(self, out: Register, v: Register) -> Operation:
        """:meth:`scale` as an operation on rows."""
        return root(out, v, self.eps)
