"""The map of the package: ``python -m experiments.reporting.architecture`` writes it to docs/.

Floors and rooms are those of the import contracts in pyproject.toml, what a room is stands in its
docstring, and the ways of a step and of a claim are checked against the imports by a test, so that
docs/architecture.md and its picture cannot tell what is no longer so.
"""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

from matplotlib.figure import Figure

from experiments.figures.style import BOUND, FAINT, INK, MEASURED, png, styled
from experiments.storage.files import write_atomically

ROOT = Path(__file__).resolve().parents[2]
PAGE, PICTURE = ROOT / "docs" / "architecture.md", ROOT / "docs" / "architecture.png"
OPEN, CLOSE = "<!-- floors -->", "<!-- end of floors -->"

Floors = tuple[tuple[str, ...], ...]
"""Rooms of a package, the highest floor first; rooms of one floor do not import each other."""

STEP = (
    "algorithms.engine.run", "algorithms.pipeline.advance", "algorithms.pipeline.base",
    "algorithms.problems.base", "algorithms.kernels.row_parts",
)  # fmt: skip
"""The way of a step in blocks, each station importing the next."""

OWN_STEP = (
    "algorithms.methods.synchronous.bsp", "algorithms.methods.base", "algorithms.network.base",
    "algorithms.compressors.base", "algorithms.codes.base",
)  # fmt: skip
"""The way of a method's own step: gradients, messages, exchange, their length in bits."""

CLAIM = (
    "experiments.commands.survey", "proofs_check.prepare", "proofs_check.methods.runs",
    "proofs_check.methods.tuned_run", "algorithms.engine.run",
)  # fmt: skip
"""The way of a claim: from the survey to the run that is judged."""


def floors(package: str) -> Floors:
    """The floors of a package by its import contract."""
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = data["tool"]["importlinter"]["contracts"]
    layers = next(c["layers"] for c in contracts if c.get("containers") == [package])
    return tuple(tuple(room.strip() for room in floor.split("|")) for floor in layers)


def packages() -> tuple[str, ...]:
    """The packages, the highest first."""
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = data["tool"]["importlinter"]["contracts"]
    return tuple(next(c["layers"] for c in contracts if not c.get("containers")))


def about(package: str, room: str) -> str:
    """The first sentence of a room's docstring, or of a module's."""
    folder = ROOT / package / room
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(doc.split("\n\n")[0].split())


def table() -> str:
    """Packages, floors and rooms as Markdown."""
    lines = []
    for package in packages():
        lines += [f"### {package}", "", "| floor | room | what it is |", "|---|---|---|"]
        rooms = floors(package)
        for number, floor in enumerate(rooms):
            lines += [
                f"| {len(rooms) - number} | `{room}` | {about(package, room)} |" for room in floor
            ]
        lines.append("")
    return "\n".join(lines).strip()


def page(text: str) -> str:
    """The page with its tables as they are now."""
    start, rest = text.split(OPEN)
    return f"{start}{OPEN}\n\n{table()}\n\n{CLOSE}{rest.split(CLOSE)[1]}"


def picture() -> Figure:
    """Packages side by side, their floors from the ground up; an arrow says who may import."""
    figure = Figure(figsize=(11.2, 6.4), layout="constrained")
    ax = figure.subplots()
    ax.set_axis_off()
    order = packages()[::-1]
    highest = max(len(floors(package)) for package in order)
    for column, package in enumerate(order):
        rooms = floors(package)
        left = 3.0 * column
        ax.text(left, highest + 0.7, package, color=INK, fontsize=12, weight="bold", ha="center")
        for number, floor in enumerate(rooms[::-1]):
            ax.text(
                left, number, _wrapped(floor), ha="center", va="center", fontsize=7.5, color=INK,
                bbox={"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": MEASURED},
            )  # fmt: skip
        if column:
            ax.annotate(
                "", (left - 2.0, highest + 0.75), (left - 1.0, highest + 0.75),
                arrowprops={"arrowstyle": "->", "color": BOUND, "lw": 1.5},
            )  # fmt: skip
    ax.text(
        -1.3, -1.1, "A box is a floor: it imports what lies below it and what lies left of it.",
        color=FAINT, fontsize=9,
    )  # fmt: skip
    ax.set_xlim(-1.4, 3.0 * (len(order) - 1) + 1.4)
    ax.set_ylim(-1.4, highest + 1.2)
    return figure


def _wrapped(rooms: tuple[str, ...], width: int = 44) -> str:
    lines = [""]
    for room in rooms:
        joined = f"{lines[-1]}, {room}" if lines[-1] else room
        if len(joined) > width and lines[-1]:
            lines.append(room)
        else:
            lines[-1] = joined
    return "\n".join(lines)


if __name__ == "__main__":
    write_atomically(PAGE, page(PAGE.read_text(encoding="utf-8")).encode())
    with styled():
        write_atomically(PICTURE, png(picture()))
