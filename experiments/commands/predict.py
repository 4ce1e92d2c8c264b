"""``rateproof predict``: published figures, predicted from a part of their own data."""

from __future__ import annotations

import inspect
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from algorithms.core.names import look_up
from experiments.commands.console import bad_input, console, dump, print_note
from experiments.commands.grid import print_table
from experiments.predictions import cluster as cluster_file
from experiments.predictions import fig4
from experiments.predictions.cluster import ClusterModel, calibrated, fit_set
from experiments.predictions.errors import ErrorSummary, beyond, left_out
from experiments.predictions.findings import Finding, best_methods, crossings, findings
from experiments.predictions.stated import StatedThroughput, held_against_text
from experiments.predictions.throughputs import read_throughputs
from experiments.storage.files import write_atomically

_FOLLOWS = {True: "yes", False: "no", None: "cannot be told"}
FIGURES = {"fig4": "survey 001, Fig. 4: seven methods, three networks, 4 to 32 GPUs"}


def predict_command(name: str, data: Path, out: Path, as_json: bool) -> int:
    """Calibrate on ``data``, write the predictions to ``out``, and tell errors and findings."""
    with bad_input():
        look_up("prediction", name, FIGURES)
        points = read_throughputs(data)
        known = fit_set(points)
        model = calibrated(known)
        print_note(f"provisional: hop {model.hop * 1e6:.1f} us, left {model.left:.3f}")
        made = fig4.predicted(model)
        try:
            write_atomically(out, fig4.as_csv(made))
        except OSError as error:
            raise ValueError(
                f"out must be a file that can be written, got out={out} ({error.strerror})"
            ) from error
    without, more = left_out(points), beyond(points, made)
    stated = held_against_text(made)
    description, crossed, best = findings(model, made), crossings(made), best_methods(made)
    if as_json:
        dump({
            "predictions": len(made), "file": str(out), "hop": model.hop, "left": model.left,
            "calibrated_on": len(known), "left_out": [one._asdict() for one in without],
            "beyond": [one._asdict() for one in more],
            "stated": [{**one._asdict(), "error": one.error} for one in stated],
            "crossings": crossed, "fastest": best,
            "findings": [finding._asdict() for finding in description],
        })  # fmt: skip
        return 0
    _show(model, without, more, description, stated)
    for text in (
        f"WFBP-A2A behind BSP-A2A, or a tie, in {len(crossed)} places: " + "; ".join(crossed),
        "fastest on 100GbIB with 32 GPUs: " + "; ".join(best),
    ):
        console(False).print(text, highlight=False, soft_wrap=True)
    console(False).print(f"{len(made)} predictions: {out}", highlight=False, soft_wrap=True)
    return 0


def _show(
    model: ClusterModel,
    without: tuple[ErrorSummary, ...],
    more: tuple[ErrorSummary, ...],
    description: tuple[Finding, ...],
    stated: tuple[StatedThroughput, ...],
) -> None:
    out = console(False)
    for text in (inspect.getdoc(cluster_file), inspect.getdoc(fig4)):
        out.print(text, highlight=False, markup=False, soft_wrap=True)
        out.print()
    out.print(
        f"fitted: hop {model.hop * 1e6:.1f} us, left {model.left:.3f}, to {len(model.points)} "
        "throughputs; no error of a point that was fitted to is shown",
        highlight=False,
    )
    print_errors(out, f"left out of the {len(model.points)}, then predicted", without)
    if more:
        out.print(
            f"the folder holds {more[-1].points} throughputs beyond the {len(model.points)}; "
            "nothing is fitted to them",
            highlight=False,
        )
        print_errors(out, "throughputs that nothing was fitted to", more)
    else:
        out.print(
            "the folder holds no throughput beyond these: of the other methods and networks no "
            "error is known here",
            highlight=False, soft_wrap=True,
        )  # fmt: skip
    told = (
        (one.model, str(one.gpus), one.method or "best of seven", f"{one.samples_per_second:g}",
         f"{one.predicted:.5g}", f"{one.error:+.1%}")
        for one in stated
    )  # fmt: skip
    heads: tuple[str, ...] = ("model", "GPUs", "method", "published", "predicted", "error")
    title = "samples per second that the survey's text gives, 100GbIB; not fitted to"
    print_table(out, heads, told, title)
    listed = (
        (escape(f"{one.number}) {one.said}"), _FOLLOWS[one.follows],
         escape(one.description))
        for one in description
    )  # fmt: skip
    print_table(out, ("finding of Table 2", "follows", "predicted"), listed)


def print_errors(out: Console, title: str, summaries: tuple[ErrorSummary, ...]) -> None:
    """Print a line for each group of throughputs."""
    lines = (
        (one.group, str(one.points), f"{one.mean:.1%}", f"{one.bias:+.1%}", f"{one.worst:+.1%}",
         escape(one.where))
        for one in summaries
    )  # fmt: skip
    print_table(out, ("group", "points", "mean size", "mean", "worst", "of"), lines, title)
