"""``rateproof topologies``: mixing matrices and their spectra, or checks of one's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich.markup import escape

from algorithms.core.names import look_up
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.gallery import RULES, gallery
from experiments.commands.console import (
    at_least,
    bad_input,
    console,
    dump,
    exit_code,
    show_verdicts,
)
from experiments.commands.grid import print_table
from experiments.reporting.topologies import shown, topology_data
from proofs_check.topologies.mixing import check_topology
from theory.networks.mixing import MixingError


def topologies_command(n: int, weights: str, matrix: Path | None, as_json: bool) -> int:
    """Print the table, or spectrum and verdicts of a file's W; exit code 1 if one is refuted."""
    with bad_input():
        if matrix is not None:
            return _show_matrix(read_matrix(matrix), as_json)
        at_least("n", n, 1)
        rule = look_up("weights", weights, RULES)
        try:
            rows = [topology_data(topology) for topology in gallery(n, rule)]
        except ImportError as error:
            raise ValueError(str(error)) from error
    if as_json:
        dump(rows)
        return 0
    lines: list[tuple[str, ...]] = []
    for row in rows:
        name = row["name"].removesuffix(f", {rule.name}")
        if "refused" in row:
            lines.append((escape(name), "refused", "", "", "", ""))
            continue
        name = name if row["period"] == 1 else f"{name}, per {row['period']} steps"
        values = (row["lam"], row["gap"], row["lam_n"], row["rounds"], row["messages"])
        lines.append((escape(name), *(shown(value) for value in values)))
    out = console(False)
    heads = ("topology", "lam", "gap", "lam_n", "1/log(1/lam)", "messages")
    print_table(out, heads, lines)
    out.print(
        f"n = {n}, weights {rule.name} on graphs; lam = ||W - J||, gap = 1 - lam, rounds to shrink "
        "a distance e times, messages that a worker sends a step",
        highlight=False,
    )
    return 0


def _show_matrix(topology: FixedMatrix, as_json: bool) -> int:
    """Its spectrum and its verdicts."""
    spectrum, verdicts = topology_data(topology), check_topology(topology)
    if as_json:
        dump({"spectrum": spectrum, "verdicts": [verdict.record() for verdict in verdicts]})
        return exit_code(verdicts)
    numbers = ", ".join(f"{name} {shown(spectrum[name])}" for name in ("lam", "gap", "lam_n"))
    console(False).print(
        f"{topology.name}: n = {topology.n}, {numbers}, 1/log(1/lam) {shown(spectrum['rounds'])}; "
        "lam = ||W - J||, gap = 1 - lam",
        highlight=False, markup=False, soft_wrap=True,
    )  # fmt: skip
    return show_verdicts(verdicts, False)


def read_matrix(path: Path) -> FixedMatrix:
    """W from a text file: one line per worker, weights separated by commas or blanks.

    Raises:
        ValueError: the file cannot be read, holds something else, or is no mixing matrix; names
            the file, and the offending line, entry or component.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"matrix {path} cannot be read: {error}") from error
    rows: list[list[float]] = []
    for line_number, line in enumerate(text.splitlines(), 1):
        cells = line.replace(",", " ").split()
        if not cells:
            continue
        try:
            rows.append([float(cell) for cell in cells])
        except ValueError as error:
            raise ValueError(
                f"matrix {path}, line {line_number}: {error}; one line per worker, weights "
                "separated by commas or blanks"
            ) from error
        if len(rows[-1]) != len(rows[0]):
            raise ValueError(
                f"matrix {path}, line {line_number}: {len(rows[-1])} weights, the first line has "
                f"{len(rows[0])}"
            )
    try:
        return FixedMatrix(np.array(rows), label=path.stem)
    except MixingError as error:
        raise ValueError(f"matrix {path}: {error}") from error
