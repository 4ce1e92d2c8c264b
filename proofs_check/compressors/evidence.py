"""Evidence common to checks of one operator: its outcomes at given vectors, by law or by chance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Unpack, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from proofs_check.instruments.exact import is_random
from proofs_check.instruments.place_law import PlaceLaw, place_law
from proofs_check.instruments.statistics import ErrorBudget, sample
from proofs_check.instruments.sum_law import SumLaw, sum_law
from proofs_check.instruments.vectors import check_vectors
from proofs_check.verdict import CheckKind, Figures, Outcome, Verdict
from theory.claims import Claim

_NUMBERS, _LEAST, _MOST = 3_300_000, 256, 20_000


class Evidence(NamedTuple):
    """Common data of all checks of one operator.

    Attributes:
        compressor: the operator.
        d: length of the rows.
        seed: seed of the draws.
        budget: how many samples and calls may be spent.
    """

    compressor: Compressor
    d: int
    seed: int
    budget: ErrorBudget


@final
@dataclass(frozen=True)
class Outcomes:
    """Outcomes at x ``[d]``: a sample, or the law by place or of a sum.

    Attributes:
        values: outcomes ``[S, d]``; of a law the mean, ``[1, d]``.
        chance: whether they are a sample; else they have no sampling error.
        law: the law, where it could be read off.
    """

    x: Tensor
    values: Tensor
    chance: bool
    law: PlaceLaw | SumLaw | None = None

    @cached_property
    def errors(self) -> Tensor:
        """||C(x) - x||^2 / ||x||^2 ``[S]``, ||C(x)||^2 where x = 0; of a law the mean ``[1]``."""
        unit = float(self.x.square().sum()) or 1.0
        if self.law is not None:
            return torch.tensor([self.law.square_error / unit], dtype=torch.float64)
        return (self.values - self.x).square().sum(-1) / unit

    @property
    def gain(self) -> float:
        """The largest |C(x)_j / x_j| that was seen."""
        seen = self.values if self.law is None else self.law.extremes
        return float((seen / self.x).abs().max())


Results = dict[str, Outcomes]


def outcomes(evidence: Evidence, x: Tensor, key: Key) -> Outcomes:
    """The law of C(x) by place or of a sum, else a sample; one outcome of what is fixed."""
    if not is_random(evidence.compressor, x):
        return Outcomes(x, sample(evidence.compressor, x, 1, key), False)
    law = place_law(evidence.compressor, x, key) or sum_law(evidence.compressor, x, key)
    if law is not None:
        return Outcomes(x, law.mean[None], False, law)
    most = _MOST if bool(x.any()) else _LEAST
    samples = max(_LEAST, min(most, _NUMBERS // evidence.d))
    return Outcomes(x, sample(evidence.compressor, x, samples, key), True)


def sampled(evidence: Evidence) -> Results:
    """Outcomes at all vectors, for all claims: each test errs as seldom as if it had its own."""
    key = Key.seed(evidence.seed).fold("monte carlo")
    vectors = check_vectors(evidence.d, key)
    return {name: outcomes(evidence, x, key.fold(name)) for name, x in vectors.items()}


def judged(
    evidence: Evidence,
    claim: Claim,
    check: str,
    outcome: Outcome,
    text: str,
    **figures: Unpack[Figures],
) -> Verdict:
    """A verdict on ``claim`` of the operator."""
    return Verdict(
        evidence.compressor.name, str(claim), check, outcome,
        kind=CheckKind.OPERATOR, evidence=text,
        provenance=f"{claim.source}; seed {evidence.seed}, d = {evidence.d}", **figures,
    )  # fmt: skip
