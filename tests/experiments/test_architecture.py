"""The map of the package is what the contracts and imports say."""

from __future__ import annotations

from itertools import pairwise

import grimp
import pytest

from experiments.figures.style import styled
from experiments.reporting import architecture as built

PACKAGES = built.packages()


def test_the_page_is_what_the_contracts_and_docstrings_say():
    text = built.PAGE.read_text(encoding="utf-8")
    assert built.page(text) == text, "python -m experiments.reporting.architecture writes it again"


def test_every_room_has_a_floor():
    """A contract may leave rooms out; the map would not show them."""
    for package in PACKAGES:
        named = {room for floor in built.floors(package) for room in floor}
        folder = built.ROOT / package
        rooms = {path.parent.name for path in folder.glob("*/__init__.py")}
        assert rooms - named == set(), f"floors of {package} in pyproject.toml lack them"


@pytest.mark.parametrize("way", [built.STEP, built.OWN_STEP, built.CLAIM])
def test_stations_of_a_way_import_the_next(way):
    graph = grimp.build_graph(*PACKAGES)
    for here, there in pairwise(way):
        reached = graph.find_shortest_chain(here, there)
        assert reached is not None and len(reached) <= 3, f"{here} does not reach {there}"


def test_the_picture_shows_all_rooms():
    with styled():
        ax = built.picture().axes[0]
    shown = {room for text in ax.texts for room in text.get_text().replace("\n", ", ").split(", ")}
    rooms = {room for package in PACKAGES for floor in built.floors(package) for room in floor}
    assert rooms <= shown
