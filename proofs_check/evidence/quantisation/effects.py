"""Effects of quantised means and gradients: what each row is for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.atomo import Atomo
from algorithms.compressors.base import Compressor
from algorithms.compressors.centred import Centred
from algorithms.compressors.k_level import KLevel, Span
from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.one_bit import OneBit
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.rotated import Rotated
from algorithms.compressors.spectral_atomo import SpectralAtomo
from algorithms.compressors.variable_length import VariableLength
from algorithms.core.key import Draws, uniforms
from algorithms.kernels import dithering
from algorithms.methods.base import Method
from algorithms.methods.quantisation.terngrad import TernGradSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.evidence.quantisation.closed_forms import UncappedAtomo
from proofs_check.evidence.quantisation.closed_forms_qsgd import Shuffled, SignsAlone
from proofs_check.instruments.bits_setting import SLOW, bits_until, noisy
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.effect_check import EffectCheck
from proofs_check.instruments.mean_estimation_setting import (
    REPLICAS,
    Estimate,
    by_operator,
    by_row,
    estimate,
    normal_rows,
)
from proofs_check.instruments.sizes import Sizes, SweepPlace, swept
from proofs_check.mutants.method_mutant import FaultyCompressor
from proofs_check.mutants.undithered import Undithered
from theory.arrays import Floats

Make = Callable[[Tensor], Method[Any]]
"""The method that estimates the mean of rows ``[n, d]``."""


def _by(make: Callable[[int], Compressor]) -> Make:
    """A mean of what the operator for rows of d entries makes of every row."""
    return lambda rows: by_operator(make(rows.shape[-1]))


def _error(found: Estimate, rows: Tensor) -> Floats:
    """Squared error in mean squared norms of the rows."""
    return found.error / float(rows.square().sum(-1).mean())


def _price(found: Estimate, rows: Tensor) -> Floats:
    """Squared error in mean squared norms, times bits an entry."""
    return found.bits / rows.shape[-1] * _error(found, rows)


ERROR = "squared error of the mean / mean squared norm"
PRICE = "squared error of the mean / mean squared norm x bits an entry"


def _estimated(
    key: str, effect: str, sizes: Sizes, rows: Callable[[SweepPlace], Tensor],
    read: Callable[[Estimate, Tensor], Floats] = _error, replicas: int = REPLICAS, **arms: Any,
) -> EffectCheck:  # fmt: skip
    """Reading of the estimated mean of the ``rows`` of each size."""

    def value(make: Make, at: SweepPlace) -> Floats:
        here = rows(at)
        return np.asarray(read(estimate(make(here), here, replicas, at.seed), here))

    note = f"{sizes.note}{replicas} replicas"
    return swept(key, effect, sizes._replace(note=note), value, **arms)


def _normal(at: SweepPlace) -> Tensor:
    return normal_rows(at.n, at.size)


@final
@dataclass(frozen=True)
class UpsideDown(FaultyCompressor):
    """Natural dithering of norm - |x_j|: its levels lie dense at the norm, not at zero."""

    right: NaturalDithering

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        scale = self.right.scale(x)
        rest = torch.copysign(scale - x.abs(), x)
        return scale, dithering.dithered(rest, scale, self.right.s, uniforms(draws, x))

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        rest = self.right.decode(symbols, d, dtype, draws)
        return torch.copysign(symbols[0] - rest.abs(), rest)


@final
@dataclass(frozen=True)
class Masked(FaultyCompressor):
    """Levels to which the place in the row is added, modulo their number: all are as frequent."""

    right: VariableLength

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        *front, levels = self.right.encode(x, draws)
        return *front, self._turned(levels, 1)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        *front, levels = symbols
        return self.right.decode((*front, self._turned(levels, -1)), d, dtype, draws)

    def _turned(self, levels: Tensor, sign: int) -> Tensor:
        d = levels.shape[-1]
        k = self.right.levels(d)
        return ((levels.to(torch.int64) + sign * torch.arange(d)) % k).to(levels.dtype)


def _similar(n: int, d: int) -> Tensor:
    """One N(0, 1) vector for all rows, and N(0, 0.01) of their own."""
    return normal_rows(1, d, "common") + 0.1 * normal_rows(n, d, "own")


ATOMO = _estimated(
    "atomo",
    "the best chances for a given number of entries leave a small part of the variance that equal "
    "chances leave",
    Sizes(
        "mean of 64 rows whose entries fall as 1/j, d = 256", (32, 64, 128, 256), "dimension d",
        ERROR, n=64, d=None,
    ),
    lambda at: _similar(at.n, at.size) / (1 + torch.arange(at.size)), replicas=192,
    method=("ATOMO, a quarter of the entries on average", partial(by_row, "atomo")),
    baseline=(
        "a random quarter of the entries, scaled up", _by(lambda _: RandK(0.25, scaled=True))
    ),
    without=(
        "chances in proportion to the entries, without the cap at 1",
        _by(lambda d: UncappedAtomo(Atomo(d // 4))),
    ),
    at_most=0.15,
    source="Wang, Sievert, Liu, Charles, Papailiopoulos, Wright 2018, arXiv:1806.04090, Theorem 4",
)  # fmt: skip

NATURAL_COMPRESSION = contrast(
    "natural-compression",
    "signs and exponents alone reach the accuracy of full gradients for six tenths of their bits, "
    "at most",
    replace(
        SLOW, title=f"{SLOW.title}, zeta2 = 0.1", replicas=96,
        problem=partial(Quadratic.strongly_convex, mu=0.01, sigma2=0.0, zeta2=0.1),
    ),
    bits_until(1e-3),
    method="natural compression",
    baseline=arm("BSP with full gradients", lambda it: BSP(it.step), replicas=1),
    without=arm(
        "every entry goes to the nearer power of two, not by chance",
        lambda it: BSP(it.step, Undithered(NaturalCompression())), replicas=1,
    ),
    at_most=0.6,
    source="Horvath, Ho, Horvath, Sahu, Canini, Richtarik 2019, arXiv:1905.10988, Theorem 3: "
    "omega = 1/8",
)  # fmt: skip

NATURAL_DITHERING = _estimated(
    "natural-dithering",
    "levels that halve leave far less variance than as many levels at equal distances",
    Sizes(
        "mean of 4 normal rows, d = 4096", (64, 256, 1024, 4096), "dimension d", ERROR, n=4,
        d=None,
    ),
    _normal,
    method=("natural dithering, 8 levels", partial(by_row, "natural-dithering")),
    baseline=("QSGD with 8 levels, the same bits", _by(lambda _: QSGD(8))),
    without=(
        "as many levels, that halve towards one", _by(lambda _: UpsideDown(NaturalDithering(8)))
    ),
    at_most=0.1,
    source="Horvath, Ho, Horvath, Sahu, Canini, Richtarik 2019, arXiv:1905.10988, Theorem 8: "
    "exponentially better than standard dithering",
)  # fmt: skip

QSGD_LEVELS = contrast(
    "qsgd",
    "four levels reach the accuracy of full gradients for a small part of the bits, because their "
    "errors cancel on average",
    replace(noisy(3.0), replicas=96), bits_until(0.05),
    method="QSGD, 4 levels",
    baseline=arm("BSP with full gradients", lambda it: BSP(it.step)),
    without=arm(
        "every entry goes to the nearest level, not by chance",
        lambda it: BSP(it.step, Undithered(QSGD(4))),
    ),
    at_most=0.66,
    source="Alistarh, Grubic, Li, Tomioka, Vojnovic 2017, arXiv:1610.02132, Theorems 3.2 and 3.4",
)  # fmt: skip

RANDOMISED_MEAN = _estimated(
    "randomised-mean",
    "a centre that is sent once takes the variance of what all entries share away",
    Sizes(
        "mean of 8 rows of N(8, 1), d = 64", (0, 1, 2, 4, 8),
        "offset of the rows [standard deviations of an entry]",
        "squared error of the mean x bits, both an entry [squared entry]",
        "a quarter of the entries on average, ", n=8, d=64,
    ),
    lambda at: at.size + normal_rows(at.n, at.d),
    lambda found, rows: found.product / rows.shape[-1] ** 2,
    method=("randomised mean about the rows' mean", partial(by_row, "randomised-mean")),
    baseline=(
        "a random quarter of the entries, scaled up", _by(lambda _: RandK(0.25, scaled=True))
    ),
    without=(
        "the best chances about zero instead of the centre",
        _by(lambda _: Centred(0.25, mean=False)),
    ),
    at_most=0.05,
    source="Konecny, Richtarik 2016, arXiv:1611.07555, Lemma 3 and Section 5 (optimal centres and "
    "probabilities)",
    scales=("linear", "log"),
)  # fmt: skip


def _spiky(at: SweepPlace) -> Tensor:
    """Rows of N(0, 0.01^2) but for one coordinate, which is 10."""
    rows = 0.01 * normal_rows(at.n, at.size, "spiky")
    rows[:, -1] = 10
    return rows


ROTATED_QUANTISATION = _estimated(
    "rotated-quantisation",
    "a spike costs the logarithm of the dimension, not the dimension",
    Sizes(
        "mean of 10 rows, 255 coordinates of N(0, 0.01^2) and one of 10", (16, 32, 64, 128, 256),
        "dimension d", ERROR, n=10, d=None,
    ),
    _spiky,
    method=("16 levels after a random rotation", partial(by_row, "rotated-quantisation")),
    baseline=("16 levels without rotation, the same bits", _by(lambda _: KLevel(16))),
    without=(
        "random signs without the Hadamard matrix", _by(lambda _: SignsAlone(Rotated(KLevel(16))))
    ),
    at_most=0.15,
    source="Suresh, Yu, Kumar, McMahan 2017, arXiv:1611.00429, Theorems 2 and 3, Figure 1 "
    "(unbalanced data)",
)  # fmt: skip


def _nearly_rank_one(at: SweepPlace) -> Tensor:
    """Matrices u v^T of normal u and v, with noise of a hundredth, as rows."""
    u, v = normal_rows(at.n, at.size, "u"), normal_rows(at.n, at.size, "v")
    exact = (u[:, :, None] * v[:, None, :]).flatten(1)
    return exact + 0.01 * normal_rows(at.n, at.size**2, "noise")


SPECTRAL_ATOMO = _estimated(
    "spectral-atomo",
    "singular triplets say a gradient of low rank with a small part of the variance and bits that "
    "its entries take",
    Sizes(
        "mean of 64 matrices of 16 x 16, nearly of rank one", (4, 8, 16),
        "rows and columns of the matrix", PRICE, n=64, d=None,
    ),
    _nearly_rank_one, _price, replicas=128,
    method=("spectral ATOMO, one triplet on average", partial(by_row, "spectral-atomo")),
    baseline=("entry-wise ATOMO, a quarter of the entries", _by(lambda _: Atomo(0.25))),
    without=(
        "triplets of the shuffled matrix, whose rank is full",
        _by(lambda _: Shuffled(SpectralAtomo(1))),
    ),
    at_most=0.25,
    source="Wang, Sievert, Liu, Charles, Papailiopoulos, Wright 2018, arXiv:1806.04090, Section 5",
)  # fmt: skip

STOCHASTIC_BINARY = _estimated(
    "stochastic-binary",
    "more workers make one-bit messages exact, where rounding to the mean of each sign is off by "
    "the same for any number of them",
    Sizes(
        "mean of 256 similar normal rows, d = 100", (1, 4, 16, 64, 256), "workers n",
        "squared error of the mean / its squared norm", "buckets of 20, ", n=None, d=100,
    ),
    lambda at: _similar(at.size, at.d),
    lambda found, rows: found.error / float(rows.mean(0).square().sum()), replicas=16,
    method=("stochastic binary", partial(by_row, "stochastic-binary")),
    baseline=(
        "each entry as the mean of its sign, the same bits", _by(lambda _: Buckets(OneBit(), 20))
    ),
    without=(
        "each entry goes to the nearer end, not by chance",
        _by(lambda _: Undithered(Buckets(KLevel(2), 20))),
    ),
    at_most=0.15,
    source="Suresh, Yu, Kumar, McMahan 2017, arXiv:1611.00429, Lemmas 1 to 3: an error of 1/n",
)  # fmt: skip

TERNGRAD = contrast(
    "terngrad",
    "three levels on a scale that all workers share are summed and sent back in a few bits, where "
    "other quantisers hear floats",
    replace(noisy(10.0), replicas=64), bits_until(0.1, "both_ways"),
    method="TernGrad",
    baseline=arm("QSGD with 4 levels", lambda it: it.method_of("qsgd")),
    without=arm(
        "every worker keeps its own scale, so the server sends the model",
        lambda it: TernGradSGD(it.step, share_scale=False, localise=False),
    ),
    at_most=0.5,
    source="Wen, Xu, Yan, Wu, Wang, Chen, Li 2017, arXiv:1705.07878, Section 3.2 (scaler sharing) "
    "and Algorithm 1",
)  # fmt: skip

VARIABLE_LENGTH_CODING = _estimated(
    "variable-length-coding",
    "sqrt(d) levels cost little more than two bits a coordinate, at their own small error",
    Sizes("mean of 4 normal rows, d = 1024", (64, 256, 1024), "dimension d", PRICE, n=4, d=None),
    _normal, _price, replicas=16,
    method=("sqrt(d) + 1 levels in an arithmetic code", partial(by_row, "variable-length-coding")),
    baseline=(
        "the same levels at fixed length", _by(lambda d: KLevel(math.isqrt(d) + 1, Span.NORM))
    ),
    without=(
        "levels that are made alike before they are coded", _by(lambda _: Masked(VariableLength()))
    ),
    at_most=0.5,
    source="Suresh, Yu, Kumar, McMahan 2017, arXiv:1611.00429, Theorem 4",
)  # fmt: skip
