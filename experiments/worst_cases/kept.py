"""Worst cases as they are kept, in tables and heat maps."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from experiments.figures.heatmap import HeatMaps, HeatPanel

STORED = Path(__file__).with_name("found.json")
"""What was computed; ``python -m experiments.worst_cases`` computes it again."""

AGREEMENT = 1e-4
"""Rates from above and below that are nearer than this, as a share of 1 - rate, are called exact:
both are then one number to the digits shown."""


@cache
def stored() -> dict[str, list[dict[str, Any]]]:
    """All that is stored of worst cases."""
    found: dict[str, list[dict[str, Any]]] = json.loads(STORED.read_text(encoding="utf-8"))
    return found


def constants() -> list[dict[str, Any]]:
    """Theorems, those first that give away least."""
    return sorted(stored()["constants"], key=lambda one: -one["factor_below"])


def exact(record: dict[str, Any]) -> bool:
    """Whether a rate is known from both sides."""
    above, below = record["above"], record["below" if "below" in record else "formula"]
    return above is not None and abs(above - below) <= AGREEMENT * (1 - below)


def best_rates() -> list[dict[str, Any]]:
    """Of every decentralised method and range the stepsize with the least rate."""
    found: dict[tuple[str, float], dict[str, Any]] = {}
    for one in stored()["spectral"]:
        key = (one["method"], one["hi"])
        if one["above"] is not None and one["above"] < found.get(key, {"above": 1.0})["above"]:
            found[key] = one
    return list(found.values())


def spectral_maps() -> HeatMaps:
    """Steps to a tenth of the distance, by stepsize and spectral range, a panel a method."""
    records = stored()["spectral"]
    x, y = _values(records, "alpha"), _values(records, "hi")
    panels = [
        HeatPanel(name, _grid([r for r in records if r["method"] == name], x, y, "alpha", "hi", 1))
        for name in dict.fromkeys(r["method"] for r in records)
    ]
    return HeatMaps(
        "Worst case over all functions (mu 0.1, L 1) and all W of a range",
        "steps to a tenth of the distance", "stepsize", "largest eigenvalue of W below 1",
        _named(x), _named(y), tuple(panels),
    )  # fmt: skip


def feedback_maps() -> HeatMaps:
    """Steps to a tenth at the best stepsize, by delta and conditioning."""
    records = stored()["feedback"]
    x, y = _values(records, "delta"), _values(records, "mu")
    panels = [
        HeatPanel(name, _grid([r for r in records if r["method"] == name], x, y, "delta", "mu", 2))
        for name in dict.fromkeys(r["method"] for r in records)
    ]
    return HeatMaps(
        "Error feedback at its best stepsize, over all contractions", "steps to a tenth",
        "delta of the operator", "mu/L", _named(x), _named(y), tuple(panels),
    )  # fmt: skip


def local_maps() -> HeatMaps:
    """Rounds to a tenth of the distance from its own limit, by stepsize and local steps."""
    records = stored()["local"]
    x, y = _values(records, "alpha"), _values(records, "H")
    return HeatMaps(
        "Local GD towards its own limit (mu 0.1, L 1)", "rounds to a tenth", "stepsize",
        "local steps H", _named(x), _named(y),
        (HeatPanel("local GD", _grid(records, x, y, "alpha", "H", 1)),),
    )  # fmt: skip


MAPS = {
    "worst-spectral": spectral_maps, "worst-feedback": feedback_maps, "worst-local": local_maps,
}  # fmt: skip
"""Heat maps by their files' stems."""


def _values(records: Sequence[dict[str, Any]], name: str) -> tuple[float, ...]:
    return tuple(sorted({record[name] for record in records}))


def _named(values: Sequence[float]) -> tuple[str, ...]:
    return tuple(f"{value:g}" for value in values)


def _grid(
    records: Sequence[dict[str, Any]], x: Sequence[float], y: Sequence[float], across: str,
    upwards: str, power: int,
) -> Any:  # fmt: skip
    found = np.full((len(y), len(x)), np.nan)
    for record in records:
        place = y.index(record[upwards]), x.index(record[across])
        stable = record.get("below", 0.0) < 1
        if record["above"] is not None or not stable:  # else nothing is known
            found[place] = steps_to_a_tenth(record["above"], power)
    return found


def steps_to_a_tenth(rate: float | None, power: int = 1) -> float:
    """Steps that divide a distance by 10, from its factor per step, or that of its ``power``-th
    power; infinite where it does not fall."""
    if rate is None or rate >= 1 - 1e-9:
        return math.inf
    return power / -math.log10(rate) if rate > 0 else 1.0


def lines() -> Iterator[dict[str, Any]]:
    """Rows of the table of best rates over stepsizes."""
    for one in best_rates():
        yield one | {"exact": exact(one), "steps": steps_to_a_tenth(one["above"])}
