"""Random mask and subsampling (Konecny et al. 2016, arXiv:1610.05492, Sections 2 and 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.compressors.base import Property
from algorithms.compressors.masked import MaskCompressor
from algorithms.core.key import Draws, below_one
from algorithms.kernels.mask_to_indices import drawn_limit
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sparsifier_rows import random_mask
from theory import bits
from theory.claims import Claim, Confidence, Contraction, Source, Unbiased, VarianceBound

_MASK = Source("Konecny et al.", 2016, "1610.05492", "random mask")
_SUBSAMPLING = Source("Konecny et al.", 2016, "1610.05492", "subsampling")


@final
@dataclass(frozen=True)
class RandomMask(MaskCompressor):
    r"""Keep each coordinate with probability q, by itself: a Bernoulli mask, drawn afresh.

    As it is (random mask): $E\,C(x) = qx$ and $E\|C(x) - x\|^2 = (1 - q)\|x\|^2$ for every x, a
    contraction with delta = q. Scaled by 1/q (subsampling): unbiased,
    $E\|C(x) - x\|^2 = (1/q - 1)\|x\|^2$ for every x. A fixed fraction in place of a coin for each
    coordinate is :class:`~algorithms.compressors.rand_k.RandK`.

    With a shared seed the message is the values, q d of them on average; with ``send_indices``,
    masks being the workers' own, the indices too. Uniforms are of double precision.

    Attributes:
        scaled: whether the kept values are multiplied by 1/q.

    Raises:
        ValueError: q outside (0, 1].
    """

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION, Property.LINEAR}
    )

    q: float
    scaled: bool = False
    send_indices: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.q <= 1:
            raise ValueError(f"q must lie in (0, 1], got q={self.q}")

    @property
    def name(self) -> str:
        kind = "subsampling" if self.scaled else "random mask"
        return f"{kind}(q={self.q:g}{', indices sent' if self.send_indices else ''})"

    @property
    def indices_sent(self) -> bool:
        return self.send_indices

    @property
    def factor(self) -> float:
        return 1 / self.q if self.scaled else 1.0

    def claims(self, d: int) -> tuple[Claim, ...]:
        if not self.scaled:
            return (Contraction(self.q, "q", _MASK, True, Confidence.DERIVED),)
        omega = 1 / self.q - 1
        return (
            Unbiased(_SUBSAMPLING),
            VarianceBound(omega, "1/q - 1", _SUBSAMPLING, True, Confidence.DERIVED),
        )

    def mask(self, x: Tensor, draws: Draws) -> Tensor:
        return self.mask_again(x.shape[-1], draws)

    def mask_again(self, d: int, draws: Draws) -> Tensor:
        return below_one(draws, self.q, d)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        ints = (*self.lengths(d, dtype), drawn_limit(self.q), int(self.indices_sent))
        return RowPart(random_mask, numbers(dtype, self.factor, ints=ints), work=16 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """The expected length: q d entries."""
        index = bits.index_bits(d) if self.send_indices else 0
        return self.q * d * (float_bits + index)
