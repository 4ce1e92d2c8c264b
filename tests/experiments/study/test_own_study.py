"""The tutorial's method of one's own, from its file to the evidence of a paper."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.experiments.calls import HANGS
from tests.experiments.chromium import BROWSER, chromium
from tests.experiments.test_docs import HOUSE, blocks

pytestmark = [pytest.mark.slow, pytest.mark.sharded]

NARROW, TALL = 390, 900
LINE = "rateproof study tracking:ROW --quick"
"""The tutorial's command, which nothing else runs."""
LINES = 80


def called(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A Python process in a folder, with this project on its path."""
    return subprocess.run(
        [sys.executable, *words], cwd=cwd, capture_output=True, text=True, timeout=4 * HANGS,
        env={**os.environ, "PYTHONPATH": str(HOUSE), "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tutorial's file and its study."""
    folder = tmp_path_factory.mktemp("own")
    (text,) = blocks("docs/tutorial.md", "py")
    assert len(text.splitlines()) < LINES
    (folder / "tracking.py").write_text(text)
    main = "from experiments.cli.main import main; main()"
    ended = called("-c", main, *LINE.split()[1:], cwd=folder)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "written: study/index.html" in ended.stdout
    assert "Traceback" not in ended.stderr, ended.stderr
    return folder


def verdicts(path: Path) -> dict[str, Any]:
    """Verdicts of a study's record by their check and row."""
    told = json.loads(path.read_text())["verdicts"]
    return {f"{one['subject']}: {one['check']}": one for one in told}


def test_a_row_of_ones_own_gets_what_a_built_in_one_gets(home: Path) -> None:
    found = verdicts(home / "study" / "study.json")
    outcomes = {name.removeprefix("my-tracking: "): one["outcome"] for name, one in found.items()}
    assert outcomes["effect"] == "supported"
    assert outcomes["effect without its cause"] == "caught"
    assert outcomes["attack on tracking_descends"] == "supported"
    assert outcomes["two worlds, 2 ranks"] == outcomes["ledgers, 2 ranks"] == "agrees"
    assert outcomes["bits"] == "agrees"
    for variable in ("T", "n", "gap"):
        one = found[f"my-tracking: rate in {variable}"]
        assert one["statistic"] is not None and one["theorem"] == "tracking_descends"
    assert {"comparison at equal bits"} <= outcomes.keys()
    assert found["my-tracking: curve under bound"]["statistic"] < 1


def test_the_page_opens_without_a_network_and_fits_a_phone(home: Path, tmp_path: Path) -> None:
    if BROWSER is None:
        pytest.skip("no chromium on this machine")
    with chromium(tmp_path / "profile") as tab:
        for width in (NARROW, 1200):
            tab.look(width, TALL, phone=width == NARROW)
            tab.open(home / "study" / "index.html")
            assert tab.run("document.documentElement.scrollWidth") <= width
            assert tab.run("[...document.images].every(one => one.naturalWidth > 0)")
        assert tab.faults == []


def test_the_script_makes_all_of_it_again(home: Path, tmp_path: Path) -> None:
    """In another folder, from the copy of the file; attacks alone end by the clock."""
    (home / "tracking.py").rename(tmp_path / "gone.py")
    ended = called("study/reproduce.py", "again", cwd=home)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    first, again = (verdicts(home / name / "study.json") for name in ("study", "again"))
    assert first.keys() == again.keys()
    for name, one in first.items():
        if "attack" not in name:
            assert one == again[name]
    for name in ("tables/comparison.tex", "tables/rates.tex", "references.bib", "setting.tex"):
        assert (home / "study" / name).read_text() == (home / "again" / name).read_text()
    for path in (home / "study" / "figures").glob("*.pgf"):
        assert path.read_text() == (home / "again" / "figures" / path.name).read_text()
