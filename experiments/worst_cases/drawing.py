"""The heat maps of worst cases as files."""

from __future__ import annotations

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
    with styled():
        for stem, maps in MAPS.items():
            drawn = webp(heatmap_figure(maps()), _DPI, tinted=False)
            write_atomically(folder / f"{stem}.webp", drawn)
        write_atomically(folder / SLACK_FILE, webp(slack_figure(slack_plot()), _DPI))
    return _titles()


def _titles() -> dict[str, str]:
    return {stem: f"{maps().title}: {maps().quantity}" for stem, maps in MAPS.items()}
