"""Trainings as a table: loss over seeds beside plain averaging, bits, seconds of a step."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

BASELINE = "bsp-sgd"
_PHASES = ("compute", "compress", "communicate", "wait")


def training_table(lines: Sequence[Mapping[str, Any]]) -> str:
    """Markdown, a table for each task, of the lines of ``train``'s file.

    Losses are means over seeds with their standard deviation; differences from plain averaging are
    of the same seeds, which draw the same minibatches.
    """
    tasks = dict.fromkeys(one["task"] for one in lines)
    return "\n".join(
        _of_task(task, [one for one in lines if one["task"] == task]) for task in tasks
    )


def _of_task(task: str, lines: Sequence[Mapping[str, Any]]) -> str:
    plain = {
        one["seed"]: one["loss"][-1] for one in lines if one["row"] == BASELINE and "loss" in one
    }
    rows = dict.fromkeys(one["row"] for one in lines)
    told = [_row(key, [one for one in lines if one["row"] == key], plain) for key in rows]
    head = (f"| {lines[0]['task']} | loss | less that of {BASELINE} | times shorter | "
            + " | ".join(f"{phase} [ms]" for phase in _PHASES) + " |")  # fmt: skip
    return "\n".join((head, "|---|" + 7 * "--:|", *told, ""))


def _row(key: str, lines: Sequence[Mapping[str, Any]], plain: Mapping[int, float]) -> str:
    done = [one for one in lines if "loss" in one]
    if not done:
        return f"| {key} | diverged | | | | | | |"
    lost = f" ({len(lines) - len(done)} diverged)" if len(done) < len(lines) else ""
    off = [one["loss"][-1] - plain[one["seed"]] for one in done if one["seed"] in plain]
    sent, dense = done[0]["sent_bits"], done[0]["dense_bits"]
    cells = [
        key,
        _spread([one["loss"][-1] for one in done], "") + lost,
        _spread(off, "+") if off and key != BASELINE else "",
        "not told" if sent is None else f"{dense / max(1, sent):.3g}",
        *(f"{1e3 * statistics.fmean(one['seconds of a step'][p] for one in done):.2f}"
          for p in _PHASES),
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def _spread(values: Sequence[float], sign: str) -> str:
    """Mean, and standard deviation of several; in powers of ten where three decimals would show
    zeros or a long row of digits."""
    mean = statistics.fmean(values)
    digits = ".3f" if not mean or 5e-4 <= abs(mean) < 1e5 else ".3g"
    deviation = f" ± {statistics.stdev(values):.2g}" if values[1:] else ""
    return f"{mean:{sign}{digits}}{deviation}"
