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


def parts(scripts: str) -> list[tuple[str, str]]:
    """``_`` or ``^`` and what is lowered or raised by it, one after the other."""
    found = _PART.findall(scripts)
    return [(sign, braced or bracketed or bare) for sign, braced, bracketed, bare in found]


def as_mathtext(text: str) -> str:
    """The text for matplotlib, in the type around it; what is typeset already stays as it is."""
    return text if "$" in text else SCRIPTS.sub(_mathtext, text)


def _mathtext(match: re.Match[str]) -> str:
    inside = "".join(f"{sign}{{{part}}}" for sign, part in parts(match[2]))
    return rf"$\mathregular{{{match[1]}{inside}}}$".replace("-", "−").replace("*", r"\ast ")
