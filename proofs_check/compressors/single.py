"""Does an operator in single precision do what it does in double, on the same random numbers?

Laws are read off in double precision; kernels are compiled for each type. Rows of float32 are
compressed in both types on uniforms that both hold (multiples of 2^-24), so that outcomes are equal
to rounding but where a uniform falls within rounding of a step. That happens in a row of d
coordinates with probability at most d 2^-14 for steps of up to 2^8 levels: the share of rows that
differ is held to it. A probability that is off by p in float32 makes p d of the rows differ.
"""

from __future__ import annotations

from typing import final

import scipy
import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.core.key import Draws, Key
from proofs_check.verdict import CheckKind, Outcome, Verdict

ROWS = 256
_UNIT = 2.0**-24
_APART = 2.0**-12  # of a row's largest coordinate: far above rounding, below one level
_PER_COORDINATE = 2.0**-14

CHECK = "single precision"


@final
class SharedNumbers(Draws):
    """Draws whose numbers are the same in float32 and float64."""

    def __init__(self, inner: Draws) -> None:
        self._inner = inner
        self.workers = inner.workers

    def fold(self, *words: int | str) -> SharedNumbers:
        return SharedNumbers(self._inner.fold(*words))

    def uniform(self, count: int, dtype: torch.dtype) -> Tensor:
        fine = self._inner.uniform(count, torch.float64)
        return ((fine / _UNIT).floor() * _UNIT).to(dtype)

    def normal(self, count: int, dtype: torch.dtype) -> Tensor:
        return self._inner.normal(count, torch.float32).to(dtype)

    def integers(self, high: int, count: int) -> Tensor:
        return self._inner.integers(high, count)


def check_single(compressor: Compressor, *, d: int, seed: int, alpha: float) -> Verdict:
    """Share of rows ``[256, d]`` whose outcome in float32 is not that in float64, to rounding.

    Half of the rows are normal, half normals times log-normals. Refuted where so many would differ
    with probability below ``alpha`` if each did with probability d 2^-14.

    Raises:
        ValueError: the operator's parameters do not fit d.
    """
    key = Key.seed(seed).fold(CHECK)
    ids, one = torch.arange(ROWS), torch.zeros(1, dtype=torch.int64)
    rows = key.fold("rows").draws(ids, one).normal(d, torch.float32)
    tails = key.fold("tails").draws(ids, one).normal(d, torch.float32).exp()
    rows = torch.where(ids[:, None, None] % 2 == 0, rows, rows * tails)
    draws = SharedNumbers(key.fold("draws").draws(ids, one))
    try:
        single = compressor.compress(rows, draws)
    except (TypeError, NotImplementedError) as error:
        return _verdict(compressor, Outcome.NOT_APPLICABLE, f"no float32: {error}", seed, d)
    double = compressor.compress(rows.double(), draws)
    scale = double.abs().amax(-1)
    differ = ~((single.double() - double).abs().amax(-1) <= _APART * scale)
    count, chance = int(differ.sum()), min(0.5, d * _PER_COORDINATE)
    surprising = float(scipy.stats.binom.sf(count - 1, ROWS, chance)) < alpha
    most = int(scipy.stats.binom.isf(alpha, ROWS, chance)) + 1
    return _verdict(
        compressor, Outcome.REFUTED if surprising else Outcome.SUPPORTED,
        f"{count} of {ROWS} rows differ by more than rounding on the same random numbers; "
        f"more than {most} would be refuted", seed, d, count / ROWS, chance,
        2 * most / ROWS / d,
    )  # fmt: skip


def _verdict(
    compressor: Compressor, outcome: Outcome, text: str, seed: int, d: int,
    share: float | None = None, chance: float | None = None, resolution: float | None = None,
) -> Verdict:  # fmt: skip
    return Verdict(
        subject=compressor.name, claim="float32 outcomes are those of float64, to rounding",
        check=CHECK, kind=CheckKind.OPERATOR,
        outcome=outcome, statistic=share, bound=chance, resolution=resolution,
        evidence=text, provenance=f"seed {seed}, d = {d}",
    )  # fmt: skip
