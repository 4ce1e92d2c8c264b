"""Results keyed by what was run; nothing that was damaged is trusted."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.sign import Sign
from algorithms.topologies.ring import Ring
from experiments.storage.encoding import decode_result, encode_result
from experiments.storage.files import write_atomically
from experiments.storage.folders import cells_folder
from experiments.storage.store import (
    FORMAT,
    CorruptResult,
    Store,
    Stored,
    move_earlier,
)
from proofs_check.cell import Cell, CellKind, CellResult
from proofs_check.compressors.facts import operator_facts
from proofs_check.curves import (
    Cited,
    Curves,
    LinePanel,
    PanelLine,
    Points,
    RatePanel,
    RateSeries,
    RunSeries,
    SchemeNumbers,
    TradeoffPoint,
    WorkerSeries,
)
from proofs_check.facts import (
    ContestFacts,
    ExponentFacts,
    Facts,
    StandingFacts,
    TrafficFacts,
    TunedFacts,
    VariantFacts,
)
from proofs_check.gantt import LanePanel
from proofs_check.topologies.facts import topology_facts
from proofs_check.verdict import CheckKind, Outcome, Verdict
from tests.experiments.calls import call

CELL = Cell("qsgd", "quadratic-sc", CellKind.RUN, "", (1, 2), 4, 100, 8)

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
    Verdict(
        "lag:ps",
        "falls",
        "rate in T",
        Outcome.COMPARED,
        kind=CheckKind.RATE,
        order="T^-0.666667",
        exponent=Fraction(-2, 3),
        row="lag",
        form="ps",
    ),
)


K = np.arange(3.0)
RATE = RateSeries(K, K, K - 1, K + 1, None, K, (Points("bias", 2 * K),), along="n")
LINES = (PanelLine("a", K, K), PanelLine("b", K[:1], K[:1], K[:1] - 1, K[:1] + 1))
EVERY = (
    RunSeries(
        "f", K, np.array([np.nan, 5e-324, 1 / 3]), K, K, 64 * K, 0 * K, None, 4 * K,
        Cited("t", "T", "Somebody 2020, Theorem 1", "Somebody 2020", "O(T^-1)"),
        "a method, 4 workers", ends=np.array([0.1, np.inf]),
    ),
    RatePanel("title", "x", "y [s]", RATE),
    LinePanel("title", "x", "y", ("log", "linear"), LINES),
    WorkerSeries(K, K, K, K, 0.5 * K),
    TradeoffPoint("QSGD(s=4)", "gaussian", 4.3, 1.0, float("nan")),
    SchemeNumbers("PS", "BSP", 0.0, 1.0, float("nan"), 2.0, 0.5, 3.0),
    LanePanel("title", ("device", "network"), ("forward",), K[:2], 0 * K[:2], K[:2], K[:2] + 1),
)  # fmt: skip
"""One of each type of curves."""
EXPONENT = ExponentFacts(
    "PS, BSP, Null", "convex", "T", True, -1.0, "quadratic, L = 1", "",
    (VariantFacts("seed 2", -0.98, 0.02, "attained"), VariantFacts("T x 4", float("nan"), 0.0, "")),
)  # fmt: skip
TRAFFIC = TrafficFacts(
    "PS, BSP, Null", "convex", "BSP-SGD", 20, 8, 64.0, peers=1, period=1, kept=0.0, coded=0.0,
    float_bits=64, sent=81920.0, sent_by_all=655360.0, heard_by_all=655360.0,
)  # fmt: skip
KNOWN = (
    operator_facts(QSGD(4), 16), operator_facts(Sign(), 16), topology_facts(Ring(5)), TRAFFIC,
    EXPONENT,
    TunedFacts("a", "method", -2, 0.25, ("alpha",), (0.1,), 1e-3, 11, 40, 4),
    ContestFacts("bits", 1e5, "f(x) - f*", 0.1, "p", (
        StandingFacts("a", 0.1, 0.05, 0.2, 1.0, float("nan"), 9e4, 40, "best"),
    ), True),
)  # fmt: skip
"""One of each type of facts, with a law and without claims among them."""


def result(*curves: Curves) -> Stored:
    return Stored(CellResult(VERDICTS, curves), 1.25)


def assert_same(one: Any, other: Any) -> None:
    """Equal to the last bit, whatever they are made of."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert one.shape == other.shape and one.tobytes() == other.tobytes()
    elif dataclasses.is_dataclass(one):
        for field in dataclasses.fields(one):
            assert_same(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, tuple):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            assert_same(left, right)
    else:
        assert one == other or (one != one and other != other)


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    store = Store(tmp_path, {CELL: "v1"})
    assert store.load(CELL) is None
    stored = Stored(CellResult(VERDICTS, EVERY, KNOWN), 1.25)
    assert {type(one) for one in EVERY} == set(get_args(Curves))
    store.save(CELL, stored)
    read = store.load(CELL)
    assert read is not None
    assert read.result.verdicts == VERDICTS
    assert read.seconds == 1.25
    assert_same(read.result.curves, EVERY)
    assert_same(read.result.facts, KNOWN)
    assert {type(one) for one in KNOWN} == set(get_args(Facts))
    assert [path.suffix for path in tmp_path.iterdir()] == [".cell"]


