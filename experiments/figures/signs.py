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


_TIMES = re.compile(r"(?<=[\w)])\*(?=\w)|(?<=[\d)])\*(?=\()")  # no star of an optimum, f*(x)


def pretty(text: str) -> str:
    """``E||C(x)-x||^2 <= omega ||x||^2`` as E‖C(x)-x‖² ≤ ω ‖x‖²; sympy's ``L**2*gamma`` as L² γ."""
    text = _TIMES.sub(" ", re.sub(r"(?<=[\w)])\*\*(?=[\w(])", "^", text))
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
    r"\Rightarrow": "⇒", r"\varepsilon": "ε", r"\Lambda": "Λ", r"\Omega": "Ω", r"\chi": "χ",
    r"\sup": "sup", r"\inf": "inf", r"\exp": "exp", r"\ln": "ln", r"\sign": "sign", r"\varphi": "φ",
    r"\xi": "ξ", r"\kappa": "κ", r"\pi": "π", r"\psi": "ψ", r"\Pi": "Π",
}  # fmt: skip
"""Commands of LaTeX and the signs that they stand for."""

_ACCENTS = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303"}


_TALL = re.compile(r"\\(?:[dt]?frac|sqrt)(?![A-Za-z])")
_ACCENTED = re.compile(r"\\(hat|bar|tilde)(?:\{(\w|\\[a-z]+)\}|\s*(\w|\\[a-z]+))")
_SIZED = re.compile(r"\\(?:left|right|[bB]igg?[lrm]?)(?![A-Za-z])")
_BELOW = re.compile(r"√?(?:\\[A-Za-z]+|\w|\d+)(?:\^\w)?(?:_\w+)?|√\([^()]*\)")
_INNER = re.compile(r"\\\|.*?\\\||\([^()]*\)|\{[^{}]*\}")
_SUM = re.compile(r"(?<!\\)[-+/<>=,]|\\(?:le|ge)(?![A-Za-z])")
_NO_FACTOR = r"\\(?:[,;]|(?:le|ge|to|in|quad|cdot|times|Rightarrow)(?![A-Za-z]))"
_FACTOR = re.compile(rf"(?!{_NO_FACTOR})[\w\\(]")


def plain(text: str) -> str:
    """A docstring's LaTeX as running text: signs for commands, fractions and roots on one line."""
    text = re.sub(r"\\(?:mathrm|operatorname|text|mathbf|mathbb)\{([^{}]*)\}", r"\1", text)
    text = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"\1", text)
    text = re.sub(r"_\{(\w+)\}", r"_\1", _SIZED.sub("", text))
    text = _flat(_ACCENTED.sub(_accented, text))
    text = re.sub(r"\\(?:[A-Za-z]+|[^A-Za-z\s])", lambda m: COMMANDS.get(m[0], m[0][1:]), text)
    text = re.sub(r"(?<=\S) {2,}", " ", text.replace("$", "").replace("``", ""))
    return _signs(_powers(text))


def _flat(text: str) -> str:
    """Fractions and roots on one line. In brackets: a sum above, what is more than one sign or word
    below, letters side by side among them, which are a product, and all of it beside a factor."""
    tall = _TALL.search(text)
    if tall is None:
        return text
    before, (first, rest) = text[: tall.start()], _argument(text[tall.end() :])
    if tall[0] == r"\sqrt":
        one = f"√{first}" if re.fullmatch(r"\w|\\[A-Za-z]+", first) else f"√({first})"
    else:
        second, rest = _argument(rest)
        terms = _INNER.sub("", _INNER.sub("", first))
        above = f"({first})" if _SUM.search(terms) else first
        one = f"{above}/{second if _BELOW.fullmatch(second) else f'({second})'}"
        beside = _FACTOR.match(rest) or re.search(r"[\w)]$", before)
        one = f"({one})" if beside else one
    return before + one + _flat(rest)


def _argument(text: str) -> tuple[str, str]:
    """What a command of LaTeX takes from the text behind it, on one line, and what is left."""
    text = text.lstrip()
    if not text.startswith("{"):
        end = (re.match(r"\\[A-Za-z]+|.?", text) or [""])[0]
        return end, text[len(end) :]
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if not depth:
            return _flat(text[1:place]), text[place + 1 :]
    return _flat(text[1:]), ""


def _accented(match: re.Match[str]) -> str:
    letter = match[2] or match[3]
    return COMMANDS.get(letter, letter) + _ACCENTS[match[1]]


def sentence(text: str) -> str:
    """Words that begin small and end without a stop, as a sentence; ``*word*`` loses its marks."""
    return f"{text[:1].upper()}{text[1:].replace('*', '')}."
