"""FedAdam, FedYogi and FedAdagrad: adaptive servers (Reddi et al. 2020, arXiv:2003.00295)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.core.decays import require_decay
from algorithms.kernels import outer_rows
from algorithms.kernels.row_norms import exact_sqrt
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.optimizers.outer import Outer


class SecondMoment(Enum):
    """Rule by which v takes in the square of the mean change."""

    ADAM = "Adam"
    YOGI = "Yogi"
    ADAGRAD = "Adagrad"


class ServerMoments(NamedTuple):
    """Moments of past mean changes ``[..., 1, d]``: first m, second v.

    Attributes:
        first: m [x].
        second: v [x^2].
    """

    first: Tensor
    second: Tensor


@final
@dataclass(frozen=True)
class AdaptiveServer(Outer[ServerMoments]):
    r"""D = \bar x - x, m = \beta_1 m + (1 - \beta_1) D, x += \eta_g m / (\sqrt v + \tau).

    v = \beta_2 v + (1 - \beta_2) D^2 (Adam), v - (1 - \beta_2) D^2 sign(v - D^2) (Yogi), or v + D^2
    (Adagrad); v starts at \tau^2 and nothing is corrected for its start (Algorithm 2). ``rate`` is
    \eta_g [x], ``tau`` [x]. With \tau far above all |D| and \eta_g/\tau fixed it is FedAvgM: of
    rate \eta_g/(2 \tau) under Yogi and Adagrad, whose v stays where it starts, of
    \eta_g/(\tau + \tau \beta_2^{k/2}) in round k under Adam, whose v forgets its start.

    Attributes:
        kind: the rule for v.
        beta1: \beta_1, decay of the first moment.
        beta2: \beta_2, decay of the second moment; Adagrad has none.

    Raises:
        ValueError: a beta outside [0, 1), or rate or tau not positive.
    """

    kind: SecondMoment
    rate: float
    tau: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.99

    def __post_init__(self) -> None:
        for name in ("beta1", "beta2"):
            require_decay(name, getattr(self, name))
        for name in ("rate", "tau"):
            value = getattr(self, name)
            if not value > 0:
                raise ValueError(f"{name} must be positive, got {name}={value}")

    @property
    def name(self) -> str:
        return f"Fed{self.kind.value}(eta_g={self.rate:g}, tau={self.tau:g})"

    def init(self, x: Tensor) -> ServerMoments:
        return ServerMoments(torch.zeros_like(x), torch.full_like(x, self.tau**2))

    def second(self, v: Tensor, change: Tensor) -> Tensor:
        """The next v, given the mean change D ``[..., 1, d]``."""
        square = change * change
        if self.kind is SecondMoment.ADAGRAD:
            return v + square
        if self.kind is SecondMoment.ADAM:
            return self.beta2 * v + (1 - self.beta2) * square
        return v - (1 - self.beta2) * square * (v - square).sign()

    def update(
        self, state: ServerMoments, anchor: Tensor, mean: Tensor
    ) -> tuple[ServerMoments, Tensor]:
        change = mean - anchor
        first = self.beta1 * state.first + (1 - self.beta1) * change
        second = self.second(state.second, change)
        return (
            ServerMoments(first, second),
            anchor + self.rate * (first / (exact_sqrt(second) + self.tau)),
        )

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        own = [self.beta1, 1 - self.beta1, self.beta2, 1 - self.beta2, self.rate, self.tau]
        packed = numbers(dtype, torch.tensor(own, dtype=dtype), ints=(_RULES[self.kind],))
        return RowPart(outer_rows.adaptive, packed, draws=False)


_RULES = {
    SecondMoment.ADAM: outer_rows.ADAM,
    SecondMoment.YOGI: outer_rows.YOGI,
    SecondMoment.ADAGRAD: outer_rows.ADAGRAD,
}
