"""scikit-learn's data sets, read from its files without loading scikit-learn.

Its package loads pandas, pyarrow, joblib and much of scipy, which take as long as torch; what its
loaders do with these four files are a few lines. The same numbers, bit for bit, as they give
(``tests/algorithms/test_bundled.py``).
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np

from theory.arrays import Floats

Name = Literal["breast_cancer", "diabetes", "digits", "wine"]


@cache
def bundled(name: Name) -> tuple[Floats, Floats]:
    """Features ``[N, d]`` and targets or labels ``[N]`` as scikit-learn brings them, read-only."""
    folder = _folder()
    try:
        features, targets = _read(folder, name)
    except OSError:  # a version that keeps them elsewhere
        from sklearn import datasets

        features, targets = getattr(datasets, f"load_{name}")(return_X_y=True)
    features.flags.writeable = targets.flags.writeable = False
    return features, targets


def _folder() -> Path:
    """Folder of scikit-learn's data files."""
    found = find_spec("sklearn")
    if found is None or found.submodule_search_locations is None:
        raise ModuleNotFoundError("the data sets are scikit-learn's, which is not installed")
    return Path(found.submodule_search_locations[0], "datasets", "data")


def _read(folder: Path, name: Name) -> tuple[Floats, Floats]:
    """Data that the loader called ``name`` gives.

    Raises:
        OSError: there is no such file.
    """
    match name:
        case "diabetes":
            features = np.loadtxt(folder / "diabetes_data_raw.csv.gz")
            mean, deviation = features.mean(0), features.std(0)
            features -= mean
            features /= deviation
            features /= len(features) ** 0.5
            return features, np.loadtxt(folder / "diabetes_target.csv.gz")
        case "digits":
            table = np.loadtxt(folder / "digits.csv.gz", delimiter=",")
            return table[:, :-1], table[:, -1].astype(int)
    file = folder / ("wine_data.csv" if name == "wine" else f"{name}.csv")
    table = np.loadtxt(file, delimiter=",", skiprows=1)  # the first line: sizes, names of classes
    return np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(int)
