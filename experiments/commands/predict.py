"""``rateproof predict``: published figures, predicted from a part of their own data."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
from rich.table import Table

from algorithms.core.names import look_up
from experiments.commands.console import bad_input, console, dump
from experiments.predictions import cluster as cluster_file
from experiments.predictions import fig4
from experiments.predictions.cluster import ClusterModel, calibrated, held_out, wait_free
from experiments.predictions.findings import Finding, best_methods, crossings, findings
from experiments.predictions.stated import StatedThroughput, held_against_text
from experiments.predictions.throughputs import read_throughputs
from experiments.storage.files import write_atomically

FIGURES = {"fig4": "survey 001, Fig. 4: seven methods, three networks, 4 to 32 GPUs"}


def predict_command(name: str, data: Path, out: Path, as_json: bool) -> int:
    """Calibrate on ``data``, write the predictions to ``out``, and tell errors and findings."""
    with bad_input():
        look_up("prediction", name, FIGURES)
        points = read_throughputs(data)
        model = calibrated(points)
        made = fig4.predicted(model)
        try:
            write_atomically(out, fig4.as_csv(made))
        except OSError as error:
            raise ValueError(
                f"out must be a file that can be written, got out={out} ({error.strerror})"
            ) from error
    known = wait_free(points)
    off = np.expm1(-model.errors(known))
    fit = float(np.sqrt(np.mean(off**2))), float(np.abs(off).max())
    left_out = held_out(points)
    stated = held_against_text(made)
    told, crossed, best = findings(model, made), crossings(made), best_methods(made)
    if as_json:
        dump({
            "predictions": len(made), "file": str(out), "hop": model.hop, "left": model.left,
            "fit": fit, "held_out": left_out,
            "stated": [{**one._asdict(), "error": one.error} for one in stated],
            "crossings": crossed, "fastest": best,
            "findings": [finding._asdict() for finding in told],
        })  # fmt: skip
        return 0
    _show(model, fit, left_out, told, stated)
    for text in (
        f"WFBP-A2A behind BSP-A2A, or a tie, in {len(crossed)} places: " + "; ".join(crossed),
        "fastest on 100GbIB with 32 GPUs: " + "; ".join(best),
    ):
        console(False).print(text, highlight=False, soft_wrap=True)
    console(False).print(f"{len(made)} predictions: {out}", highlight=False, soft_wrap=True)
    return 0


def _show(
    model: ClusterModel,
    fit: tuple[float, float],
    left_out: dict[str, tuple[float, float]],
    told: tuple[Finding, ...],
    stated: tuple[StatedThroughput, ...],
) -> None:
    out = console(False)
    for text in (inspect.getdoc(cluster_file), inspect.getdoc(fig4)):
        out.print(text, highlight=False, markup=False, soft_wrap=True)
        out.print()
    out.print(
        f"fitted: hop {model.hop * 1e6:.1f} us, left {model.left:.3f}; WFBP-A2A on 100GbIB to "
        f"{fit[0]:.1%} (root mean square), {fit[1]:.1%} at most",
        highlight=False,
    )
    table = Table("held out", "root mean square", "at most", title="errors of points not fitted to")
    for name, (mean, most) in left_out.items():
        table.add_row(name, f"{mean:.1%}", f"{most:.1%}")
    out.print(table)
    said = Table(
        "model", "GPUs", "method", "published", "predicted", "error",
        title="samples per second that the survey's text gives, 100GbIB; not fitted to",
    )  # fmt: skip
    for one in stated:
        said.add_row(
            one.model, str(one.gpus), one.method or "best of seven",
            f"{one.samples_per_second:g}", f"{one.predicted:.5g}", f"{one.error:+.1%}",
        )  # fmt: skip
    out.print(said)
    listed = Table("finding of Table 2", "follows", "predicted")
    for finding in told:
        listed.add_row(
            f"{finding.number}) {finding.said}", "yes" if finding.follows else "no", finding.told
        )
    out.print(listed)
