"""What a row's page says of its operators: definition, claims, length, exact law."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import torch

from algorithms.compressors.base import Compressor, code_of
from experiments.reporting.signs import plain
from proofs_check.instruments.exact import ExactLaw, LawMismatch, exact_law
from proofs_check.instruments.scripted import NotEnumerable

VECTOR = (3, -4, 0, 12)


def operator_sections(operators: Sequence[Compressor], d: int) -> list[dict[str, Any]]:
    """One section for each operator; a definition stands with the first of its class."""
    seen: set[type[Compressor]] = set()
    sections = []
    for operator in operators:
        section = operator_section(operator, d)
        if type(operator) in seen:
            section["definition"] = []
        seen.add(type(operator))
        sections.append(section)
    return sections


def operator_section(operator: Compressor, d: int) -> dict[str, Any]:
    """Everything about one operator, ready for the template."""
    law, why = _law(operator)
    return {
        "name": operator.name,
        "definition": _definition(operator),
        "claims": [
            {
                "text": str(claim),
                "source": str(claim.source),
                "confidence": claim.confidence.value,
                "tight": getattr(claim, "tight", False),
            }
            for claim in operator.claims(d)
        ],
        "bits": _bits(operator, d),
        "law": law,
        "no_law": why,
    }


def _definition(operator: Compressor) -> list[str]:
    """Paragraphs of the operator's docstring, without the list of errors."""
    text = inspect.getdoc(type(operator)) or ""
    paragraphs = [p for p in text.split("\n\n") if not p.startswith("Raises:")]
    return [plain(" ".join(p.split())) for p in paragraphs]


def _bits(operator: Compressor, d: int) -> str:
    stated = operator.stated_bits(d, 32)
    if code_of(operator, d, torch.float32).fixed_bits is None:
        return f"varying, stated bound {stated:.6g} ({stated / d:.3g} a coordinate)"
    return f"{stated:g}, {stated / d:.4g} a coordinate"


def _law(operator: Compressor) -> tuple[dict[str, Any] | None, str]:
    try:
        law = exact_law(operator, VECTOR)
    except NotEnumerable as error:
        return None, str(error)
    except LawMismatch as error:
        return None, f"the code does not follow the law it declares: {error}"
    except ValueError as error:
        return None, f"the operator does not take it ({error})"
    return _shown(law), ""


def _shown(law: ExactLaw) -> dict[str, Any]:
    return {
        "x": f"({', '.join(map(str, VECTOR))})",
        "kind": {"fixed": "deterministic"}.get(law.kind, law.kind),
        "error": _short(law.error),
        "mean": ", ".join(map(_short, law.mean)),
        "coordinates": [
            {"x": x, "outcomes": ";  ".join(f"{_short(v)} with {_short(p)}" for v, p in marginal)}
            for x, marginal in zip(VECTOR, law.marginals, strict=True)
        ],
    }


def _short(value: Fraction) -> str:
    """A fraction as it is, or its decimals where it is a long one."""
    return str(value) if value.denominator < 10**6 else f"{float(value):.8g}"
