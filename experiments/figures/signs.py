"""Plain formulas with the signs that they stand for, for readers."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from experiments.figures.indices import SCRIPTS, parts

_WORDS = {
    "omega": "ω",
    "delta": "δ",
    "gamma": "γ",
    "lambda": "λ",
    "mu": "μ",
    "tau": "τ",
    "sigma2": "σ²",
    "zeta2": "ζ²",
    "sigma": "σ",
    "zeta": "ζ",
    "xbar": "x̄",
    "xhat": "x̂",
    "grad": "∇",
    "sqrt": "√",
}
_SIGNS = {"||": "‖", "<=": "≤", ">=": "≥", "+-": "±", "->": "→", "∇ ": "∇"}
_WORD = re.compile(rf"(?<![A-Za-z_])({'|'.join(_WORDS)})(?![A-Za-z])")


def pretty(text: str) -> str:
    """``E||C(x)-x||^2 <= omega ||x||^2`` as E‖C(x)-x‖² ≤ ω ‖x‖²."""
    text = _WORD.sub(lambda word: _WORDS[word.group()], text)
    text = re.sub(r"\bsum(?=_| ?\|| ?E\b)", "Σ", text)
    text = re.sub(r"= ([\d.]+) = \1(?![\d.])", r"= \1", text)
    return _signs(_powers(text))


def _signs(text: str) -> str:
    for plain, sign in _SIGNS.items():
        text = text.replace(plain, sign)
    return text


_TENS = re.compile(r"(?<![\w.])(\d(?:\.\d+)?)e([+-]\d{2,3})(?!\w)")


def typeset(text: str) -> Markup:
    """:func:`pretty` for a page: what a letter alone carries is lowered and raised, and so are
    powers of ten."""
    marked = SCRIPTS.sub(_lowered, str(escape(pretty(text))))
    return Markup(_TENS.sub(lambda number: _times_ten(*number.groups()), marked))


def _lowered(match: re.Match[str]) -> str:
    tags = {"_": "sub", "^": "sup"}
    inside = "".join(f"<{tags[s]}>{one}</{tags[s]}>" for s, one in parts(match[2]))
    return match[1] + inside.replace("-", "−")


def power_of_ten(number: float) -> Markup:
    """A small or large positive number, to one digit: 2 × 10⁻⁸."""
    return Markup(_times_ten(*f"{number:.0e}".split("e")))


def _times_ten(digits: str, power: str) -> str:
    raised = f"10<sup>{int(power)}</sup>".replace("-", "−")
    return raised if digits == "1" else f"{digits} × {raised}"


def _powers(text: str) -> str:
    text = re.sub(r"\^1(?!\.?\d|/)", "", text)
    text = re.sub(r"\^2(?!\.?\d)", "²", text)
    return re.sub(r"\^-([12])(?!\.?\d|/)", lambda power: "⁻" + "¹²"[int(power[1]) - 1], text)


COMMANDS = {
    r"\|": "‖", r"\le": "≤", r"\ge": "≥", r"\ne": "≠", r"\in": "∈", r"\sum": "Σ", r"\prod": "Π",
    r"\lfloor": "⌊", r"\rfloor": "⌋", r"\lceil": "⌈", r"\rceil": "⌉", r"\langle": "⟨",
    r"\rangle": "⟩", r"\cdot": "·", r"\times": "×", r"\to": "→", r"\infty": "∞", r"\pm": "±",
    r"\alpha": "α", r"\beta": "β", r"\gamma": "γ", r"\delta": "δ", r"\eta": "η", r"\mu": "μ",
    r"\lambda": "λ", r"\omega": "ω", r"\phi": "φ", r"\rho": "ρ", r"\sigma": "σ", r"\tau": "τ",
    r"\theta": "θ", r"\zeta": "ζ", r"\epsilon": "ε", r"\ell": "ℓ", r"\Sigma": "Σ", r"\Delta": "Δ",
    r"\nabla": "∇", r"\ldots": "…", r"\dots": "…", r"\log": "log", r"\max": "max", r"\min": "min",
    r"\{": "{", r"\}": "}", r"\,": " ", r"\;": " ", r"\quad": "  ", r"\left": "", r"\right": "",
    r"\approx": "≈", r"\cup": "∪", r"\odot": "⊙", r"\ll": "≪", r"\gg": "≫", r"\sim": "~",
    r"\Rightarrow": "⇒",
    r"\sup": "sup", r"\inf": "inf", r"\exp": "exp", r"\ln": "ln", r"\sign": "sign", r"\varphi": "φ",
    r"\xi": "ξ", r"\kappa": "κ", r"\pi": "π", r"\psi": "ψ", r"\Pi": "Π",
}  # fmt: skip
"""Commands of LaTeX and the signs that they stand for."""

_ACCENTS = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303"}


def plain(text: str) -> str:
    """A docstring's LaTeX as running text: signs for commands, fractions and roots on one line."""
    text = re.sub(r"\\(?:mathrm|operatorname|text|mathbf|mathbb)\{([^{}]*)\}", r"\1", text)
    text = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"\1", text)
    text = re.sub(r"\\(hat|bar|tilde)\s*\{?(\w|\\[a-z]+)\}?", _accented, text)
    for _ in range(3):
        text = re.sub(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}", _fraction, text)
        text = re.sub(r"\\sqrt\{([^{}]*)\}", r"√(\1)", text)
    text = re.sub(r"\\[dt]?frac(\d)(\w)", r"\1/\2", text)
    text = re.sub(r"\\sqrt\s?(\w)", r"√\1", text)
    text = re.sub(r"\\(?:[A-Za-z]+|[^A-Za-z\s])", lambda m: COMMANDS.get(m[0], m[0][1:]), text)
    return _signs(_powers(text.replace("$", "").replace("``", "")))


def _fraction(match: re.Match[str]) -> str:
    """a/b: in brackets what is more than one sign or word, and all of it where a factor follows."""
    parts = (p if re.fullmatch(r"\\?\w+", p) else f"({p})" for p in match.groups())
    whole = "/".join(parts)
    return f"({whole})" if re.match(r"[\w\\(]", match.string[match.end() :]) else whole


def _accented(match: re.Match[str]) -> str:
    return COMMANDS.get(match[2], match[2]) + _ACCENTS[match[1]]


def sentence(text: str) -> str:
    """Words that begin small and end without a stop, as a sentence; ``*word*`` loses its marks."""
    return f"{text[:1].upper()}{text[1:].replace('*', '')}."
