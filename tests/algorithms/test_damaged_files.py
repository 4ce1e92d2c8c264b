"""Checkpoints and records that were damaged, are foreign, or whose disk is full."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from algorithms.core import durable
from algorithms.network import checkpoint_files
from algorithms.network.alone import alone
from algorithms.network.checkpoint_files import Unreadable, Unwritten, newest, write_checkpoint
from algorithms.runner.kept_record import KeptRecord


def written(folder: Path, *steps: int) -> None:
    for t in steps:
        write_checkpoint(folder, t, {"x": torch.full((3,), float(t))}, {"t": t})


def place(folder: Path, t: int) -> Path:
    return folder / f"step-{t:09d}"


class Opened:
    """Pickled as what writes a file when it is read."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        return open, (str(self.file), "w")


def truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-7])


def flipped(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)


def somebody_elses(file: Path) -> None:
    file.write_bytes(pickle.dumps(Opened(file.parent.parent / "executed")))


def empty(file: Path) -> None:
    file.write_bytes(b"")


def gone(file: Path) -> None:
    file.unlink()


@pytest.mark.parametrize("damage", [truncated, flipped, somebody_elses, empty, gone])
@pytest.mark.parametrize("name", ["words.json", ".metadata", "__0_0.distcp"])
def test_a_damaged_checkpoint_is_named_and_the_one_before_is_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: Any, name: str
) -> None:
    written(tmp_path, 3, 6)
    damage(place(tmp_path, 6) / name)
    assert newest(tmp_path) == (3, {"t": 3})
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1 and "step-000000006" in told
    assert "the one of step 3 is used" in told
    written(tmp_path, 5)  # it goes on, in other steps: what was refused goes
    assert sorted(one.name for one in tmp_path.glob("step-*")) == [
        place(tmp_path, 3).name, place(tmp_path, 5).name,
    ]  # fmt: skip
    damage(place(tmp_path, 5) / name)
    damage(place(tmp_path, 3) / name)
    with pytest.raises(Unreadable, match=r"step-000000005.*step-000000003.*another folder"):
        newest(tmp_path)
    assert not (tmp_path / "executed").exists()


def test_a_checkpoint_of_another_version_is_refused_by_name(tmp_path: Path) -> None:
    written(tmp_path, 3)
    (place(tmp_path, 3) / "words.json").write_text(json.dumps({"t": 3}))
    with pytest.raises(Unreadable, match="is not a rateproof-checkpoint-2 file"):
        newest(tmp_path)


def test_every_file_is_settled_before_the_rename_and_two_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    real, settle = os.replace, durable.settle
    monkeypatch.setattr(
        checkpoint_files, "settle", lambda path: (done.append(path.name), settle(path))
    )
    monkeypatch.setattr(
        checkpoint_files.os, "replace", lambda a, b: (done.append("renamed"), real(a, b))
    )
    written(tmp_path, 3)
    at = done.index("renamed")
    assert {".metadata", "__0_0.distcp", "words.json", "step-000000003.part"} == set(done[:at])
    assert done[at + 1 :] == [tmp_path.name]
    written(tmp_path, 6, 9)
    assert len(list(tmp_path.glob("step-*"))) == 2


def test_a_disk_that_takes_no_more_is_told_of_and_the_last_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, 3)

    def full(file: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint_files, "settle", full)
    with pytest.raises(Unwritten, match=r"step 6 cannot be written to .*No space left"):
        written(tmp_path, 6)
    assert newest(tmp_path) == (3, {"t": 3})


@pytest.mark.parametrize("damage", [truncated, flipped, somebody_elses, empty])
def test_a_damaged_record_is_named_and_the_one_before_is_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: Any
) -> None:
    kept = KeptRecord(tmp_path / "kept", 1, {"row": "asp"})
    assert kept.read(0) == ""
    kept.write(0, "first")
    kept.write(0, "second")
    assert kept.read(0) == "second" and not capsys.readouterr().err
    damage(tmp_path / "kept" / "rank-0.json")
    assert kept.read(0) == "first"
    assert "rank-0.json" in capsys.readouterr().err
    damage(tmp_path / "kept" / "rank-0.before")
    with pytest.raises(ValueError, match=r"rank-0\.json is .*; another folder would do"):
        kept.read(0)
    assert not (tmp_path / "executed").exists()


def test_between_two_names_the_record_before_is_read(tmp_path: Path) -> None:
    kept = KeptRecord(tmp_path, 1, {})
    kept.write(0, "first")
    (tmp_path / "rank-0.json").rename(tmp_path / "rank-0.before")  # killed here
    assert kept.read(0) == "first"


HOLDING = """
import sys, time
from pathlib import Path
from algorithms.network.alone import alone
with alone(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.mark.processes
@pytest.mark.slow
def test_a_second_run_on_a_folder_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    words = [sys.executable, "-c", HOLDING, str(tmp_path)]
    first = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert first.stdout is not None and first.stdout.readline() == "held\n"
        with pytest.raises(ValueError, match=f"which process {first.pid} writes into"):
            with alone(tmp_path):
                pass
    finally:
        first.kill()
        first.communicate()
    with alone(tmp_path):
        pass
