"""The heat maps of worst cases as files."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from experiments.figures.heatmap import heatmap_figure
from experiments.figures.slack import slack_figure
from experiments.figures.style import png, styled, webp
from experiments.storage.files import write_atomically
from experiments.worst_cases.kept import MAPS
from experiments.worst_cases.slack import slack_plot

_DPI = 100

SLACK_FILE = "worst-slack.webp"
"""The picture of theorems' slack, in the same folder."""


def written(folder: Path) -> dict[str, str]:
    """Draw all heat maps into a folder as PNG; their titles by their files' stems."""
    folder.mkdir(parents=True, exist_ok=True)
    for stem, maps in MAPS.items():
        with styled():
            write_atomically(folder / f"{stem}.png", png(heatmap_figure(maps()), _DPI))
    return _titles()


def written_for_page(folder: Path) -> dict[str, str]:
    """Draw them as WebP, and beside them the slack of theorems."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawn in _page_pictures().items():
        write_atomically(folder / name, drawn)
    return _titles()


@cache
def _page_pictures() -> dict[str, bytes]:
    """By file; what is kept stays as it is, while a survey writes its pages again and again."""
    with styled():
        maps = {
            f"{stem}.webp": webp(heatmap_figure(maps()), _DPI, tinted=False)
            for stem, maps in MAPS.items()
        }
        return {**maps, SLACK_FILE: webp(slack_figure(slack_plot()), _DPI)}


def _titles() -> dict[str, str]:
    return {stem: f"{maps().title}: {maps().quantity}" for stem, maps in MAPS.items()}
