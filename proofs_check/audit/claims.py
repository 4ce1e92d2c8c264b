"""Claims of the user on the compressor: unbiased, omega, delta, as formulas in d."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

from proofs_check.audit.expression import evaluate
from theory.claims import Claim, Confidence, Contraction, Source, Unbiased, VarianceBound

_SOURCE = Source("as given", 0)


@final
@dataclass(frozen=True)
class Stated:
    """Claims as given: ``omega``, ``delta``, ``bits`` are expressions in d and the ``names``.

    Attributes:
        unbiased: whether E C(x) = x is claimed.
        bits: the length of a message [bits], in the mean over the draws.

    Raises:
        ValueError: an expression cannot be read, or fits no dimension at all.
    """

    unbiased: bool = False
    omega: str | None = None
    delta: str | None = None
    names: Mapping[str, float] = field(default_factory=dict)
    bits: str | None = None

    def __post_init__(self) -> None:
        for name in ("omega", "delta", "bits"):
            text = getattr(self, name)
            if text is not None:
                try:
                    evaluate(text, {**self.names, "d": 2.0**40})
                except ValueError as error:
                    raise ValueError(f"{name}: {error}") from error

    def claims(self, d: int) -> tuple[Claim, ...]:
        """The claims as they read in R^d; a constant that means nothing there is left out."""
        found: list[Claim] = []
        values = self._values(d)
        if self.unbiased:
            found.append(Unbiased(_SOURCE, Confidence.CERTAIN))
        if self.omega is not None and (omega := evaluate(self.omega, values)) >= 0:
            found.append(VarianceBound(omega, self._described(self.omega), _SOURCE))
        if self.delta is not None and 0 < (delta := evaluate(self.delta, values)) <= 1:
            found.append(Contraction(delta, self._described(self.delta), _SOURCE))
        return tuple(found)

    def delta_at(self, d: int) -> float | None:
        """The number that ``delta`` is in R^d, whatever it means."""
        return None if self.delta is None else evaluate(self.delta, self._values(d))

    def impossible(self, dims: Sequence[int]) -> str:
        """Reason no operator has the claimed delta: above 1 in the largest dimension; else ""."""
        d = max(dims)
        delta = self.delta_at(d)
        if delta is None or delta <= 1:
            return ""
        return (
            f"d = {d}: delta = {delta:g} is above 1, so that E||C(x)-x||^2 would be at most "
            f"{1 - delta:g} ||x||^2, less than nothing; delta lies in (0, 1]"
        )

    def bits_at(self, d: int) -> float | None:
        """The length [bits] that is claimed for R^d."""
        return None if self.bits is None else evaluate(self.bits, self._values(d))

    def bits_sentence(self) -> str:
        """The claim on the length in a line, for every d."""
        return f"a message has at most {self._described(self.bits or '')} bits in the mean"

    def _values(self, d: int) -> dict[str, float]:
        return {**self.names, "d": float(d)}

    def sentences(self) -> dict[type[Claim], str]:
        """Each claim in a line, for every d."""
        told: dict[type[Claim], str] = {}
        if self.unbiased:
            told[Unbiased] = "E C(x) = x"
        if self.omega is not None:
            formula = self._described(self.omega)
            told[VarianceBound] = f"E||C(x)-x||^2 <= omega ||x||^2, omega = {formula}"
        if self.delta is not None:
            formula = self._described(self.delta)
            told[Contraction] = f"E||C(x)-x||^2 <= (1-delta) ||x||^2, delta = {formula}"
        return told

    def _described(self, text: str) -> str:
        """The formula, and the values of the names in it."""
        used = {node.id for node in ast.walk(ast.parse(text.strip())) if isinstance(node, ast.Name)}
        values = [f"{name} = {value:g}" for name, value in self.names.items() if name in used]
        return f"{text} ({', '.join(values)})" if values else text
