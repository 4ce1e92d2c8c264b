"""``rateproof scaling``: seconds to a target as workers are added, weak and strong."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
from rich.markup import escape

from algorithms.catalogue import row
from algorithms.clusters.files import cluster_of
from experiments.commands.console import (
    at_least,
    bad_input,
    console,
    dump,
    files_written,
    number,
    print_note,
    writable,
)
from experiments.commands.grid import print_table
from experiments.compare.clustered import OnCluster
from experiments.figures.lines import DrawnLine, LineCurves
from experiments.figures.lines_figure import lines_figure
from experiments.figures.style import save, styled
from experiments.scaling.points import Scaling, ScalingPoint, scaling, sizes_of
from experiments.storage.files import write_atomically


def scaling_command(
    key: str, place: OnCluster, *, problem_name: str, target: float, most: int, simulated: int,
    steps: int, batch: int | None, out: Path, as_json: bool,
) -> int:  # fmt: skip
    """Write the figure and the table, and print it."""
    with bad_input():
        if not 0 < target < 1:
            raise ValueError(f"target must lie in (0, 1): a share of the start, got {target}")
        at_least("T", steps, 1)
        chosen = row(key)
        chosen.ready()
        cluster = cluster_of(place.cluster)
        sizes = sizes_of(cluster, most)
        whole = cluster.step_times(place.model).samples * sizes[-1] if batch is None else batch
        writable(out)
        found = scaling(
            chosen, place, cluster, problem_name, target, sizes, simulated=simulated, steps=steps,
            batch=whole, announce=_announce,
        )  # fmt: skip
    way = f"{place.schedule}, {place.architecture}"
    title = f"{key}, {place.model} on machines of {cluster.name}: {way}"
    stem = re.sub(r"[^a-z0-9]+", "-", f"scaling-{key}-{place.model}-{cluster.name}".lower())
    table = out / f"{stem}.csv"
    if not as_json:
        _show(found, title)
    with styled():
        files = save(lines_figure(_curves(found, title)), out, stem)
    frame = pd.DataFrame(found.points)
    write_atomically(table, frame.to_csv(index=False).encode())
    if as_json:
        dump({
            "row": key, "model": place.model, "cluster": cluster.name, "target": target,
            "points": [point._asdict() for point in found.points],
            "description": list(found.description),
            "files": [str(path) for path in (*files, table)],
        })  # fmt: skip
        return 0
    files_written(console(False), files)
    console(False).print(f"table: {table}", highlight=False, soft_wrap=True)
    return 0


def _announce(point: ScalingPoint) -> None:
    """A point as soon as it is there, on standard error."""
    reached = f"{point.simulated:g} steps, {number(point.seconds)} s"
    told = reached if math.isfinite(point.simulated) else "target not reached"
    print_note(f"{point.n} workers, weak scaling: {told}")


def _curves(found: Scaling, title: str) -> LineCurves:
    lines = []
    for kind in ("weak", "strong"):
        mine = [point for point in found.points if point.kind == kind]
        n = np.array([float(point.n) for point in mine])
        for name, values in (
            ("simulated steps", [point.seconds for point in mine]),
            ("steps by bound", [point.promised_seconds for point in mine]),
        ):
            y = np.array(values)
            if np.isfinite(y).any():
                lines.append(DrawnLine(f"{kind}, {name}", n, y))
        steps = np.array([point.step_seconds for point in mine])
        lines.append(DrawnLine(f"{kind}, one step", n, steps))
    return LineCurves(title, "workers", "seconds", tuple(lines))


def _show(found: Scaling, title: str) -> None:
    out = console(False)
    heads = (
        "scaling", "workers", "samples each", "s a step", "computing", "efficiency",
        "steps, simulated", "s to target", "steps by bound", "s by bound",
    )  # fmt: skip
    lines = (
        (
            point.kind, str(point.n), number(point.samples, 3), number(point.step_seconds, 4),
            f"{point.computing:.0%}", f"{point.efficiency:.0%}", number(point.simulated, 4),
            number(point.seconds, 4), number(point.promised, 4), number(point.promised_seconds, 4),
        )
        for point in found.points
    )  # fmt: skip
    print_table(out, heads, lines, escape(title))
    for line in found.description:
        out.print(escape(line), highlight=False, soft_wrap=True)
    most = max(found.points, key=lambda point: point.n)
    out.print(
        f"the cost model itself took {most.model_seconds:.2g} processor seconds for {most.n} "
        f"workers, and {sum(p.model_seconds for p in found.points):.2g} for all of these",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
