"""Facts on an operator's page: definition, claims, length, exact law."""

from __future__ import annotations

import inspect
from fractions import Fraction

import torch

from algorithms.compressors.base import Compressor, code_of
from proofs_check.facts import ClaimFacts, CoordinateFacts, LawFacts, OperatorFacts
from proofs_check.instruments.exact import ExactLaw, LawMismatch, exact_law
from proofs_check.instruments.scripted import NotEnumerable

VECTOR = (3, -4, 0, 12)
"""Where exact laws are shown."""


def operator_facts(operator: Compressor, d: int) -> OperatorFacts:
    """Everything about one operator on R^d, ready for a page."""
    law, why = _law(operator)
    return OperatorFacts(
        name=operator.name,
        family=type(operator).__name__,
        d=d,
        definition=_definition(operator),
        claims=tuple(
            ClaimFacts(
                str(claim), str(claim.source), claim.confidence.value,
                bool(getattr(claim, "tight", False)),
            )
            for claim in operator.claims(d)
        ),
        bits=_bits(operator, d),
        law=law,
        no_law=why,
    )  # fmt: skip


def _definition(operator: Compressor) -> tuple[str, ...]:
    """Paragraphs of the operator's docstring, without the list of errors."""
    text = inspect.getdoc(type(operator)) or ""
    paragraphs = [p for p in text.split("\n\n") if not p.startswith("Raises:")]
    return tuple(" ".join(p.split()) for p in paragraphs)


def _bits(operator: Compressor, d: int) -> str:
    stated = operator.stated_bits(d, 32)
    if code_of(operator, d, torch.float32).fixed_bits is None:
        return f"varying, stated bound {stated:.6g} ({stated / d:.3g} a coordinate)"
    return f"{stated:g}, {stated / d:.4g} a coordinate"


def _law(operator: Compressor) -> tuple[LawFacts | None, str]:
    try:
        law = exact_law(operator, VECTOR)
    except NotEnumerable as error:
        return None, str(error)
    except LawMismatch as error:
        return None, f"the code does not follow the law it declares: {error}"
    except ValueError as error:
        return None, f"the operator does not take it ({error})"
    return _shown(law), ""


def _shown(law: ExactLaw) -> LawFacts:
    return LawFacts(
        x=f"({', '.join(map(str, VECTOR))})",
        kind={"fixed": "deterministic"}.get(law.kind, law.kind),
        error=_short(law.error),
        mean=", ".join(map(_short, law.mean)),
        coordinates=tuple(
            CoordinateFacts(x, ";  ".join(f"{_short(v)} with {_short(p)}" for v, p in marginal))
            for x, marginal in zip(VECTOR, law.marginals, strict=True)
        ),
    )


def _short(value: Fraction) -> str:
    """A fraction as it is, or its decimals where it is a long one."""
    return str(value) if value.denominator < 10**6 else f"{float(value):.8g}"
