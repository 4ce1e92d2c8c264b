"""Data of a picture: the page draws it again when asked, and gives it as CSV and SVG.

A chart is JSON, rounded to four digits, without the points that no picture needs. Those of a row's
pictures share steps, names and axes, and lie packed in one script, so that a page opened from a
folder can read them, and none does before somebody asks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from experiments.figures.lines import LineCurves
from experiments.figures.panels import RunCurves
from experiments.figures.rate import RateCurves, order_of
from experiments.figures.signs import plain
from experiments.figures.tradeoff import Point, TradeoffCurves
from experiments.figures.workers import WorkerCurves
from experiments.reporting.thinning import thinned
from proofs_check.curves import ArmReadings
from proofs_check.gantt import LanePanel
from theory.arrays import Floats

Curves = RunCurves | RateCurves | TradeoffCurves | WorkerCurves | LineCurves | LanePanel

_DIGITS = 4
_LINES = "line", "dash"  # styles of series whose points are joined
_QUANTILES = 32  # readings of an arm that are kept, evenly spaced among the sorted ones
_FEW = 16  # points of a curve that is kept as it is


def chart(curves: Curves) -> dict[str, Any]:
    """Axes and series of a picture: ``axes`` (choices for x), ``y``, ``logs``, ``series``.

    A series has ``x``, for each of the axes a list or the factor from the first axis, ``y``, and
    ``low`` and ``high`` where it has a band; ``style`` is line, dash, points or mark, and
    ``colour`` the number of one where the still picture numbers them, -1 the ink. A picture of
    lanes has ``bars`` instead; that of an effect has ``readings`` too: the share ``claimed``, and
    the shares of each arm's replicas, of many replicas quantiles.
    """
    match curves:
        case RunCurves():
            return _run(curves)
        case RateCurves():
            return _rate(curves)
        case LineCurves():
            logs = curves.scales[0] == "log", curves.scales[1] == "log"
            series = [
                _series(one.name, (one.x,), one.y, "line", one.low, one.high, logs) | {"colour": k}
                for k, one in enumerate(curves.lines)
            ]
            series += [_series(one.name, (one.x,), one.y, "dash", logs=logs) | {"colour": -1}
                       for one in curves.theory]  # fmt: skip
            drawn = _chart(curves.title, (curves.x_label,), curves.y_label, series, curves.scales)
            return drawn | ({"readings": _readings(curves.readings)} if curves.readings else {})
        case WorkerCurves():
            lines = [line for _, mine in curves.panels for line in mine]
            series = [_series(one.name, (one.x,), one.mean, "line", one.low, one.high)
                      for one in lines]  # fmt: skip
            return _chart(curves.title, ("workers n",), curves.y_label, series)
        case TradeoffCurves():
            return _tradeoff(curves)
        case LanePanel():
            return {
                "title": plain(curves.title),
                "x": "time [s]",
                "lanes": list(curves.lanes),
                "kinds": list(curves.kinds),
                "bars": {name: _numbers(getattr(curves, name))
                         for name in ("lane", "kind", "start", "stop")},
            }  # fmt: skip


def _readings(found: ArmReadings) -> dict[str, Any]:
    told = [np.sort(one) for one in found.shares]
    few = [one[np.linspace(0, len(one) - 1, min(len(one), _QUANTILES)).round().astype(int)]
           for one in told]  # fmt: skip
    return {"claimed": float(f"{found.claimed:.{_DIGITS}g}"), "shares": list(map(_numbers, few))}


def as_text(curves: Curves) -> str:
    """The chart of a picture as JSON.

    Raises:
        ValueError: a number that JSON cannot hold.
    """
    return json.dumps(chart(curves), separators=(",", ":"), allow_nan=False, ensure_ascii=False)


def _run(run: RunCurves) -> dict[str, Any]:
    labels = ["steps t", "sent and received per worker [Mbit]"]
    if run.seconds is not None:
        labels.append(f"{run.clock} [s]")
    series = [_series(run.name, _across(run), run.mean, "line", run.low, run.high)]
    if run.bound is not None:
        name = f"{run.bound_label} {run.bound_order}".rstrip()
        series.append(_series(name, _across(run), run.bound, "dash"))
    if run.beside is not None:
        beside = run.beside
        series.append(
            _series(beside.name, _across(beside), beside.mean, "line", beside.low, beside.high)
        )
    found = _chart(run.title, labels, run.label, series)
    return found | {"band": run.band}


def _across(run: RunCurves) -> list[Floats]:
    axes = [run.steps, run.bits / 1e6]
    return axes if run.seconds is None else [*axes, run.seconds]


def _rate(rate: RateCurves) -> dict[str, Any]:
    series = [_series("measured mean", (rate.x,), rate.mean, "points", rate.low, rate.high)]
    series += [_series(name, (x,), y, "mark") for name, x, y in rate.groups]
    if rate.fit is not None:
        series.append(_series("fitted power law", (rate.x,), rate.fit, "line"))
    if rate.reference is not None:
        order = order_of(rate)
        name = f"theory {order}" if order else "theory"
        series.append(_series(name, (rate.x,), rate.reference, "dash"))
    return _chart(rate.title, (rate.x_label,), rate.y_label, series)


def _tradeoff(data: TradeoffCurves) -> dict[str, Any]:
    groups = [*((one.name, (one,)) for one in data.mine), ("all other operators", data.others)]
    series = [_points(name, points) for name, points in groups]
    claimed = [one._replace(error=one.constant) for one in data.mine if one.constant > 0]
    if claimed:
        series.append(_points("claimed for every x", claimed))
    return _chart(
        data.title,
        ("bits a coordinate, single precision",),
        "E‖C(x) − x‖²/‖x‖², gaussian x",
        series,
    )


def _points(name: str, points: Sequence[Point]) -> dict[str, Any]:
    x, y = (np.array([getattr(one, key) for one in points]) for key in ("bits", "error"))
    return _series(name, (x,), y, "mark") | {"names": [one.name for one in points]}


def _chart(
    title: str, axes: Sequence[str], y: str, series: list[dict[str, Any]],
    scales: tuple[str, str] = ("log", "log"),
) -> dict[str, Any]:  # fmt: skip
    values = [value for one in series for value in one["y"] if value is not None]
    positive = any(value > 0 for value in values)
    return {
        "title": plain(title),
        "axes": [plain(axis) for axis in axes],
        "y": plain(y),
        "logs": [scales[0] == "log" and positive, scales[1] == "log" and positive],
        "series": series,
    }


def _series(
    name: str, x: Sequence[Floats], y: Floats, style: str,
    low: Floats | None = None, high: Floats | None = None, logs: tuple[bool, bool] = (True, True),
) -> dict[str, Any]:  # fmt: skip
    ends = [] if low is None or high is None or not np.isfinite(low).any() else [low, high]
    keep: Any = slice(None)
    if style in _LINES and len(y) > _FEW:
        keep = thinned(x, [y, *ends], logs)
    one: dict[str, Any] = {
        "name": plain(name), "style": style, "x": _across_axes([a[keep] for a in x]),
        "y": _numbers(y[keep]),
    }  # fmt: skip
    if ends:
        one |= {"low": _numbers(ends[0][keep]), "high": _numbers(ends[1][keep])}
    return one


def _across_axes(axes: Sequence[Floats]) -> list[Any]:
    """Numbers of each choice of x; of one that is the first times a factor, the factor."""
    first, *others = axes
    told: list[Any] = [_numbers(first)]
    there = np.isfinite(first) & (first != 0)
    for one in others:
        ratio = one[there] / first[there]
        same = len(ratio) > 1 and np.ptp(ratio) <= 0.5 * 10.0**-_DIGITS * np.abs(ratio).max()
        if same and not one[~there].any():
            told.append(float(f"{ratio.mean():.{_DIGITS}g}"))
        else:
            told.append(_numbers(one))
    return told


def _numbers(values: Floats) -> list[float | None]:
    """Rounded; None in the place of what is not finite."""
    return list(_rounded(np.asarray(values, dtype=np.float64)))


def _rounded(values: Floats) -> Iterator[float | None]:
    for value in values.tolist():
        near = float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None
        yield near if near is None or not near.is_integer() else int(near)
