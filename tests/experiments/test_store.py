"""Results keyed by what was run; nothing that was damaged is trusted."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.files import write_atomically
from experiments.store import CorruptResult, Store, Stored
from proofs_check.cell import Cell, CellResult
from proofs_check.verdict import Outcome, Verdict

CELL = Cell("qsgd", "quadratic-sc", "run", (1, 2), 4, 100, 8)

VERDICTS = (
    Verdict("qsgd", "E C(x) = x", "exact enumeration", Outcome.PROVED, evidence="Σ ‖x‖² ≤ 1"),
    Verdict(
        "qsgd",
        "whole curve",
        "bound",
        Outcome.SUPPORTED,
        statistic=0.1 + 0.2,
        bound=float("inf"),
        uncertainty=float(np.float64(1) / 3),
        problem="quadratic-sc",
    ),
)


def result(**curves: list[float]) -> Stored:
    return Stored(CellResult(VERDICTS, {k: np.array(v) for k, v in curves.items()}), 1.25)


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    store = Store(tmp_path, {CELL: "v1"})
    assert store.load(CELL) is None
    stored = result(steps=[0.0, 1.0], mean=[np.nan, 5e-324], none=[])
    store.save(CELL, stored)
    read = store.load(CELL)
    assert read is not None
    assert read.result.verdicts == VERDICTS
    assert read.seconds == 1.25
    for name, curve in stored.result.curves.items():
        np.testing.assert_array_equal(read.result.curves[name], curve)
    assert [path.suffix for path in tmp_path.iterdir()] == [".cell"]


@pytest.mark.parametrize(
    "change",
    [
        {"row": "top-k"},
        {"problem": "quadratic-pl"},
        {"check": "operator"},
        {"seeds": (1,)},
        {"replicas": 5},
        {"steps": 101},
        {"n": 9},
    ],
)
def test_another_cell_or_version_is_another_result(tmp_path: Path, change: dict[str, int]) -> None:
    other = dataclasses.replace(CELL, **change)
    store = Store(tmp_path, {CELL: "v1", other: "v1"})
    store.save(CELL, result())
    assert store.load(other) is None
    assert Store(tmp_path, {CELL: "v2"}).load(CELL) is None
    assert store.load(CELL) is not None


@given(cut=st.integers(0, 10_000), at=st.integers(0, 10_000), flip=st.integers(1, 255))
def test_no_damage_goes_unseen(
    tmp_path_factory: pytest.TempPathFactory, cut: int, at: int, flip: int
) -> None:
    folder = tmp_path_factory.mktemp("store")
    store = Store(folder, {CELL: "v1"})
    path = store.save(CELL, result(steps=[1.0, 2.0]))
    whole = path.read_bytes()
    body = whole.removesuffix(b"\n")
    path.write_bytes(body[: cut % len(body)])
    with pytest.raises(CorruptResult, match=path.name):
        store.load(CELL)
    damaged = bytearray(body)
    damaged[at % len(body)] ^= flip
    path.write_bytes(bytes(damaged))
    with pytest.raises(CorruptResult, match=path.name):
        store.load(CELL)
    path.write_bytes(whole)
    assert store.load(CELL) is not None
    shutil.rmtree(folder)


def test_a_folder_in_the_place_of_a_result_is_named(tmp_path: Path) -> None:
    store = Store(tmp_path, {CELL: "v1"})
    store.path(CELL).mkdir()
    with pytest.raises(CorruptResult, match="cannot be read"):
        store.load(CELL)


def test_a_failed_write_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page.html"
    write_atomically(path, b"old")

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
