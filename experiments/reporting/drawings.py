"""Which figures a survey gives: its runs against steps, bits and seconds; its rates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from algorithms.catalogue import Row, row
from experiments.figures.lines import Line, LineCurves
from experiments.figures.panels import RunCurves
from experiments.figures.rate import RateCurves
from experiments.progress import title
from experiments.reporting.pictures import Drawing
from experiments.reporting.signs import pretty
from experiments.single import CLOCK, CONSENSUS_LABEL, LABELS, bound_label, known
from experiments.store import Stored
from experiments.survey import Survey
from proofs_check.cell import Cell
from proofs_check.instruments.study import Study
from proofs_check.methods.tuned_run import only_agrees
from proofs_check.studies import STUDIES
from proofs_check.verdict import Verdict
from theory.theorem import Metric, Theorem
from theory.theorems import THEOREMS

Curves = Mapping[str, NDArray[np.float64]]

_RATE_KEYS = ("x", "mean", "low", "high", "fit", "reference")


def drawings(survey: Survey) -> tuple[tuple[Drawing, ...], tuple[str, ...]]:
    """One figure for each run, study or bound check that left curves, and what went wrong."""
    found: list[Drawing] = []
    faults: list[str] = []
    for cell, stored in survey.finished:
        try:
            found += _drawing(cell, stored)
        except Exception as error:  # curves of another shape must not cost the report
            faults.append(f"no figure of {title(cell)}: {type(error).__name__}: {error}")
    return tuple(found), tuple(faults)


def _drawing(cell: Cell, stored: Stored) -> tuple[Drawing, ...]:
    curves = stored.result.curves
    kind, _, name = cell.check.partition(" ")
    words = cell.check if kind == "bound" else f"{cell.row} {cell.problem} {cell.check}"
    stem = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
    if {"steps", "mean", "sent_bits"} <= curves.keys():
        surveyed = row(cell.row)
        theorem = _theorem(surveyed, stored.result.verdicts) if "bound" in curves else None
        caption = _run_caption(cell, theorem)
        return (Drawing(cell.row, stem, caption, _run(cell, surveyed, theorem, curves)),)
    if {"x", "mean"} <= curves.keys() and kind == "study":
        study = next(study for study in STUDIES if study.name == name)
        caption = f"{study.claim}, on {study.problem}."
        return tuple(
            Drawing(cell.row, stem + tail, pretty(caption), rate)
            for tail, rate in _rates(study, curves)
        )
    if kind == "study" and any(name.endswith("/y") for name in curves):
        study = next(study for study in STUDIES if study.name == name)
        caption = f"{study.claim}, on {study.problem}."
        return (Drawing(cell.row, stem, pretty(caption), lines_of(study, curves)),)
    return ()


def _run(cell: Cell, surveyed: Row, theorem: Theorem | None, curves: Curves) -> RunCurves:
    label, mean, low, high = _shown(surveyed, theorem, curves, cell.n)
    sent, received = curves["sent_bits"], curves["received_bits"]
    told = f", $n={cell.n}$, {cell.replicas} replicas" if cell.replicas else ", bound check"
    return RunCurves(
        title=f"{cell.row} on {cell.problem}{told}",
        label=label,
        steps=curves["steps"],
        mean=mean,
        low=low,
        high=high,
        band="± 2 standard errors",
        bits=sent + received,
        seconds=known(curves.get("seconds")),
        clock=CLOCK,
        bound=curves.get("bound"),
        bound_label=bound_label(theorem),
    )


Shown = tuple[str, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def _shown(surveyed: Row, theorem: Theorem | None, curves: Curves, n: int) -> Shown:
    """Label and curve: what the theorem bounds, else the gap to consensus or what is known of f."""
    mean = curves["mean"]
    none = np.full_like(mean, np.nan)
    if theorem is not None:
        return LABELS[theorem.metric], mean, curves["low"], curves["high"]
    if only_agrees(curves["squared_gradient"], curves["consensus"]):
        return CONSENSUS_LABEL, curves["consensus"] * n, none, none
    known = np.array_equal(mean, curves["suboptimality"])
    metric = Metric.SUBOPTIMALITY if known else Metric.MINIMUM_SQUARED_GRADIENT
    return LABELS[metric], mean, curves["low"], curves["high"]


def lines_of(study: Study, curves: Curves) -> LineCurves:
    """The lines ``LABEL/x``, ``LABEL/y`` of a study."""
    names = [name.removesuffix("/y") for name in curves if name.endswith("/y")]
    lines = tuple(
        Line(
            pretty(name), curves[f"{name}/x"], curves[f"{name}/y"],
            curves.get(f"{name}/low"), curves.get(f"{name}/high"),
        )
        for name in names
    )  # fmt: skip
    return LineCurves(
        pretty(study.claim), pretty(study.x_label), pretty(study.y_label), lines, study.scales
    )


def _theorem(surveyed: Row, verdicts: tuple[Verdict, ...]) -> Theorem | None:
    """The theorem whose bound the curve was held under, as the verdict names it."""
    for theorem in (*surveyed.theorems, *THEOREMS):
        if any(verdict.claim.split(" ")[-1] == theorem.name for verdict in verdicts):
            return theorem
    return None


def _run_caption(cell: Cell, theorem: Theorem | None) -> str:
    told = f"{theorem.title} ({theorem.source})" if theorem else "no bound applies, see the table"
    seeds = ", ".join(str(seed) for seed in cell.seeds)
    run = f" {cell.steps} steps, seed {seeds}." if cell.replicas else ""
    return f"{cell.problem}: {told}.{run}"


def _rates(study: Study, curves: Curves) -> Iterator[tuple[str, RateCurves]]:
    """The study's own curve, and those along another variable V: ``V/x``, ``V/mean`` ..."""
    others = [name.removesuffix("/x") for name in curves if name.endswith("/x")]
    own = {name: y for name, y in curves.items() if "/" not in name}
    yield "", _rate(study.claim, study.x_label, study.y_label, own)
    for other in others:
        start = f"{other}/"
        part = {k.removeprefix(start): y for k, y in curves.items() if k.startswith(start)}
        yield f"-{other}", _rate(study.claim, other, study.y_label, part)


def _rate(title: str, x_label: str, y_label: str, curves: Curves) -> RateCurves:
    x = curves["x"]
    more = {name: y for name, y in curves.items() if name not in _RATE_KEYS}
    same = [(name.replace("_", " "), x, y) for name, y in more.items() if y.shape == x.shape]
    return RateCurves(
        title=pretty(title),
        x_label=pretty(x_label),
        y_label=pretty(y_label),
        x=x,
        mean=curves["mean"],
        low=curves["low"],
        high=curves["high"],
        fit=curves.get("fit"),
        reference=curves.get("reference"),
        groups=tuple(same),
    )
