"""Formulas for a page without scripts: LaTeX as inline SVG in the colour of the text."""

from __future__ import annotations

import io
import re
from functools import lru_cache

from matplotlib.figure import Figure

from experiments.figures.style import styled

_MARK = "#010203"


@lru_cache(maxsize=1024)
def formula(latex: str) -> str | None:
    """An ``<svg>`` element in ``currentColor``, or None where the formula is beyond mathtext."""
    figure = Figure(figsize=(0.1, 0.1), dpi=72)  # as SVG has it: mathtext parses it once
    buffer = io.BytesIO()
    with styled():
        try:
            figure.text(0, 0, f"${_braced(latex)}$", fontsize=12, color=_MARK)
            figure.savefig(
                buffer, format="svg", transparent=True, bbox_inches="tight", pad_inches=0.02,
                metadata={"Date": None},
            )  # fmt: skip
        except ValueError:
            return None
    text = buffer.getvalue().decode()
    element = text[text.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    return element.replace(_MARK, "currentColor").replace("<svg ", '<svg role="img" ', 1)


def _braced(latex: str) -> str:
    r"""Braces that TeX does without (``\frac1T``, ``\bar x``), and names that mathtext lacks."""
    latex = re.sub(r"\\(le|ge|ne)(?![a-zA-Z])", r"\\\1q", latex)
    latex = re.sub(r"\\frac(\w)(\w)", r"\\frac{\1}{\2}", latex)
    latex = re.sub(r"\\frac(\w)\{", r"\\frac{\1}{", latex)
    latex = re.sub(r"\\(bar|hat|tilde|sqrt|mathbb)\s*(\w|\\[a-z]+)", r"\\\1{\2}", latex)
    latex = re.sub(r"\\[bB]igg?[lr]?(?=\W)", "", latex)  # sizes of brackets
    latex = latex.replace(r"\|", r"\Vert ").replace("^*", r"^{\star}").replace(r"\frac", r"\dfrac")
    return re.sub(r",\s+", r",\\ ", latex)
