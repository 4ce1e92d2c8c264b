"""``rateproof figure``: published figures, drawn again from runs of the methods."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from algorithms.names import look_up
from experiments.commands.console import bad_input, writable
from experiments.commands.figure_choco_gossip import choco_gossip
from experiments.commands.figure_choco_sgd import choco_sgd
from experiments.commands.figure_lag import lag

FIGURES: dict[str, Callable[[Path | None, Path, bool], int]] = {
    "lag": lag,
    "choco-gossip": choco_gossip,
    "choco-sgd": choco_sgd,
}


def figure_command(name: str, data: Path | None, out: Path, *, as_json: bool) -> int:
    """Exit code 2 for a figure that there is not, or data that cannot be read."""
    with bad_input():
        draw = look_up("figure", name, FIGURES)
        writable(out)
        return draw(data, out, as_json)
