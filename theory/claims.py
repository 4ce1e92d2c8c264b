"""The vocabulary of operator claims: what a compressor guarantees for every input.

A claim is a statement about E[.] over the operator's own randomness, for all x in R^d:

    Unbiased        E C(x) = x
    VarianceBound   E||C(x) - x||^2 <= omega ||x||^2
    Contraction     E||C(x) - x||^2 <= (1 - delta) ||x||^2
    NoConstant      neither holds with any constant; the checks demonstrate it
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import final


class Confidence(Enum):
    """Confidence in a stated result: on the first three a hard check may rest, not on the
    rest."""

    CERTAIN = "certain"
    READ = "read in the paper"
    DERIVED = "derived here"
    MEMORY = "from memory"
    ORDER = "order only"

    @property
    def assertable(self) -> bool:
        """Whether a hard check may rest on it."""
        return self in (Confidence.CERTAIN, Confidence.READ, Confidence.DERIVED)


@final
@dataclass(frozen=True)
class Source:
    """Source of a statement.

    Attributes:
        authors: surnames.
        year: year of publication.
        arxiv: arXiv id without the prefix; empty: none.
        where: theorem, section or venue.
    """

    authors: str
    year: int
    arxiv: str = ""
    where: str = ""

    def __str__(self) -> str:
        tail = ", ".join(
            part for part in (self.where, self.arxiv and f"arXiv:{self.arxiv}") if part
        )
        return f"{self.authors} {self.year}" + (f", {tail}" if tail else "")


@final
@dataclass(frozen=True)
class Unbiased:
    """E C(x) = x for every x.

    Attributes:
        source: where it is published.
        confidence: how surely the statement is known.
    """

    source: Source
    confidence: Confidence = Confidence.CERTAIN

    name = "unbiased"

    def __str__(self) -> str:
        return "E C(x) = x"


@final
@dataclass(frozen=True)
class VarianceBound:
    """E||C(x) - x||^2 <= omega ||x||^2.

    ``tight``: some x attains it, or comes arbitrarily near.

    Attributes:
        formula: the constant in d and fields of the operator, other letters explained after a
            comma; it is computed and compared (``proofs_check/compressors/written_constants.py``).
        source: where it is published.
        confidence: how surely the statement is known.
    """

    omega: float
    formula: str
    source: Source
    tight: bool = False
    confidence: Confidence = Confidence.CERTAIN

    name = "variance"

    @property
    def constant(self) -> float:
        """The bound on E||C(x) - x||^2 / ||x||^2."""
        return self.omega

    def __str__(self) -> str:
        return f"E||C(x)-x||^2 <= omega ||x||^2, omega = {self.formula} = {self.omega:.6g}"


@final
@dataclass(frozen=True)
class Contraction:
    """E||C(x) - x||^2 <= (1 - delta) ||x||^2; ``tight`` if some x attains it.

    Attributes:
        formula: the constant in d and fields of the operator, other letters explained after a
            comma; it is computed and compared (``proofs_check/compressors/written_constants.py``).
        source: where it is published.
        confidence: how surely the statement is known.
    """

    delta: float
    formula: str
    source: Source
    tight: bool = False
    confidence: Confidence = Confidence.CERTAIN

    name = "contraction"

    @property
    def constant(self) -> float:
        """The bound on E||C(x) - x||^2 / ||x||^2."""
        return 1.0 - self.delta

    def __str__(self) -> str:
        return f"E||C(x)-x||^2 <= (1-delta) ||x||^2, delta = {self.formula} = {self.delta:.6g}"


@final
@dataclass(frozen=True)
class NoConstant:
    """Neither unbiased nor a contraction with any constant.

    Witnesses are patterns, repeated to d coordinates: E C(x) differs from x at ``biased_at``, and
    E||C(x) - x||^2 >= ||x||^2 at ``expands_at`` (so no delta > 0 holds for all x). The checks try
    both.

    Attributes:
        why: the reason, one line.
        source: where it is published.
        confidence: how surely the statement is known.
    """

    why: str
    source: Source
    confidence: Confidence = Confidence.CERTAIN
    biased_at: tuple[float, ...] = ()
    expands_at: tuple[float, ...] = ()

    name = "no constant"

    def __str__(self) -> str:
        return f"neither unbiased nor contractive: {self.why}"


Claim = Unbiased | VarianceBound | Contraction | NoConstant


def least_variance(claims: Iterable[Claim]) -> VarianceBound | None:
    """The variance bound with the smallest omega; an operator may claim several, in any order."""
    bounds = [claim for claim in claims if isinstance(claim, VarianceBound)]
    return min(bounds, key=lambda bound: bound.omega, default=None)


def best_contraction(claims: Iterable[Claim]) -> Contraction | None:
    """The contraction with the largest delta; an operator may claim several, in any order."""
    bounds = [claim for claim in claims if isinstance(claim, Contraction)]
    return max(bounds, key=lambda bound: bound.delta, default=None)
