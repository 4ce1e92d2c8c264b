"""Least-squares problems of the lazy methods: three data sets dealt in file order, or made ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from algorithms.core.key import Key
from algorithms.problems.base import require_int, require_number
from algorithms.problems.bundled import bundled
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.least_squares import LeastSquares
from theory.arrays import Floats

FEATURES = 8
"""How many of each set's first columns are used: the fewest that any of the three sets has."""

_FILES = {"data28": "housing", "data29": "body fat", "data30": "abalone"}
_WANTED = "give the folder that holds " + ", ".join(
    f"{stem}_{kind}.txt" for stem in _FILES for kind in ("data", "y")
)


class Table(NamedTuple):
    """One data set: features ``[N, d]`` and targets ``[N]`` (float64).

    Attributes:
        name: what reports call it.
    """

    name: str
    features: Floats
    targets: Floats


def read(folder: Path) -> tuple[Table, ...]:
    """Housing, body fat and abalone from ``data28_data.txt``, ``data28_y.txt``, ... of a folder.

    Numbers apart by blanks, a sample a line.

    Raises:
        ValueError: a file is missing, or is not such a table; names it.
    """
    return tuple(_table(folder, stem, name) for stem, name in _FILES.items())


def packaged() -> tuple[Table, ...]:
    """Diabetes, wine and breast cancer as scikit-learn brings them, features scaled to [-1, 1].

    Targets are the disease's progression divided by its mean, the cultivar's number, and the
    diagnosis.
    """
    tables = []
    for name, (x, y) in (
        ("diabetes", bundled("diabetes")),
        ("wine", bundled("wine")),
        ("breast cancer", bundled("breast_cancer")),
    ):
        low, high = x.min(0), x.max(0)
        scale = y.mean() if name == "diabetes" else 1.0
        tables.append(Table(name, 2 * (x - low) / (high - low) - 1, y.astype(np.float64) / scale))
    return tuple(tables)


def dealt(tables: tuple[Table, ...], split: int, source: str) -> LeastSquares:
    """Each set cut in its order into ``split`` equal parts, a worker each; the rest is dropped.

    The first :data:`FEATURES` columns of each (Chen et al. 2018, arXiv:1805.09965, Section 4).

    Raises:
        ValueError: split < 1, or a set with fewer samples or columns than that takes.
    """
    require_int("split", split, 1, min(len(table.targets) for table in tables))
    features, targets = [], []
    for table in tables:
        if table.features.shape[1] < FEATURES:
            raise ValueError(
                f"{table.name} must have at least {FEATURES} columns, got {table.features.shape[1]}"
            )
        size = len(table.targets) // split
        for i in range(split):
            part = slice(i * size, (i + 1) * size)
            features.append(torch.from_numpy(table.features[part, :FEATURES].copy()))
            targets.append(torch.from_numpy(table.targets[part].copy()))
    return LeastSquares.from_data(features, targets, name=f"least-squares, {source}", source=source)


def rising(n: int = 9, d: int = 50, growth: float = 1.3, seed: int = 0) -> LeastSquares:
    r"""A_i = growth^{i-1} q_i q_i^T + I with orthonormal q_i: L_i = (1 + growth^{i-1})^2 rises.

    y is one standard normal vector for all. (The synthetic problem of Chen et al. 2018, whose y
    are the first 50 body-fat targets.)

    Raises:
        ValueError: n outside [1, d], or growth that is not positive.
    """
    require_int("n", n, 1, d)
    if not growth > 0:
        raise ValueError(f"growth must be positive, got growth={growth}")
    draws = Key.seed(seed).fold("rising").draws(torch.tensor(0), torch.arange(d + 1))
    normal = draws.normal(d, torch.float64)
    q, _ = torch.linalg.qr(normal[:d])
    features = [growth**i * q[:, i, None] * q[:, i] + torch.eye(d).double() for i in range(n)]
    return LeastSquares.from_data(features, [normal[d]] * n, name="least-squares, rising curvature")


def sparse_signal(
    n: int, samples: int = 200, d: int = 60, nonzero: int = 5, noise: float = 0.1, seed: int = 0
) -> LeastSquares:
    r"""f_i(x) = \frac{1}{2S} \|A_i x - y_i\|^2, y_i = A_i x_{true} + noise: a signal to be found.

    ``nonzero`` of d coordinates of x_true are 1, the others 0; A_i is standard normal, ``samples``
    rows a worker, so that all workers see the same signal. What an l1 regulariser is for.

    Raises:
        ValueError: n, samples or d < 1, nonzero outside [0, d], noise negative.
    """
    for name, value in (("n", n), ("samples", samples), ("d", d)):
        require_int(name, value, 1)
    require_int("nonzero", nonzero, 0, d)
    require_number("noise", noise)
    draws = Key.seed(seed).fold("sparse signal").draws(torch.tensor(0), torch.arange(n))
    normal = draws.normal(samples * (d + 1), torch.float64).reshape(n, samples, d + 1)
    rows, errors = normal[..., :d] / samples**0.5, normal[..., d] / samples**0.5
    targets = rows[..., :nonzero].sum(-1) + noise * errors
    return LeastSquares.from_data(list(rows), list(targets), name="sparse-signal")


def _table(folder: Path, stem: str, name: str) -> Table:
    x, y = _numbers(folder / f"{stem}_data.txt"), _numbers(folder / f"{stem}_y.txt")
    if y.shape[1] != 1 or len(x) != len(y) or x.shape[1] < FEATURES:
        raise ValueError(
            f"{folder / stem}_data.txt must hold at least {FEATURES} numbers a line and "
            f"{stem}_y.txt one, in as many lines; got tables of shapes {x.shape} and {y.shape}"
        )
    return Table(name, x, y[:, 0])


def _numbers(path: Path) -> Floats:
    """The finite numbers of a text file ``[N, columns]``."""
    try:
        lines = [line.split() for line in path.read_text().splitlines() if line.strip()]
        table = np.array([[float(word) for word in line] for line in lines], dtype=np.float64)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise ValueError(f"cannot read {path} ({reason}); {_WANTED}") from error
    except ValueError as error:
        raise ValueError(f"{path} is not a table of numbers ({error}); {_WANTED}") from error
    if table.ndim != 2 or not np.isfinite(table).all():
        raise ValueError(f"{path} must hold finite numbers in lines of equal length; {_WANTED}")
    return table


ENTRIES = (
    ProblemEntry(
        "sparse-signal",
        "least squares for a signal of which 5 of 60 coordinates are not zero",
        sparse_signal,
        general=False,
    ),
    ProblemEntry(
        "least-squares-rising",
        "least squares whose curvature rises by 1.3 from worker to worker, d = 50",
        lambda n: replace(rising(n), name="least-squares-rising"),
        general=False,
    ),
)