def test_a_whole_number_is_read_as_its_field_declares() -> None:
    whole = dataclasses.replace(VERDICTS[1], statistic=np.int64(3), bound=np.float32(0.5))
    (read,) = decode_result(encode_result(CellResult((whole,)))).verdicts
    assert (read.statistic, type(read.statistic), read.bound) == (3.0, float, 0.5)


def test_what_is_neither_a_number_nor_a_word_is_not_stored() -> None:
    with pytest.raises(TypeError, match=r"a result holds .* of type complex; numbers would do"):
        encode_result(CellResult((dataclasses.replace(VERDICTS[1], statistic=1j),)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda one: one.update(type="Surface"), "type of curves must be one of RunSeries"),
        (lambda one: one.update(colour="red"), "RunSeries must have the fields quantity, steps"),
        (lambda one: one.pop("mean"), "missing required field `mean`"),
        (lambda one: one.pop("heavy"), "RunSeries must have the fields quantity, steps"),
        (lambda one: one["theorem"].update(colour="red"), "RunSeries must have the fields"),
        (lambda one: one.update(quantity=3), r"Expected `str`, got `int` - at `\$.quantity`"),
        (lambda one: one.update(heavy=1), r"Expected `bool`, got `int` - at `\$.heavy`"),
        (lambda one: one.update(mean=None), "NoneType"),
        (lambda one: one.update(mean=one["steps"] | {"shape": [1, 3]}), "mean must be 1-D"),
    ],
)
def test_curves_that_no_type_of_ours_has_are_corrupt(
    tmp_path: Path, change: Callable[[dict[str, Any]], Any], words: str
) -> None:
    """Written whole and with a true checksum, by code that knew other types."""
    store = Store(tmp_path, {CELL: "v1"})
    path = store.save(CELL, result(*EVERY))
    body = json.loads(path.read_bytes().split(b"\n")[1])
    change(body["curves"][0])
    text = json.dumps(body).encode()
    header = f"{FORMAT} sha256 {hashlib.sha256(text).hexdigest()}\n".encode()
    path.write_bytes(header + text + b"\n")
    with pytest.raises(CorruptResult, match=words):
        store.load(CELL)


@pytest.mark.parametrize(
    "change",
    [
        {"row": "top-k"},
        {"problem": "quadratic-pl"},
        {"kind": CellKind.WORKERS},
        {"name": "x"},
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
    path = store.save(CELL, result(*EVERY))
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


def test_a_survey_begins_only_where_its_results_can_be_kept(tmp_path: Path) -> None:
    """They lie beside the report, where a file has their folder's name here."""
    (tmp_path / "report-cells").write_text("mine")
    code, _, err = call("survey", "--row", "bsp-sgd", "--out", str(tmp_path / "report"))
    assert code == 2 and "report-cells" in err
    assert [path.name for path in tmp_path.iterdir()] == ["report-cells"]


NAMES = ("0" * 32 + ".cell", "1" * 32 + ".error.txt", "timings.json")


def earlier(report: Path) -> Path:
    """A report's folder as an earlier version left it, with somebody's notes."""
    (report / "cells").mkdir(parents=True)
    for name in NAMES:
        (report / "cells" / name).write_text(f"earlier {name}")
    (report / "cells" / "notes.txt").write_text("mine")
    return report


def test_results_of_an_earlier_version_are_moved_and_nothing_else(tmp_path: Path) -> None:
    report = earlier(tmp_path / "report")
    move_earlier(report)
    assert sorted(path.name for path in cells_folder(report).iterdir()) == sorted(NAMES)
    assert [path.name for path in (report / "cells").iterdir()] == ["notes.txt"]
    move_earlier(report)
    assert cells_folder(report).parent == tmp_path
    assert (report / "cells" / "notes.txt").read_text() == "mine"


def test_what_is_kept_already_is_not_overwritten_by_what_is_moved(tmp_path: Path) -> None:
    report = earlier(tmp_path / "report")
    cells_folder(report).mkdir()
    (cells_folder(report) / NAMES[0]).write_text("new")
    move_earlier(report)
    found = {path.name: path.read_text() for path in cells_folder(report).iterdir()}
    assert found == {name: f"earlier {name}" for name in NAMES[1:]} | {NAMES[0]: "new"}


def test_naming_the_folder_of_results_changes_nothing(tmp_path: Path) -> None:
    report = earlier(tmp_path / "report")
    cells_folder(report)
    assert [path.name for path in tmp_path.iterdir()] == ["report"]
    assert cells_folder(Path("/")) == Path("/report-cells")


@pytest.mark.processes
def test_another_process_may_move_the_same_files(tmp_path: Path) -> None:
    """Each of two that start together ends, and every file arrives."""
    report = tmp_path / "report"
    (report / "cells").mkdir(parents=True)
    names = [f"{number:032x}.cell" for number in range(400)]
    for name in names:
        (report / "cells" / name).write_text(name)
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        list(pool.map(move_earlier, [report, report]))
    assert {path.name: path.read_text() for path in cells_folder(report).iterdir()} == {
        name: name for name in names
    }
