"""Average consensus with compressed messages, in steps and in bits (CHOCO, Figures 2 and 3)."""

from __future__ import annotations

from matplotlib.figure import Figure

from experiments.figures.lines import DrawnLine
from experiments.figures.several import Panel, SeveralCurves, several_figure
from proofs_check.figure_runs.averaging import Lines, quantisation_floor
from proofs_check.figure_runs.trace import ErrorTrace

_LEVELS = ("exact", "CHOCO QSGD", "Q1 QSGD", "Q2 QSGD")
_SPARSE = ("exact", "CHOCO top", "CHOCO rand", "Q1 rand", "Q2 rand")


def choco_gossip_figure(found: Lines) -> Figure:
    """QSGD and sparsifiers against steps, then those that converge against bits."""
    s = found.setting
    floor = quantisation_floor(s, found.square)
    panels = (
        Panel(f"QSGD, {s.levels} levels", "steps", _of(found, _LEVELS), ("linear", "log"),
              ("floor of Q2, closed form", floor)),
        Panel(f"{s.share:.0%} of the coordinates", "steps", _of(found, _SPARSE),
              ("linear", "log")),
        Panel("all operators", "sent per worker [Mbit]", _of(found, tuple(found.lines), True)),
    )  # fmt: skip
    title = f"averaging on a ring, $n = {s.n}$, $d = {s.d}$"
    label = "$\\frac{1}{n}\\,\\sum_i \\Vert x_i - \\bar{x}_0 \\Vert^2$"
    return several_figure(SeveralCurves(title, label, panels, (1e-11, 1e2), 3))


def _of(found: Lines, names: tuple[str, ...], bits: bool = False) -> tuple[DrawnLine, ...]:
    return tuple(_line(found.lines[name], bits) for name in names)


def _line(line: ErrorTrace, bits: bool) -> DrawnLine:
    return DrawnLine(line.name, line.bits / 1e6 if bits else line.steps, line.error)
