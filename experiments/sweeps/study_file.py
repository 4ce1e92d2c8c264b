"""A study read from a TOML file: all that can be wrong with it is found before a run begins."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from algorithms.catalogue import problem, row
from algorithms.core.names import look_up
from algorithms.tuning.grid import SEED
from algorithms.tuning.parameters import with_settings
from experiments.compare.tuned_rows import Tuning, positive
from experiments.sweeps.study import PairOfStudy, SweepStudy

_WHOLE = {"replicas": 1, "records": 2, "block": 1}
"""Whole numbers of a study beside its grid, with the least that each may be."""

_AXES = ("row", "problem", "n", "steps", "tuning", "gamma", "seed", "set")
_KEYS = ("name", *_WHOLE, "skip_unfit", "grid", "set")


def read_study(path: Path) -> SweepStudy:
    """The study of a TOML file, see :func:`study_of`.

    Raises:
        ValueError: it cannot be read, is no TOML, or describes no study.
    """
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: cannot be read ({error})") from error
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: not TOML ({error})") from error
    return study_of(told, path.stem)


def study_of(told: Mapping[str, Any], name: str = "sweep") -> SweepStudy:
    """The study that a table describes: all that can be wrong is found before a run begins.

    ``grid`` has lists ``row`` and ``problem``, and may have ``n`` (default 16), ``steps`` (1000),
    ``seed`` (0), ``tuning`` (``"theorem"``) and ``gamma``; ``grid.set`` has lists of values by
    parameter for every row, ``set.ROW`` for one. A list of numbers may be a table ``{from, to}``
    or ``{from, to, step}``, ends included. ``replicas`` (16), ``records`` (50) and ``block`` (20
    runs a file) stand beside it; ``skip_unfit = true`` leaves out pairs that do not fit.

    Raises:
        ValueError: an unknown name, a value out of range, or a row that does not run on a problem.
    """
    for key in told:
        look_up("key of a study", key, dict.fromkeys(_KEYS, key))
    grid = _table("grid", told.get("grid"))
    for key in grid:
        look_up("axis of a grid", key, dict.fromkeys(_AXES, key))
    common = _settings("grid.set", grid.get("set", {}))
    alone = {key: _settings(f"set.{key}", one) for key, one in _table("set", told.get("set", {}),
             empty=True).items()}  # fmt: skip
    whole = {"replicas": 16, "records": 50, "block": 20} | {
        key: _whole(key, told[key], least) for key, least in _WHOLE.items() if key in told
    }
    keys, names = _words("grid.row", grid), _words("grid.problem", grid)
    for key in alone:
        if key not in keys:
            raise ValueError(f"set.{key} is of a row that the grid has not: {', '.join(keys)}")
    axes = _common_axes(grid)
    pairs, left_out = list[PairOfStudy](), list[str]()
    for key in keys:
        mine = {**common, **alone.get(key, {})}
        for problem_name in names:
            pair = PairOfStudy(key, problem_name, (*axes, *_by_name(mine)))
            why = _unfit(pair)
            if not why:
                _build(pair, mine)
                pairs.append(pair)
            elif told.get("skip_unfit", False):
                left_out.append(why)
            else:
                raise ValueError(f"{why}; skip_unfit = true would leave such pairs out")
    if not pairs:
        raise ValueError(f"no row of the grid runs on any of its problems: {'; '.join(left_out)}")
    settings = sorted({name for one in (common, *alone.values()) for name in one})
    return SweepStudy(
        str(told.get("name", name)), whole["replicas"], whole["records"], whole["block"],
        tuple(pairs), tuple(settings), tuple(left_out),
    )  # fmt: skip


def _common_axes(grid: Mapping[str, Any]) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Axes of every pair, seeds outermost."""
    seeds = _numbers("grid.seed", grid.get("seed", 0), None)
    tunings = tuple(
        look_up("tuning", word, {one.value: one.value for one in Tuning})
        for word in _words("grid.tuning", {"tuning": "theorem", **grid})
    )
    if Tuning.GRID in tunings and SEED in seeds:
        raise ValueError(
            f"grid.seed has {SEED}, which the grid's tunings were decided on; others would do"
        )
    steps = tuple(
        positive(_number("grid.gamma", one)).gamma for one in _listed(grid.get("gamma", []))
    )
    if steps and tunings != (Tuning.THEOREM.value,):
        raise ValueError("grid.gamma sets the stepsize, and so would grid.tuning; one would do")
    return (
        ("seed", seeds),
        ("n", _numbers("grid.n", grid.get("n", 16), 2)),
        ("steps", _numbers("grid.steps", grid.get("steps", 1000), 1)),
        ("tuning", tunings),
        ("gamma", steps or (None,)),
    )


def _by_name(settings: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, values in sorted(settings.items()):
        yield f"set.{name}", values


def _unfit(pair: PairOfStudy) -> str:
    """Reason why the row does not run on the problem; empty: it does."""
    named = row(pair.row)
    named.ready()
    try:
        for n in dict(pair.axes)["n"]:
            named.require_fit(problem(pair.problem, n))
    except ValueError as error:
        problem(pair.problem, 2)  # an unknown name is an error whatever is skipped
        return str(error)
    return ""


def _build(pair: PairOfStudy, settings: Mapping[str, tuple[str, ...]]) -> None:
    """Build every method of one setting, so that what cannot be is told now."""
    axes = dict(pair.axes)
    for n in axes["n"]:
        objective = problem(pair.problem, n)
        for name, values in settings.items():
            for value in values:
                with_settings(row(pair.row), {name: value}).tune(objective, axes["steps"][0])


def _table(name: str, value: Any, *, empty: bool = False) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not (value or empty):
        raise ValueError(f"{name} must be a table such as [grid], got {name}={value!r}")
    return value


def _settings(name: str, value: Any) -> dict[str, tuple[str, ...]]:
    return {
        str(key): tuple(str(one).lower() if isinstance(one, bool) else str(one) for one in values)
        for key, given in _table(name, value, empty=True).items()
        if (values := _listed(given))
    }


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [value]


def _words(name: str, grid: Mapping[str, Any]) -> tuple[str, ...]:
    found = tuple(_listed(grid.get(name.rpartition(".")[2], [])))
    if not found or not all(isinstance(word, str) for word in found):
        raise ValueError(f"{name} must be a list of names, got {name}={list(found)!r}")
    return _once(name, found)


def _numbers(name: str, value: Any, least: int | None) -> tuple[int, ...]:
    if isinstance(value, Mapping):
        if not {"from", "to"} <= set(value) <= {"from", "to", "step"}:
            raise ValueError(f"{name} must be a list, or {{from, to, step}}, got {dict(value)!r}")
        begin, end = (_whole(f"{name}.{key}", value[key], least) for key in ("from", "to"))
        value = list(range(begin, end + 1, _whole(f"{name}.step", value.get("step", 1), 1)))
    found = tuple(_whole(name, one, least) for one in _listed(value))
    if not found:
        raise ValueError(f"{name} must have a value, got an empty list")
    return _once(name, found)


def _once(name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(values)) < len(values):
        twice = next(value for value in values if values.count(value) > 1)
        raise ValueError(f"{name} has {twice!r} twice; once would do")
    return values


def _whole(name: str, value: Any, least: int | None) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{name} must be a whole number, got {name}={value!r}")
    if least is not None and value < least:
        raise ValueError(f"{name} must be at least {least}, got {name}={value}")
    return value


def _number(name: str, value: Any) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise ValueError(f"{name} must be a number, got {name}={value!r}")
    return float(value)
