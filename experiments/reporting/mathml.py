"""LaTeX for readers: MathML, which browsers set without a script and screen readers speak."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

from latex2mathml import exceptions
from latex2mathml.converter import convert

from experiments.figures.signs import plain, pretty

_UNREADABLE = tuple(
    one for one in vars(exceptions).values() if isinstance(one, type) and issubclass(one, Exception)
)
_GREEK = re.compile(
    r"(?<![A-Za-z\\])(alpha|beta|gamma|delta|eta|theta|lambda|mu|sigma|tau|omega|zeta)(?![a-z])"
)
_NUMBERED = re.compile("&#x([0-9A-F]+);")
_IMPLIED = ' xmlns="http://www.w3.org/1998/Math/MathML"'  # a page's <math> is in it anyway
_ROW_OF_ALL = re.compile(r"(<math[^>]*>)<mrow>(.*)</mrow></math>", re.DOTALL)
_ROW_OF_ONE = re.compile(r"<mrow>(<(m[ino])(?: [^>]*)?>[^<]*</\2>)</mrow>")
_DOLLARS = re.compile(r"\$([^$`]+)\$")
_STOP = re.compile(r"(?<!\\)[.,;:]$")
_OPERATORS = {"=", "+", "-", "<=", ">=", "<", ">", "+=", "/", "->", "|"}
_ARGUMENT = re.compile(r"\\arg\s*\\(min|max)(?![A-Za-z])")  # which latex2mathml does not know
_TAKES = re.compile(r"\\(?:[dt]?frac|sqrt|hat|bar|tilde)$")
_NAMES = re.compile(r"(?<![A-Za-z\\{])(prox|mean|sign|max|min|argmin|mod|top_k)(?![A-Za-z])")


@lru_cache(maxsize=4096)
def formula(latex: str, display: bool = True) -> str | None:
    """A ``<math>`` element, or None where the LaTeX cannot be read."""
    readable = _ARGUMENT.sub(r"\\operatorname{arg\1}", latex)
    try:
        text: str = convert(readable, display="block" if display else "inline")
    except _UNREADABLE:
        return None
    if re.search(r"<m\w+>\\", text):
        return None
    return _shorter(_NUMBERED.sub(_sign, text.replace(_IMPLIED, "")))


def _shorter(math: str) -> str:
    """The same without what is so anyway: rows of one part or of all, and display in a line."""
    whole = _ROW_OF_ALL.sub(r"\1\2</math>", math.replace(' display="inline"', ""))
    return _ROW_OF_ONE.sub(r"\1", whole)


def _sign(number: re.Match[str]) -> str:
    """The sign itself in place of its number, but for those that HTML reads otherwise."""
    return escape(chr(int(number[1], 16)))


def prose(text: str) -> str:
    """A docstring's sentences as HTML: what is LaTeX there as MathML, the words as they are.

    A word with a command, a sub- or superscript, or a sign of its own is mathematics, and so are
    single letters and signs between two such words; and all that stands between two dollar signs.
    """
    text = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"``\1``", text)
    said = []
    for number, part in enumerate(_DOLLARS.split(text)):
        if number % 2:
            said.append(_set(part.strip()))
        elif part.strip():
            before, after = part[:1].isspace(), part[-1:].isspace()
            said.append(" " * before + _sentences(part) + " " * after)
        else:
            said.append(part)
    return "".join(said).strip()


def _sentences(text: str) -> str:
    """The same of text without dollar signs."""
    words = _words(text)
    kinds = [_is_maths(word) for word in words]
    for order in (range(len(words)), reversed(range(len(words)))):
        for k in order:
            if kinds[k] is None and any(kinds[j] is True for j in _beside(k, words)):
                kinds[k] = True
    parts: list[str] = []
    run: list[str] = []
    for word, maths in zip([*words, ""], [*kinds, False], strict=True):
        if maths:
            run.append(word)
            if not _STOP.search(word):
                continue
        if run:
            parts.append(_set(" ".join(run)))
            run = []
        if word and not maths:
            parts.append(_code(word))
    return " ".join(parts)


def _words(text: str) -> list[str]:
    """Words, what stands in braces or brackets with a command before it kept whole."""
    words: list[str] = []
    for piece in text.split():
        last = words[-1] if words else ""
        if last and _open(last) and _is_maths(last):
            words[-1] = f"{last} {piece}"
        else:
            words.append(piece)
    return words


def _open(word: str) -> bool:
    return (
        word.count("{") > word.count("}")
        or (("\\" in word or "_" in word) and word.count("(") > word.count(")"))
        or _TAKES.search(word) is not None
    )


def _is_maths(word: str) -> bool | None:
    """None: it depends on what stands beside it."""
    if "``" in word or "://" in word or re.match(r"\(?arXiv:", word):
        return False
    bare = word.strip(".,;:()[]")
    if "\\" in word or re.search(r"[\w)}\]][_^][\w{(\\]", word) or "||" in word:
        return True
    return None if word in _OPERATORS or re.fullmatch(r"[B-HJ-Zb-z]|\d+", bare) else False


def _beside(k: int, words: list[str]) -> list[int]:
    """Neighbours of a word that no stop parts from it."""
    before = [k - 1] if k > 0 and not _STOP.search(words[k - 1]) else []
    after = [k + 1] if k + 1 < len(words) and not _STOP.search(words[k]) else []
    return before + after


def _set(latex: str) -> str:
    match = re.fullmatch(r"(.*?)((?:(?<!\\)[.,;:])*)", latex, flags=re.DOTALL)
    body, stop = (match[1], match[2]) if match else (latex, "")
    close = ")" if body.endswith(")") and body.count(")") > body.count("(") else ""
    body = body.removesuffix(")") if close else body
    begin = "(" if body.startswith("(") and body.count("(") > body.count(")") else ""
    body = body.removeprefix("(") if begin else body
    tex = _GREEK.sub(r"\\\1", body).replace("||", r"\|")
    tex = _NAMES.sub(lambda word: rf"\operatorname{{{word[1].replace('_', '-')}}}", tex)
    tex = tex.replace("<=", r"\le ").replace(">=", r"\ge ").replace("->", r"\to ")
    done = formula(tex, display=False)
    return begin + (escape(plain(body)) if done is None else done) + close + stop


def _code(word: str) -> str:
    return re.sub(r"``([^`]*)``", r"<code>\1</code>", escape(pretty(word))).replace("``", "")
