"""The listing of the catalogue is made once for each state of the sources."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from algorithms.catalogue import ROWS
from experiments.listing import made
from experiments.listing.kept import ROOT, Listing, listing

SOURCES = ("theory/a.py", "algorithms/b.tsv", "proofs_check/c/d.py", "experiments/listing/e.py")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for place in SOURCES:
        path = tmp_path / place
        path.parent.mkdir(parents=True)
        path.write_text("1")
    return tmp_path


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The dimensions for which a listing was made."""
    found: list[int] = []

    def make(d: int) -> Listing:
        found.append(d)
        return Listing(rows=[{"key": f"row {len(found)}"}], problems=[], check="effect")

    monkeypatch.setattr(made, "made_listing", make)
    return found


def kept(root: Path) -> list[Path]:
    return sorted((root / "experiments/listing/__pycache__").glob("listing-*.json"))


def test_it_is_made_once_a_dimension(root: Path, calls: list[int]) -> None:
    first = listing(10, root)
    assert listing(10, root) == first and calls == [10]
    assert listing(11, root) != first and calls == [10, 11]


@pytest.mark.parametrize("place", SOURCES)
def test_an_edited_file_makes_it_anew(root: Path, calls: list[int], place: str) -> None:
    """By its size, or by its time where that is the same."""
    listing(10, root)
    (root / place).write_text("22")
    listing(10, root)
    assert calls == [10, 10]
    os.utime(root / place, ns=(1, 1))
    listing(10, root)
    assert calls == [10, 10, 10]


def test_a_new_or_lost_file_makes_it_anew(root: Path, calls: list[int]) -> None:
    listing(10, root)
    (root / "theory" / "new.py").write_text("")
    listing(10, root)
    (root / "theory" / "new.py").unlink()
    (root / "proofs_check/c/d.py").unlink()
    listing(10, root)
    assert calls == [10, 10, 10]


def test_what_is_kept_but_broken_is_made_anew(root: Path, calls: list[int]) -> None:
    listing(10, root)
    kept(root)[0].write_text('{"rows": [')
    assert listing(10, root)["rows"] == [{"key": "row 2"}]
    assert json.loads(kept(root)[0].read_text())["rows"] == [{"key": "row 2"}]


def test_it_is_told_where_nothing_can_be_kept(root: Path, calls: list[int]) -> None:
    (root / "experiments/listing/__pycache__").write_text("no folder")
    assert listing(10, root)["rows"] == [{"key": "row 1"}]
    assert listing(10, root)["rows"] == [{"key": "row 2"}]


def test_few_are_kept(root: Path, calls: list[int]) -> None:
    for d in range(1, 20):
        listing(d, root)
    assert len(kept(root)) == 8


@pytest.mark.processes
def test_a_second_list_needs_no_torch(tmp_path: Path) -> None:
    """What makes it quick: of all that a listing is made from, nothing is imported."""
    listing(100)
    code = (
        "import sys; from experiments.commands.rows import list_command; from pathlib import Path;"
        f"list_command(ready=False, d=100, as_json=True, report=Path({str(tmp_path)!r}));"
        "print({'torch', 'scipy', 'numba'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "set()"
    told = [row["key"] for row in json.loads(done.stdout)]
    assert told == [row["key"] for row in listing(100)["rows"]] == [row.key for row in ROWS]
