"""The heat maps of worst cases as files."""

from __future__ import annotations

from pathlib import Path

from experiments.figures.heatmap import heatmap_figure
from experiments.figures.style import styled, webp
from experiments.storage.files import write_atomically
from experiments.worst_cases.kept import MAPS

_DPI = 100


def written(folder: Path) -> dict[str, str]:
    """Draw all heat maps into a folder; their titles by their files' stems."""
    folder.mkdir(parents=True, exist_ok=True)
    titles = {}
    for stem, maps in MAPS.items():
        with styled():
            write_atomically(folder / f"{stem}.webp", webp(heatmap_figure(maps()), _DPI, tinted=False))
        titles[stem] = f"{maps().title}: {maps().quantity}"
    return titles
