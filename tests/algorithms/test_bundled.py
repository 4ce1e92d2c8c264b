"""scikit-learn's data sets as its own loaders give them."""

from pathlib import Path

import numpy as np
import pytest
from sklearn import datasets

from algorithms.problems import bundled
from algorithms.problems.bundled import Name

NAMES: tuple[Name, ...] = ("breast_cancer", "diabetes", "digits", "wine")


@pytest.mark.parametrize("name", NAMES)
def test_numbers_types_and_strides_are_those_of_scikit_learns_loader(name: Name) -> None:
    loaded = getattr(datasets, f"load_{name}")(return_X_y=True)
    for ours, theirs in zip(bundled.bundled(name), loaded, strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.strides == theirs.strides
        assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_the_loader_is_asked_where_the_files_have_moved(
    name: Name, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bundled, "_folder", lambda: tmp_path)
    found = bundled.bundled.__wrapped__(name)
    for moved, read in zip(found, bundled.bundled(name), strict=True):
        assert np.array_equal(moved, read)


def test_what_is_shared_cannot_be_written() -> None:
    features, labels = bundled.bundled("wine")
    for array in (features, labels):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
