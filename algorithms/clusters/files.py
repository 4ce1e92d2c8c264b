"""Clusters as files: TOML, read and written; those that lie here by name.

::

    name = "mine"
    title = "two machines of four GPUs"
    source = "measured on a Sunday"
    machines = 2
    workers = 4
    left = 1.0                                   # may be left out
    thread = inf                                 # may be left out

    [network]
    messages = [[131072, 1.1e-4], [8e6, 9.8e-4]]  # bits, seconds

    [inside]
    messages = [[131072, 2e-5], [8e6, 2.5e-4]]

    [models.bert-large]
    samples = 8
    seconds = 0.163

    [operators."top-k"]                          # may be left out
    encode = 5e-9
    decode = 1e-11
    measured = true
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from algorithms.clusters.cluster import Cluster, CodingTimes, ModelTimes
from algorithms.core.names import look_up
from theory.seconds.protocols import Point

BUILT_IN = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.toml"))}
"""Files that lie here, by name."""


def cluster_of(name: str) -> Cluster:
    """A built-in cluster by name, or the one in a file.

    Raises:
        ValueError: there is none, or the file is not as it should be; names the entry.
    """
    path = Path(name)
    if path.suffix == ".toml" or path.is_file():
        return read_cluster(path)
    return read_cluster(look_up("cluster", name, BUILT_IN))


def read_cluster(path: Path) -> Cluster:
    """The cluster of a file.

    Raises:
        ValueError: it cannot be read, or an entry is missing, unknown or wrong; names it.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"cluster {path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(
            f"cluster {path} is not TOML ({error}); a file as `rateproof calibrate` writes it "
            "would do"
        ) from error
    try:
        return _cluster(data)
    except (ValueError, TypeError, KeyError) as error:
        description = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"cluster {path}: {description}") from error


_KNOWN = {
    "name", "title", "source", "machines", "workers", "left", "thread", "network", "inside",
    "models", "operators",
}  # fmt: skip


def _cluster(data: Mapping[str, Any]) -> Cluster:
    unknown = sorted(set(data) - _KNOWN)
    if unknown:
        raise ValueError(
            f"unknown entries {', '.join(unknown)}; known: {', '.join(sorted(_KNOWN))}"
        )
    return Cluster(
        str(data["name"]), str(data["title"]), str(data["source"]),
        int(data["machines"]), int(data["workers"]),
        _points(data["network"]["messages"]), _points(data["inside"]["messages"]),
        float(data.get("left", 1.0)),
        tuple(
            (name, ModelTimes(int(one["samples"]), float(one["seconds"])))
            for name, one in data.get("models", {}).items()
        ),
        tuple(
            (
                name,
                CodingTimes(float(one["encode"]), float(one["decode"]), bool(one["measured"])),
            )
            for name, one in data.get("operators", {}).items()
        ),
        float(data.get("thread", math.inf)),
    )  # fmt: skip


def _points(rows: Any) -> tuple[Point, ...]:
    return tuple((float(bits), float(seconds)) for bits, seconds in rows)


def written(cluster: Cluster) -> str:
    """The file of a cluster; :func:`read_cluster` reads the same back."""
    lines = [
        *(f"{key} = {_text(getattr(cluster, key))}" for key in ("name", "title", "source")),
        f"machines = {cluster.machines}", f"workers = {cluster.workers}",
        f"left = {cluster.left!r}", f"thread = {cluster.thread!r}",
    ]  # fmt: skip
    for key in ("network", "inside"):
        points = getattr(cluster, key)
        rows = ",\n".join(f"  [{bits!r}, {seconds!r}]" for bits, seconds in points)
        lines += ["", f"[{key}]", f"messages = [\n{rows},\n]"]
    for name, model in cluster.models:
        lines += ["", f"[models.{_text(name)}]", f"samples = {model.samples}"]
        lines += [f"seconds = {model.seconds!r}"]
    for name, one in cluster.operators:
        lines += ["", f"[operators.{_text(name)}]", f"encode = {one.encode!r}"]
        lines += [f"decode = {one.decode!r}", f"measured = {str(one.measured).lower()}"]
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    """A basic string of TOML."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'
