"""Text for LaTeX: signs of figures and tables as commands that every TeX has."""

from __future__ import annotations

import re
import unicodedata

from experiments.figures.indices import RAISED, as_mathtext
from experiments.figures.signs import COMMANDS, pretty

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "%": r"\%", "&": r"\&", "#": r"\#",
    "$": r"\$",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
_MORE = {
    "−": "-", "∝": r"\propto", "√": r"\surd", "∘": r"\circ", "⊤": r"\top", "⋆": r"\star",
    "∂": r"\partial", "≠": r"\neq", "→": r"\to", "↓": r"\downarrow", "↑": r"\uparrow",
    "▲": r"\blacktriangle", "▸": r"\blacktriangleright", "◂": r"\blacktriangleleft",
    "ᵀ": r"^{\mathsf T}", "Ω": r"\Omega", "Θ": r"\Theta", "χ": r"\chi", "ν": r"\nu",
    "½": r"\tfrac12", "′": "'",
}  # fmt: skip
_WORDS = {"–": "--", "—": "---", "’": "'", "‘": "`", "“": "``", "”": "''", "…": r"\dots{}",
          "\u00a0": "~", "\u2009": r"\,"}  # fmt: skip
_SIGNS = {sign: command for command, sign in COMMANDS.items() if not sign.isascii()} | _MORE
_ACCENTS = {"\u0302": r"\hat", "\u0304": r"\bar", "\u0303": r"\tilde"}
_ACCENTED = re.compile("(.)([" + "".join(_ACCENTS) + "])")
_SCRIPTS = re.compile(f"([{''.join(RAISED)}]+)|([{''.join(_LOWERED)}]+)")
_FORMULA = re.compile(r"(\$[^$]*\$)")


def as_tex(text: str) -> str:
    """The text with its signs as commands; formulas between dollars stay formulas."""
    parts = _FORMULA.split(text)
    return "".join(
        _typeset(part) if number % 2 else _typeset(_escaped(part))
        for number, part in enumerate(parts)
    )


def plain_as_tex(text: str) -> str:
    """Words with plain formulas, as verdicts have them: ``E||x||^2 <= omega`` typeset."""
    return r"\$".join(as_tex(as_mathtext(pretty(part))) for part in text.split("$"))


def name_as_tex(text: str) -> str:
    """A name, such as a row's key, in which nothing is a formula."""
    return _typeset(_escaped(text))


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(c, c) for c in text)


def _typeset(text: str) -> str:
    text = text.replace(r"\mathregular", r"\mathrm")
    text = _ACCENTED.sub(_accented, text)
    text = _SCRIPTS.sub(_script, text)
    text = "".join(_WORDS.get(c, c) for c in text)
    return "".join(c if c.isascii() else _sign(c) for c in text)


def _sign(c: str) -> str:
    """Its command; a Latin letter as it stands, which every TeX reads; else the sign's name."""
    if c in _SIGNS:
        return rf"\ensuremath{{{_SIGNS[c]}}}"
    name = unicodedata.name(c, f"U+{ord(c):04X}")
    return c if name.startswith("LATIN") else f"({name.lower()})"


def _accented(match: re.Match[str]) -> str:
    return rf"\ensuremath{{{_ACCENTS[match[2]]}{{{match[1]}}}}}"


def _script(match: re.Match[str]) -> str:
    raised, lowered = match.groups()
    sign, table, letters = ("^", RAISED, raised) if raised else ("_", _LOWERED, lowered)
    return rf"\ensuremath{{{sign}{{{''.join(table[c] for c in letters)}}}}}"
