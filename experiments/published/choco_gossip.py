"""``rateproof figure choco-gossip``: average consensus with compressed messages."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from experiments.figures.choco_gossip import choco_gossip_figure
from experiments.published.figure import PublishedFigure
from proofs_check.figure_runs.averaging import (
    FULL,
    SEED,
    Lines,
    gap,
    late_rate,
    lines,
    quantisation_floor,
)


def _data(found: Lines) -> dict[str, Any]:
    s = found.setting
    return {
        "workers": s.n, "d": s.d, "share": s.share, "levels": s.levels, "seed": SEED,
        "gap": gap(s.n), "consensus_steps": {"top": s.top, "rand": s.rand},
        "square_of_mean": found.square,
        "floor_of_q2": quantisation_floor(s, found.square),
        "lines": [
            {
                "name": line.name, "steps": line.steps.tolist(), "error": line.error.tolist(),
                "sent_bits": line.bits.tolist(),
            }
            for line in found.lines.values()
        ],
    }  # fmt: skip


def _show(found: Lines, out: Console) -> None:
    s = found.setting
    table = Table(title=f"error of averaging on a ring, n = {s.n}, d = {s.d}")
    table.add_column("method")
    for title in ("steps", "error", "-d log(error) a step", "Mbit sent a worker"):
        table.add_column(title, justify="right")
    for line in found.lines.values():
        table.add_row(
            line.name, f"{line.steps[-1]:.0f}", f"{line.error[-1]:.3g}", f"{late_rate(line):.3g}",
            f"{line.bits[-1] / 1e6:.3g}",
        )  # fmt: skip
    out.print(table)
    out.print(
        f"||mean of the starts||^2 = {found.square:.3g}, where Q1 with rand collapses to; "
        f"floor of Q2 with QSGD {quantisation_floor(s, found.square):.3g}",
        highlight=False, soft_wrap=True,
    )  # fmt: skip


CHOCO_GOSSIP = PublishedFigure(
    "choco-gossip",
    "Averaging on a ring with compressed messages, by CHOCO-Gossip and without its public copies "
    "(Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, Figures 2 and 3).",
    lambda _: lines(FULL),
    choco_gossip_figure,
    _data,
    _show,
)
