"""The scripts in docs/notebooks run, and what they conclude is what their results say.

As scripts, and as notebooks in a Jupyter kernel, where jupytext and nbclient are installed.
"""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.experiments.calls import HANGS

HOME = Path(__file__).absolute().parents[3]
SCRIPTS = HOME / "docs" / "notebooks"
SHOWN = {
    "check_my_compressor": (5, 2),
    "linear_speedup": (4, 2),
    "pick_a_method": (2, 4),
}
"""Tables and pictures that each notebook shows."""


def ran(name: str) -> dict[str, Any]:
    """What a script leaves behind."""
    return runpy.run_path(str(SCRIPTS / f"{name}.py"))


def test_all_scripts_are_run_here() -> None:
    assert {path.stem for path in SCRIPTS.glob("*.py")} == set(SHOWN)


@pytest.mark.slow
def test_a_compressor_is_told_from_one_with_a_slip() -> None:
    """Keeping p of the coordinates, 1/p as large, has omega = 1/p - 1 = 3; without, 1 - p."""
    session = ran("check_my_compressor")
    assert not session["mine"].refuted and session["slip"].refuted
    claims = {one.claim: one.outcome.value for one in session["mine"].claims}
    assert claims["E C(x) = x"] == "supported"
    assert set(session["wrong"]["claim"]) == {"E C(x) = x"}
    ratio = session["mine"].measured
    assert ((ratio["low"] <= 3) & (3 <= ratio["high"])).all()
    assert "refuted" not in set(session["checked"].frame["outcome"])


def test_speedup_is_linear_where_workers_are_alike() -> None:
    session = ran("linear_speedup")
    assert session["answers"] == {
        "equal workers": "linear speedup", "unequal workers": "less than linear speedup",
    }  # fmt: skip
    mean = session["alike"].frame.groupby("n")["error"].mean()
    assert 6 < mean[2] / mean[16] < 10.7  # 8 but for 64 replicas
    unequal = session["unequal"].frame.groupby("n")["error"].mean()
    assert unequal[2] / unequal[16] < 4


def test_a_slow_network_asks_for_fewer_messages() -> None:
    session = ran("pick_a_method")
    assert session["best"] == {
        "10 Gb/s Ethernet": ["local-sgd"],
        "100 Gb/s InfiniBand": ["bsp-sgd", "local-sgd"],
    }
    slow = {one.key: one for one in session["found"].standings}
    assert slow["bsp-sgd"].verdict == slow["top-k"].verdict == "worse"
    assert slow["bsp-sgd"].error > 3 * slow["local-sgd"].error


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.filterwarnings("default")  # Jupyter's own
@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_shows_tables_and_pictures(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jupytext, nbclient = pytest.importorskip("jupytext"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", str(HOME))
    notebook = jupytext.read(SCRIPTS / f"{name}.py")
    nbclient.NotebookClient(
        notebook, timeout=HANGS, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    first, *_ = notebook.cells
    assert first.cell_type == "markdown" and first.source.startswith("# ")
    outputs = [one for cell in notebook.cells for one in cell.get("outputs", ())]
    assert {one.output_type for one in outputs} == {"execute_result"}, outputs
    shown = [one.data for one in outputs]
    pages = "".join(one.get("text/html", "") for one in shown)
    assert (pages.count("<table"), len(re.findall("<img |data-png", pages))) == SHOWN[name]
    plain = [one["text/plain"] for one in shown if "text/html" not in one]
    assert not any("(" in one for one in plain), "a result in words of Python"
