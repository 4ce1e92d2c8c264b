"""Shared assets of a report's pages, each once: style, script, plotting library, index of words.

Scripts that pages ask for later hold their content packed, so that a page that is opened from a
folder can read them, and few bytes lie there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, final

from plotly.offline import get_plotlyjs

from experiments.reporting.packing import script
from experiments.storage.files import write_atomically

ASSETS = "assets"
TEMPLATES = Path(__file__).parent.parent / "templates"


@final
class Entry(NamedTuple):
    """Entry of the search field.

    Attributes:
        title: what is looked for first.
        kind: row, theorem, erratum ...
        link: where it stands, from the folder of the report.
        text: further words by which it is found.
    """

    title: str
    kind: str
    link: str
    text: str = ""


def write_assets(out: Path, entries: Sequence[Entry], plotting: bool = True) -> None:
    """Style, script, index of words and, where pages draw, the plotting library; files that are the
    same are left."""
    folder = out / ASSETS
    folder.mkdir(parents=True, exist_ok=True)
    words = json.dumps(sorted(set(entries)), separators=(",", ":"), ensure_ascii=False)
    files = {
        "style.css": (TEMPLATES / "style.css").read_bytes(),
        "report.js": (TEMPLATES / "report.js").read_bytes(),
        "search.js": script("search", words),
    }
    if plotting:
        files["plotly.js"] = _plotting()
    for name, content in files.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            write_atomically(path, content)


@cache
def _plotting() -> bytes:
    """plotly.js (Plotly Technologies, MIT licence), as the Python package has it."""
    return script("plotly", get_plotlyjs())
