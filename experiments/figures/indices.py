"""Indices and powers of plain formulas, lowered and raised: ``x_t``, ``L_max``, ``T^-1/2``."""

from __future__ import annotations

import re

SCRIPTS = re.compile(
    r"((?<![\w\u0300-\u036f])(?:[A-Za-zα-ωΑ-Ω][\u0300-\u036f]?|[A-Za-z]{2,}(?=\^-?\d))"
    r"|[)\]‖∇])"  # a letter alone, a word with a power, or an end
    r"((?:[_^](?:\{[^{}]*\}|\(-?[\w./]+\)|-?\d+(?:[./]\d+)?|[A-Za-z]+|\*))+)"
    r"(?![\w^])"
)
"""What carries indices or powers, and those; names of several letters with ``_`` are names."""

_PART = re.compile(r"([_^])(?:\{([^{}]*)\}|\(([^()]*)\)|([^_^]+))")


RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "0123456789-+n", strict=True))
"""Raised signs, and what they are a power of."""

_RAISED_SIGNS = re.compile(f"[{''.join(RAISED)}]+")


def parts(scripts: str) -> list[tuple[str, str]]:
    """``_`` or ``^`` and what is lowered or raised by it, one after the other."""
    found = _PART.findall(scripts)
    return [(sign, braced or bracketed or bare) for sign, braced, bracketed, bare in found]


def as_mathtext(text: str) -> str:
    """The text for matplotlib, in the type around it; what is typeset already stays as it is.

    A label with a formula takes its other letters from fonts of formulas, which have no raised
    minus: beside a formula ``T⁻¹`` is one too.
    """
    if "$" in text:
        return text
    text = text.replace(" - ", " − ")
    formulas = SCRIPTS.sub(_mathtext, text)
    return formulas if formulas == text else _RAISED_SIGNS.sub(_power, formulas)


def _mathtext(match: re.Match[str]) -> str:
    inside = "".join(f"{sign}{{{part}}}" for sign, part in parts(match[2]))
    return rf"$\mathregular{{{match[1]}{inside}}}$".replace("-", "−").replace("*", r"\ast ")


def _power(match: re.Match[str]) -> str:
    inside = "".join(RAISED[sign] for sign in match[0]).replace("-", "−")
    return rf"$\mathregular{{^{{{inside}}}}}$"
